/**
 * The contract with agents: one union of everything that any agent can report, with nothing named after a vendor. A
 * turn is an ordered stream of these updates that closes with exactly one `end`; nothing follows it. The runner, the
 * views and the decisions know agents only through these types.
 *
 * Three rules hold for every driver:
 * - the `text` deltas of a turn, joined, are exactly the `result` of its `done`: the answer contains all that was
 *   streamed and nothing else;
 * - `session_key` is never the key of a session that could not be resumed;
 * - an unexpected message is counted in the job's log, and is never an error by itself.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import type { EndedEarly } from "../../core/jobs/run.ts";
import type { ModeBy } from "../../core/sessions/modes.ts";
import type { AnswerFormat } from "../../core/decisions/answers/wanted.ts";
import type { Cost } from "../../core/jobs/cost.ts";

export type Update =
  | SessionKeyLearnt
  | TextDelta
  | ThoughtDelta
  | ToolStarted
  | ToolFinished
  | PlanShown
  | UsageTold
  | DecisionRequest
  | RequestWithdrawn
  | NoticeGiven
  | ModeTold
  | LineLeftOut
  | EarlyEnd
  | ConversationCompacted
  | ConversationRenewed
  | ToolDenied
  | TurnEnded;

/** The agent asks its owner to decide. */
export type DecisionRequest = QuestionAsked | PermissionAsked | PlanApprovalAsked;

/** The key that resumes this conversation. It may be repeated and may change within a turn: the last one counts. */
export interface SessionKeyLearnt {
  kind: "session_key";
  key: string;
}

/** More of what the agent thinks; it is no part of the answer. */
export interface ThoughtDelta {
  kind: "thought";
  delta: string;
}

/** More of the answer. The deltas include the separators between two blocks of text. */
export interface TextDelta {
  kind: "text";
  delta: string;
}

/** A tool starts. `title` is one line for people, `input` the structured request as the agent made it. */
export interface ToolStarted {
  kind: "tool_started";
  id: string;
  name: string;
  title: string;
  input: Record<string, unknown>;
}

/** A started tool has finished. `summary` is the start of its output, at most 400 characters. */
export interface ToolFinished {
  kind: "tool_finished";
  id: string;
  ok: boolean;
  summary: string;
}

/** The agent's own to-do list, complete each time. */
export interface PlanShown {
  kind: "plan";
  entries: { text: string; state: "pending" | "active" | "done" }[];
}

/** Tokens, money and time of this turn so far; each field only if the agent reports it, and its last value counts. */
export interface UsageTold {
  kind: "usage";
  usage: TurnUsage;
}

export interface TurnUsage {
  /** Tokens sent that did not come from a cache. */
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWritten?: number;
  cost?: Cost;
  model?: string;
  /** Tokens in the model's context after the last exchange, and the context's capacity. */
  contextUsed?: number;
  contextSize?: number;
  durationMs?: number;
  /** Counters that only this tool reads. Kept as they are, given to the conversation's next turn, never shown. */
  counters?: Readonly<Record<string, number>>;
}

interface RequestBase {
  /** Which subagent asks, or which server of its tools, in the agent's words; absent: the agent itself. */
  subagent?: string;
  /** It was asked under this id in the turn before, whose end has named it; absent: it is new. */
  handedOver?: true;
  /**
   * The bytes of a request so long that only what it is about was read: it can only be refused. Absent: all of it was.
   */
  cut?: number;
}

/**
 * The agent asks the owner something and waits. `id` names the request in the answer, within the turn; no two of the
 * questions have the same text. `words`: the owner may answer in free text. `more`: the request's other fields, by
 * their position in it; absent if there are none.
 */
export interface QuestionAsked extends RequestBase {
  kind: "question";
  id: string;
  questions: {
    question: string;
    header: string;
    multiple: boolean;
    words: boolean;
    options: { label: string; description: string }[];
    /** The owner may skip it; absent: he may not. */
    optional?: true;
    /**
     * The two options are yes and no, or the only one is that the owner has seen to the page at `url`; absent: they
     * have their own words.
     */
    type?: "boolean" | "page";
    url?: string;
    /** What the answer has to be; absent: any. */
    wanted?: AnswerFormat;
    /** What the agent offers as the answer: places among the options, or words. */
    preset?: { places: number[]; words: string | null };
  }[];
  /**
   * It is a form: the owner may decline it, and sees all answers before they are sent; or a page, which he may decline
   * too. Absent: it is neither.
   */
  form?: true;
  more?: Record<string, unknown>;
}

