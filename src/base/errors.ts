/**
 * Every failure that can reach a person, in one table. The sentence for the person stands under the
 * code's own name in each catalogue of `words/`; `docs/errors.md` is made from both. A new code is added here first.
 */
export interface ErrorEntry {
  /** Whether doing the same again may help. */
  retry: boolean;
  /** The room or file that raises it. */
  raised: string;
  /** The process's exit code where this ends a command (see sysexits.h for the numbers' usual meaning). */
  exit?: number;
  /** Where this ends a daemon: whether starting it again, with nobody having done anything, may help. */
  restart?: boolean;
}

const table = {
  E_OWNER_ONLY: { retry: false, raised: "discord/authorize" },
  E_NOT_IN_MANAGED_THREAD: { retry: false, raised: "discord/commands" },
  E_PROJECT_NOT_FOUND: { retry: false, raised: "core/project" },
  E_PROJECT_EXISTS: { retry: false, raised: "core/project" },
  E_INVALID_PATH: { retry: false, raised: "core/project" },
  E_INVALID_TOOLSET: { retry: false, raised: "core/project" },
  E_TOOL_NOT_ENABLED: { retry: false, raised: "core/session" },
  E_SESSION_NOT_FOUND: { retry: false, raised: "core/session", exit: 66 },
  E_THREAD_ACCESS_FAILED: { retry: true, raised: "discord" },
  E_QUEUE_FULL: { retry: true, raised: "core/job" },
  E_JOB_NOT_RETRYABLE: { retry: false, raised: "core/job" },
  E_CLI_TIMEOUT: { retry: true, raised: "agents/runner" },
  E_CLI_EXIT_NONZERO: { retry: true, raised: "agents" },
  E_ADAPTER_PARSE: { retry: true, raised: "agents" },
  E_ADAPTER_MISSING_RESULT: { retry: true, raised: "agents" },
  E_ADAPTER_SESSION_KEY_MISSING: { retry: true, raised: "agents" },
  E_DISCORD_RATE_LIMIT: { retry: true, raised: "discord/outbox" },
  E_AGENT_START_FAILED: { retry: true, raised: "agents" },
  E_AGENT_SILENT: { retry: true, raised: "agents/runner" },
  E_NO_ACTIVE_SESSION: { retry: false, raised: "discord/commands" },
  E_SESSION_CLOSED: { retry: false, raised: "core/session" },
  E_MODEL_UNAVAILABLE: { retry: false, raised: "agents" },
  E_DECISION_CLOSED: { retry: false, raised: "core/decision" },
  E_ATTACHMENT_REFUSED: { retry: false, raised: "discord/inbox" },
  E_JOURNAL_CORRUPT: { retry: false, raised: "journal/reader", exit: 65, restart: false },
  E_JOURNAL_WRITE: { retry: false, raised: "journal/writer", exit: 74, restart: true },
  E_CONFIG_INVALID: { retry: false, raised: "config", exit: 78, restart: false },
  E_DAEMON_RUNNING: { retry: false, raised: "journal/lock", exit: 75, restart: false },
  E_WORKTREE_DIRTY: { retry: false, raised: "host/git" },
  E_TOKEN_REFUSED: { retry: false, raised: "discord/gateway", exit: 77, restart: false },
  E_INTENT_REFUSED: { retry: false, raised: "discord/gateway", exit: 76, restart: false },
  E_GATEWAY_REFUSED: { retry: false, raised: "discord/gateway", exit: 72, restart: false },
  E_EMPTY_PROMPT: { retry: false, raised: "core/job" },
  E_PROMPT_TOO_LONG: { retry: false, raised: "core/job" },
  E_INVALID_NAME: { retry: false, raised: "core/project" },
  E_NOT_IN_TEXT_CHANNEL: { retry: false, raised: "discord/commands" },
  E_RESUME_UNKNOWN: { retry: true, raised: "agents" },
  E_ARGUMENT_REFUSED: { retry: false, raised: "agents" },
  E_USAGE_LIMIT: { retry: true, raised: "agents" },
  E_NO_DAEMON: { retry: true, raised: "link/call", exit: 69 },
  E_LINK_REFUSED: { retry: false, raised: "link", exit: 71 },
  E_METHOD_UNKNOWN: { retry: false, raised: "link", exit: 71 },
  E_JOB_NOT_FOUND: { retry: false, raised: "cli, link", exit: 66 },
  E_UNIT_FOREIGN: { retry: false, raised: "cli/unit", exit: 73 },
  E_SERVICE_REFUSED: { retry: false, raised: "cli/unit", exit: 73 },
  E_INTERNAL: { retry: true, raised: "anywhere", exit: 70, restart: true },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof table;
export const errors: Record<ErrorCode, ErrorEntry> = table;

/** Details that go into the sentence and the log; never a secret, never a stack. */
export type ErrorDetails = Record<string, string | number | boolean>;

/** A failure with a code. Thrown only at a boundary of trust; a face turns it into a sentence once. */
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

/** The code of any thrown value; what we did not foresee is `E_INTERNAL`. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof BellhopError ? error.code : "E_INTERNAL";
}
