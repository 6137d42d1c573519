/**
 * Every failure that can reach a person, in one table. Its code is the key of its sentence in each catalogue of
 * `words/`; `docs/errors.md` is generated from both. Add a new code here first.
 */
import { lacksRoom } from "./disk.ts";
import type { reasonWords } from "./words/reasons/en.ts";

export interface ErrorEntry {
  /**
   * Whether retrying may help, once what the sentence asks for is done: a failed job with this error has the button
   * Retry.
   */
  retry: boolean;
  /** The module or file that raises it; empty while nothing does. */
  raised: string;
  /** The process's exit code if this ends a command (see sysexits.h for the usual meaning of the numbers). */
  exit?: number;
  /**
   * How a refusal is logged. Absent: what was asked for cannot be, `info`. `warn`: not now, or not by this person;
   * `error`: something does not work here.
   */
  logged?: "warn" | "error";
  /** If this ends the daemon: whether restarting it may help although nobody has changed anything. */
  restart?: boolean;
}

export type ReasonKey = keyof typeof reasonWords;

const table = {
  E_OWNER_ONLY: { retry: false, raised: "discord/intake/authorize", logged: "warn" },
  E_NOT_IN_MANAGED_THREAD: { retry: false, raised: "discord/interactions", logged: "warn" },
  E_PROJECT_NOT_FOUND: { retry: false, raised: "core/projects/project" },
  E_PROJECT_EXISTS: { retry: false, raised: "core/projects/project" },
  E_INVALID_PATH: { retry: true, raised: "core/projects/project", exit: 66 },
  E_STATE_DIRECTORY: { retry: false, raised: "agents, discord/interactions", exit: 66 },
  E_PROJECT_CHANGED: { retry: true, raised: "agents/run/starts", logged: "warn" },
  E_INVALID_TOOLSET: { retry: false, raised: "core/projects/project" },
  E_TOOL_NOT_ENABLED: { retry: true, raised: "core/sessions/session" },
  E_SESSION_NOT_FOUND: { retry: false, raised: "core/sessions/session", exit: 66 },
  E_THREAD_ACCESS_FAILED: { retry: true, raised: "discord", logged: "error" },
  E_THREAD_FOREIGN: { retry: false, raised: "discord/delivery, discord/threads" },
  E_PLACE_REFUSED: { retry: true, raised: "discord/api/refused-place", logged: "error" },
  E_COMMANDS_REFUSED: { retry: true, raised: "discord/interactions", logged: "error" },
  E_QUEUE_FULL: { retry: true, raised: "core/jobs/job", logged: "warn" },
  E_SEND_FAILED: { retry: true, raised: "agents/run/steering" },
  E_JOB_NOT_RETRYABLE: { retry: false, raised: "core/jobs/job", logged: "warn" },
  E_CLI_TIMEOUT: { retry: true, raised: "agents/run" },
  E_CLI_EXIT_NONZERO: { retry: true, raised: "agents" },
  E_ADAPTER_PARSE: { retry: true, raised: "agents" },
  E_LINE_REFUSED: { retry: true, raised: "agents" },
  E_ADAPTER_MISSING_RESULT: { retry: true, raised: "agents" },
  E_ADAPTER_SESSION_KEY_MISSING: { retry: true, raised: "agents" },
  E_DISCORD_RATE_LIMIT: { retry: true, raised: "discord/api" },
  E_AGENT_START_FAILED: { retry: true, raised: "agents", logged: "error" },
  E_AGENT_UNGUARDED: { retry: true, raised: "agents" },
  E_AGENT_LOGIN: { retry: true, raised: "agents" },
  E_BACKGROUND_ENDED: { retry: true, raised: "agents/run" },
  E_BACKGROUND_SILENT: { retry: true, raised: "agents/run" },
  E_AGENT_SILENT: { retry: true, raised: "agents/run", logged: "error" },
  E_NO_ACTIVE_SESSION: { retry: false, raised: "discord/interactions", logged: "warn" },
  E_SESSION_CLOSED: { retry: false, raised: "core/jobs/job", logged: "warn" },
  E_SESSION_BUSY: { retry: true, raised: "core/jobs/forgetting", exit: 75, logged: "warn" },
  E_SESSION_FORGETTING: { retry: true, raised: "core/jobs/closing", exit: 75, logged: "warn" },
  E_CONVERSATION_FULL: { retry: true, raised: "agents" },
  E_OUT_OF_CREDITS: { retry: true, raised: "agents" },
  E_SERVICE_BUSY: { retry: true, raised: "agents" },
  E_MODEL_UNAVAILABLE: { retry: true, raised: "agents, discord/interactions" },
  E_MODE_UNAVAILABLE: { retry: true, raised: "agents, discord/interactions" },
  E_EFFORT_UNAVAILABLE: { retry: true, raised: "agents, discord/interactions" },
  E_NOT_COMPACTED: { retry: true, raised: "agents" },
  E_LOCKED: { retry: true, raised: "core/jobs/lock", logged: "warn" },
  E_KEPT_OUT: { retry: false, raised: "core/jobs/lock", logged: "warn" },
  E_NOT_LOCKED: { retry: false, raised: "core/jobs/lock", exit: 66 },
  E_WORD_WRONG: { retry: true, raised: "engine/unlock-words", logged: "warn" },
  E_WORD_CLOSED: { retry: true, raised: "engine/unlock-words", logged: "warn" },
  E_BUDGET_INVALID: { retry: true, raised: "discord/interactions" },
  E_BUDGET_UNIT: { retry: true, raised: "discord/interactions" },
  E_BUDGET_USED: { retry: true, raised: "core/jobs/budget" },
  E_DECISION_CLOSED: { retry: false, raised: "core/decisions/decision", logged: "warn" },
  E_TOO_MANY_QUESTIONS: { retry: true, raised: "core/decisions/lifecycle", logged: "warn" },
  E_QUESTIONS_TOO_LONG: { retry: true, raised: "core/decisions/lifecycle" },
  E_ATTACHMENT_REFUSED: { retry: false, raised: "discord/intake" },
  E_ATTACHMENT_CHANGED: { retry: false, raised: "agents/run", logged: "warn" },
  E_JOURNAL_CORRUPT: { retry: false, raised: "journal/reader", logged: "error", exit: 65, restart: false },
  E_JOURNAL_WRITE: { retry: false, raised: "journal/writer", logged: "error", exit: 74, restart: true },
  E_JOURNAL_MISSING: { retry: false, raised: "cli/journal", exit: 66 },
  E_CONFIG_INVALID: { retry: true, raised: "config", exit: 78, restart: false },
  E_CONFIG_WRITE: { retry: true, raised: "engine/config-projects" },
  E_FILE_REFUSED: { retry: true, raised: "base/path-refusal", logged: "error" },
  E_DISK_FULL: { retry: true, raised: "anywhere", logged: "warn" },
  E_DAEMON_RUNNING: { retry: false, raised: "journal/lock", exit: 75, restart: false },
  E_WORKTREE_DIRTY: { retry: false, raised: "discord/views/worktrees", logged: "warn" },
  E_WORKTREE_NO_COMMIT: { retry: true, raised: "host/git/worktrees" },
  E_WORKTREE_IN_USE: { retry: true, raised: "host/git/worktrees", logged: "warn" },
  E_WORKTREE_FAILED: { retry: true, raised: "host/git/worktrees" },
  E_WORKTREE_GONE: { retry: false, raised: "agents/run/worktrees" },
  E_TOKEN_REFUSED: { retry: false, raised: "discord/api/gateway", exit: 77, restart: false },
  E_INTENT_REFUSED: { retry: false, raised: "discord/api/gateway", exit: 76, restart: false },
  E_GATEWAY_REFUSED: { retry: false, raised: "discord/api/gateway", exit: 72, restart: false },
  E_GATEWAY_ADDRESS: { retry: true, raised: "discord/api/gateway" },
  E_DISCORD_UNREACHABLE: { retry: true, raised: "cli/init", logged: "error", exit: 68 },
  E_EMPTY_PROMPT: { retry: false, raised: "core/jobs/job" },
  E_NOT_A_PROMPT: { retry: false, raised: "core/jobs/job" },
  E_PROMPT_TOO_LONG: { retry: false, raised: "core/jobs/job" },
  E_INVALID_NAME: { retry: false, raised: "core/projects/project" },
  E_NOT_IN_TEXT_CHANNEL: { retry: false, raised: "discord/interactions", logged: "warn" },
  E_RESUME_UNKNOWN: { retry: true, raised: "agents" },
  E_CONVERSATION_IN_USE: { retry: false, raised: "core/sessions/session", logged: "warn" },
  E_CONVERSATION_IN_WINDOW: { retry: true, raised: "core/sessions/session", logged: "warn" },
  E_CONVERSATION_NOT_FOUND: { retry: false, raised: "discord/interactions" },
  E_ARGUMENT_REFUSED: { retry: true, raised: "agents" },
  E_USAGE_LIMIT: { retry: true, raised: "agents" },
  E_TERMINAL_BUSY: { retry: true, raised: "agents/tmux" },
  E_PROMPT_NOT_TAKEN: { retry: true, raised: "agents/tmux" },
  E_PROMPT_IS_COMMAND: { retry: false, raised: "agents/tmux" },
  E_ADOPTION_CLOSED: { retry: false, raised: "agents/tmux", logged: "warn" },
  E_TMUX_MISSING: { retry: true, raised: "agents/tmux" },
  E_NO_DAEMON: { retry: true, raised: "client/call", exit: 69 },
  E_LINK_REFUSED: { retry: false, raised: "ipc", exit: 71 },
  E_TOO_MANY_CALLS: { retry: true, raised: "ipc" },
  E_METHOD_UNKNOWN: { retry: false, raised: "ipc", exit: 71 },
  E_JOB_NOT_FOUND: { retry: false, raised: "cli, ipc", exit: 66 },
  E_UNIT_FOREIGN: { retry: false, raised: "cli/unit", exit: 73 },
  E_SERVICE_REFUSED: { retry: false, raised: "cli/unit", exit: 73 },
  E_HOOKS_REFUSED: { retry: false, raised: "cli/hooks", exit: 73 },
  E_BACKUP_REFUSED: { retry: false, raised: "cli/backup", exit: 73 },
  E_PATH_REFUSED: { retry: false, raised: "cli, journal/state-directory", exit: 73, restart: true },
  E_INTERNAL: { retry: true, raised: "anywhere", logged: "error", exit: 70, restart: true },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;
export const errors: Record<ErrorCode, ErrorEntry> = table;

/**
 * Words that are not ours, but an agent's, a program's or the system's: people see them in quotation marks, in the
 * language they are in.
 */
export type TheirWords = string & { readonly [foreign]: true };
declare const foreign: unique symbol;

/** Never for a sentence of ours, which is a `because`. */
export function theirWords(words: string): TheirWords {
  return words as TheirWords;
}

/**
 * Details for the sentence and the log; never a secret, never a stack. Why it failed is `reason` in the words of who
 * said it, or `because` in ours, with what fills the braces of that key.
 */
export type ErrorDetails = Record<string, string | number | boolean> & { reason?: TheirWords; because?: ReasonKey };

/** A failure with a code. Thrown only at a trust boundary; a client turns it into a sentence once. */
export class BellhopError extends Error {
  override readonly name = "BellhopError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, details: ErrorDetails = {}, options?: { cause?: unknown }) {
    super(`${code} ${JSON.stringify(details)}`, options);
    this.code = code;
    this.details = details;
  }
}

/**
 * The code of any thrown value: a call that failed for want of room is `E_DISK_FULL`, anything unforeseen `E_INTERNAL`.
 */
export function codeOf(error: unknown): ErrorCode {
  if (error instanceof BellhopError) return error.code;
  return error instanceof Error && lacksRoom(error) ? "E_DISK_FULL" : "E_INTERNAL";
}