/** What requests for a yes or a no have in common. */
interface Allowing extends RequestBase {
  /** True if the agent accepts no yes to exactly this: it can only be refused. */
  noYes?: true;
  /**
   * `call`: `input` is what the agent says of its call, of which the tool's own input is a part, and the agent hears no
   * reason beside a no; absent: it is the tool's own input.
   */
  shown?: "call";
}

/**
 * The agent asks to use a tool. `input` is what will run if allowed; `options` are the agent's own, if it has more than
 * yes and no.
 */
export interface PermissionAsked extends Allowing {
  kind: "permission";
  id: string;
  tool: string;
  title: string;
  input: Record<string, unknown>;
  /**
   * Absolute: where its command starts; null: that is not sure, so that no rule may allow it; absent: it has none, or its
   * agent never says.
   */
  cwd?: string | null;
  options: { id: string; label: string; kind: "allow_once" | "allow_always" | "reject_once" | "reject_always" }[];
}

/**
 * The agent shows a plan and waits for approval before it acts. `input`: all that comes with it, the plan itself under
 * `plan`.
 */
export interface PlanApprovalAsked extends Allowing {
  kind: "plan_approval";
  id: string;
  input: Record<string, unknown>;
}

/** The agent no longer wants an answer to the request with this `id`. */
export interface RequestWithdrawn {
  kind: "withdrawn";
  id: string;
}

/** The first line of output that was refused: too long, nested too deeply, or with too many values. */
export interface LineLeftOut {
  kind: "left_out";
  why: "long" | "deep";
  bytes: number;
}

/** The answer ends here although more was to come; it comes right before the end. */
export interface EarlyEnd {
  kind: "ended_early";
  why: EndedEarly;
}

/** The conversation was made shorter, in tokens; each null where the agent does not tell. */
export interface ConversationCompacted {
  kind: "compacted";
  before: number | null;
  after: number | null;
}

/** A new conversation was begun in its place: what follows belongs to that one. */
export interface ConversationRenewed {
  kind: "renewed";
}

/** Something worth reporting that is not a failure, such as a retry. `code` is ours, `text` the agent's own. */
export interface NoticeGiven {
  kind: "notice";
  code: NoticeCode;
  text: string;
}

/**
 * - `model_retry`: the model did not answer and is asked again
 * - `told`: the agent's own remark
 * - `form_declined`: it showed a form or a page that cannot be asked about; `text` is its message
 * - `unknown_agent`: nobody knows whether this agent asks before it acts; `text` is its mode
 * - `mode_set_back`: the agent left the mode in which it asks for the one in `text`, and was set back
 * - `mode_changed`: the agent is in the mode in `text` now
 * - `opens_later`: its conversation may be opened only then, and the prompt waits; `text` is the time in seconds since
 *   the epoch
 */
export type NoticeCode =
  | "model_retry"
  | "told"
  | "form_declined"
  | "unknown_agent"
  | "mode_set_back"
  | "mode_changed"
  | "opens_later";

/**
 * The mode in which the agent is now, and who chose it. `changed`: it went into it in this turn; absent: it begins in
 * it.
 */
export interface ModeTold {
  kind: "mode";
  mode: string;
  by: ModeBy;
  changed?: true;
}

/** A tool was not allowed to run. `reason` is in the agent's words, or empty. */
export interface ToolDenied {
  kind: "denied";
  tool: string;
  /** The `id` of its `tool_started`, if the agent names it. */
  id?: string;
  reason: string;
}

/**
 * The only end of the turn. It comes with the agent's own result, not with the exit of its process. `left`: the ids of
 * requests that wait on and are asked again in the next turn; absent: none.
 */
export type TurnEnded = { kind: "end"; left?: readonly string[] } & Outcome;

export type Outcome =
  /** The whole answer; empty if the agent had nothing to say. */
  { outcome: "done"; result: string } | FailedOutcome | { outcome: "cancelled" };

/**
 * `details.reason` is one line in the agent's words; `details.exit_code` and `details.status` (of the model's API)
 * are set if known. `details.resume` is "unknown" if the agent no longer knows the conversation it was to resume.
 * `details.temporary` is true only if the agent's own words leave no doubt that the same prompt may work soon
 * (overloaded, an error of the vendor's server, a broken connection); otherwise the key is absent. With the code
 * E_USAGE_LIMIT, `details.resets_at` is in milliseconds since the epoch, if the agent gives a certain time.
 * With E_TERMINAL_BUSY nothing was done: nothing can be typed in its window now; `details.terminal` is a
 * `TerminalReason`, `details.attach` the command that shows the window, `details.screen`, if set, what stands in it.
 * `details.tools` is "unknown" if the agent does not report which tools it ran, so that nobody can know whether
 * anything was done.
 */
export interface FailedOutcome {
  outcome: "failed";
  code: ErrorCode;
  details: ErrorDetails;
}
