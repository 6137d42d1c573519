/**
 * The contract with agents: one union of what any of them can tell us, and nothing in it named after a
 * vendor. A run is an ordered stream of these that closes with exactly one `end`; nothing follows it. The
 * runner, the view and the decisions know agents only by these words.
 *
 * Three laws hold for every driver:
 * - the `text` deltas of a run, joined, are exactly the `result` of its `done`: what was read while it
 *   streamed is never missing from the answer, and the answer holds nothing that was not streamed;
 * - `session_key` is never the key of a session that could not be resumed;
 * - a message nobody foresaw is counted in the job's log, and is never an error by itself.
 */
import type { ErrorCode, ErrorDetails } from "../base/errors.ts";

export type Update =
  | SessionKeyLearnt
  | TextDelta
  | ThoughtDelta
  | ToolStarted
  | ToolProgressed
  | ToolFinished
  | PlanShown
  | FileChanged
  | UsageTold
  | LimitReached
  | QuestionAsked
  | PermissionAsked
  | PlanApprovalAsked
  | RequestWithdrawn
  | NoticeGiven
  | ToolDenied
  | RunEnded;

/** The key to resume this conversation with. May come again, and may change within a run: the last one counts. */
export interface SessionKeyLearnt {
  kind: "session_key";
  key: string;
}

/** More of the answer. Separators between two blocks of text are part of the deltas. */
export interface TextDelta {
  kind: "text";
  delta: string;
}

/** More of what the agent thinks aloud; shown at most, never part of the answer. */
export interface ThoughtDelta {
  kind: "thought";
  delta: string;
}

/** A tool begins. `title` is one line for people, `input` the structured request as the agent made it. */
export interface ToolStarted {
  kind: "tool_started";
  id: string;
  name: string;
  title: string;
  input: Record<string, unknown>;
}

/** A started tool is still at it; `text` is what it reports, often nothing. */
export interface ToolProgressed {
  kind: "tool_progress";
  id: string;
  text: string;
}

/** A started tool is done. `summary` is the beginning of its output, at most 400 characters. */
export interface ToolFinished {
  kind: "tool_finished";
  id: string;
  ok: boolean;
  summary: string;
}

/** The agent's own list of what it means to do, whole each time. */
export interface PlanShown {
  kind: "plan";
  entries: { text: string; state: "pending" | "active" | "done" }[];
}

/** The agent says that it wrote this file. What really changed is read from the work tree, not from here. */
export interface FileChanged {
  kind: "file_change";
  path: string;
  change: "created" | "changed" | "removed";
}

/** Tokens, money and time of this run so far; each field only where the agent says it, and the last word on each counts. */
export interface UsageTold {
  kind: "usage";
  usage: Usage;
}

export interface Usage {
  /** Tokens sent that no cache answered. */
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWritten?: number;
  costUsd?: number;
  model?: string;
  /** Tokens in the model's context after the last exchange, and how many fit. */
  contextUsed?: number;
  contextSize?: number;
  durationMs?: number;
  /** For an agent that counts so: the whole conversation until now. Kept for the next run of it, never shown. */
  conversation?: ConversationUsage;
}

/** Tokens since a conversation began; `input` has the cached ones in it. */
export interface ConversationUsage {
  input: number;
  cached: number;
  output: number;
}

/** The vendor's usage limit stands in the way. `resetsAt` is milliseconds since the epoch, where told. */
export interface LimitReached {
  kind: "limit";
  resetsAt?: number;
}

/**
 * The agent asks its owner something and waits. `id` names the request in the answer, within the run; no two of the
 * questions have the same text. `words`: the owner may answer in his own words.
 */
export interface QuestionAsked {
  kind: "question";
  id: string;
  questions: {
    question: string;
    header: string;
    multiple: boolean;
    words: boolean;
    options: { label: string; description: string }[];
  }[];
}

/** The agent asks to use a tool. `input` is what will run if allowed; `options` the agent's own, where it has more than yes and no. */
export interface PermissionAsked {
  kind: "permission";
  id: string;
  tool: string;
  title: string;
  input: Record<string, unknown>;
  options: { id: string; label: string; kind: "allow_once" | "allow_always" | "reject_once" | "reject_always" }[];
}

/** The agent shows a plan and waits for a yes before it acts. */
export interface PlanApprovalAsked {
  kind: "plan_approval";
  id: string;
  plan: string;
}

/** The agent no longer wants what it asked under this `id`. */
export interface RequestWithdrawn {
  kind: "withdrawn";
  id: string;
}

/** Something worth telling that is no failure: a retry, output left out. `code` is ours, `text` the agent's own words. */
export interface NoticeGiven {
  kind: "notice";
  code: NoticeCode;
  text: string;
}

/**
 * - `model_retry`: the model did not answer and is asked again
 * - `oversized_line`: a line of output beyond the cap was left out
 * - `bad_lines`: output that could not be read was left out (it is in the job's log)
 * - `told`: the agent's own remark
 */
export type NoticeCode = "model_retry" | "oversized_line" | "bad_lines" | "told";

/** A tool was not allowed to run. `reason` is in the agent's words or empty. */
export interface ToolDenied {
  kind: "denied";
  tool: string;
  /** The `id` of its `tool_started`, where the agent names it. */
  id?: string;
  reason: string;
}

/** The run's only end. It comes with the agent's own result, not with the end of its process. */
export type RunEnded = { kind: "end" } & Outcome;

export type Outcome =
  /** The whole answer; empty where the agent had nothing to say. */
  | { outcome: "done"; result: string }
  /**
   * `details.reason` is one line in the agent's words; `details.exit_code` and `details.status` (of the model's
   * API) where they are known. `details.resume` is "unknown" where the agent no longer knows the conversation it
   * was to go on with. `details.temporary` is true only where the agent's own words leave no doubt that the same
   * prompt may work in a moment (overloaded, an error of the vendor's server, a broken connection); the key is
   * absent otherwise. With the code E_USAGE_LIMIT, which a `limit` update has come before, `details.resets_at` is
   * milliseconds since the epoch, where the agent says that for sure. `details.tools` is "unknown" where it does not
   * tell which tools it ran, so that nobody can know whether anything was done.
   */
  | { outcome: "failed"; code: ErrorCode; details: ErrorDetails }
  | { outcome: "cancelled" };
