/**
 * A run: the data of waiting for and running a job that is not in the job's own record: its files, process, tools,
 * usage, changes, and how its crash was settled. One run per job; both leave the live state together.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { copyCheckout, type Checkout } from "../projects/checkout.ts";
import { jobOrTurn } from "./job-or-turn.ts";
import type { LargePicture } from "./pictures.ts";
import type { Session } from "../sessions/session.ts";
import type { NextConversation } from "../sessions/settings.ts";
import type { Thread } from "../sessions/thread.ts";
import type { State } from "../state.ts";

/**
 * Usage as the agent reports it; what it does not report is absent. Times in milliseconds; `cost_` and a currency: what
 * it cost.
 */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  duration_ms?: number;
  context_used?: number;
  context_size?: number;
  /** A tool's own counters, given to the conversation's next turn as they are. */
  [counter: string]: number;
}

/** What has changed in the working directory since the job began; `patch`: hex digest of `results/<job_id>.patch`. */
export interface Changes {
  files: number;
  added: number;
  removed: number;
  patch: string | null;
  /** Other threads whose agents worked there at the same time: what changed may be theirs too. Absent: none. */
  beside?: string[];
}

/**
 * At the end of a run: how much of a budget is used; or that a budget does not count it, because its agent does not tell
 * that unit, but another currency (`tells`) or none.
 */
export type BudgetNote =
  | { kind: "used"; of: "session" | "day"; unit: string; used: number; limit: number }
  | { kind: "uncounted"; unit: string; tells: string | null };

export interface LeftOut {
  why: "long" | "deep";
  bytes: number;
}

/** A file that came with a message, as it was when it arrived. */
export interface UploadedFile {
  /** Absolute. */
  path: string;
  /** Hex digest of its content. */
  sha256: string;
  /** A picture that not every agent can be given as it is. Absent: it is none. */
  large?: LargePicture;
}

/** A message that the owner's message points at: its agent is given it as data beside his words. */
export interface Quote {
  /** He replies to it, or has forwarded it; `starter`: his thread was opened on it. */
  how: "reply" | "forward" | "starter";
  /** Its id; that of the message that forwards it; null: nobody says. */
  message_id: string | null;
  /** What stands before and after its text in the prompt; nobody who wrote the text can know it. */
  mark: string;
  whose: "owner" | "bellhop" | "other" | "unknown";
  /** Its author's name; null: nobody says. */
  author: string | null;
  /** When it was written, ISO 8601; null: nobody says. */
  at: string | null;
  /** Its beginning, at most `QUOTE_CHARS` long. */
  text: string;
  /** How many characters of it are left out. */
  left_out: number;
  /** It was deleted, or Discord did not show it. Absent: it is here. */
  missing?: "deleted" | "unread";
  /** Files of the owner's or of Bellhop's that came with it. */
  files: UploadedFile[];
  /** The names of other files that came with it. */
  named: string[];
}

export const QUOTE_CHARS = 1_500;

/** Whether the agent is given the prompt, or told to continue what was interrupted. */
export type RunMode = "prompt" | "continue";

export interface Run {
  /** The files that came with the message. */
  files: UploadedFile[];
  /** What its message points at. Absent: nothing. */
  quotes?: Quote[];
  mode: RunMode;
  /** Its prompt was replaced while it was queued. */
  edited: boolean;
  /** It was no job: its message was meant for the decision above it, and answered it or was not understood. */
  heard_as: "answer" | "unclear" | null;
  /** The owner has cancelled it; its agent may still be running. */
  cancelling: boolean;
  /** He has taken what it had said as its answer. Absent: he has not. */
  finishes?: true;
  /** What its author has been told once: `edited`, `deleted`, or why an edit was refused. */
  noted: string[];
  /** What its agent may do without asking since before it began. Absent: nothing new. */
  allowed?: string[];
  /** How many of its requests its owner's rules have settled. Absent: none. */
  by_rules?: { allowed: number; denied: number };
  /** What its owner has had cleared from the prompt box for it. Absent: nothing. */
  drafts?: string[];
  /**
   * The job in whose turn, or the outside turn in which its message is, or was to be: while the job is queued it is
   * being sent. Absent: it was not sent into any.
   */
  sent_into?: string;
  /** Its agent's last start, and what it did since. Null: it was never started. */
  begun: BegunRun | null;
  /** Null: it is not over, or its agent did not end by itself. */
  concluded: Concluded | null;
  /** What it changed, once that was looked for. `unmeasured`: that took too long. */
  changes: FoundChanges | "unmeasured" | null;
  /** Hex digest of `results/<job_id>.md`, once the answer is there; null also if it could not be written there. */
  result_sha256: string | null;
  /** Files that its agent sent or could not send, in order. Absent: none. */
  attachments?: { name: string; why: string | null }[];
  /** The job that runs this one's prompt again, or continues it. */
  retried_by: string | null;
  /** What its end says of budgets. Absent: nothing. */
  budget?: BudgetNote[];
  /** How the owner released the queue after this one's crash. */
  settled: "retry" | "continue" | "discard" | "message" | null;
}

/** What there is of a run only once its agent was started. A new start begins with none of it. */
export interface BegunRun {
  /** The crashed job that this one follows: its agent is told that it was interrupted. */
  after_crash_of: string | null;
  process: AgentProcess | null;
  /** As it was when the job began. */
  checkout: Checkout | null;
  /** Its agent acted before `checkout` was there, so the changes may lack the first. Absent: it did not. */
  looked_late?: true;
  /** Finished tools, oldest first, the last 50. */
  tools: FinishedTool[];
  /** Names of denied tools, oldest first, the last 50. */
  denied: string[];
  /** It could only read, unless its own configuration allowed more; absent: it could write, or asked. */
  access?: "reads";
  /** The mode into which its agent went last, while it was at the job. Absent: into none. */
  changed_mode?: string;
  /** The first refused line of its agent's output: too long, or nested too deeply. Absent: none. */
  left_out?: LeftOut;
  /** Why its answer ends before all was said. Absent: it does not. */
  ended_early?: EndedEarly;
  /** What its owner wants of its conversation before its prompt. Absent: nothing. */
  conversation?: NextConversation;
  /** Its conversation was made shorter. Absent: it was not, or its agent does not say. */
  compacted?: Compacted;
  /** A new conversation was begun in its turn. Absent: none was. */
  renewed?: true;
  /** What its owner should know of how it asks, the last of each kind. Absent: nothing. */
  warnings?: Warning[];
  /** What its agent has told so far of what it uses, by unit. Absent: nothing that counts for a budget. */
  used?: Readonly<Record<string, number>>;
}

/** The agent left the mode in which it asks for `mode`, and was set back; or nobody knows whether it asks in `mode`. */
export interface Warning {
  code: "mode_set_back" | "unknown_agent";
  mode: string;
}

/** The tokens of a conversation before and after it was made shorter; null where its agent does not tell. */
export interface Compacted {
  before: number | null;
  after: number | null;
}

/** The process that works, or worked, at a run. */
export interface AgentProcess {
  pid: number;
  /** In kernel ticks: with the pid it identifies exactly one process. */
  start_time: string;
  /** What the agent calls this turn; absent: nothing. */
  prompt_id?: string;
  /** It can be spoken to while it is at the job. Absent: it cannot. */
  steers?: true;
}

export interface FinishedTool {
  name: string;
  title: string;
  ok: boolean;
}

/** What was reported at the end of a run that its agent ended, well or not. */
export interface Concluded {
  model: string | null;
  usage: Usage | null;
  error_details: ErrorDetails;
}

/** `stat`: `git diff --stat` of the changes, capped. */
export type FoundChanges = Changes & { stat: string | null };

/** The model refused, or was stopped by its limit for one answer or by the agent's for one turn. */
export type EndedEarly = "refusal" | "max_tokens" | "max_turn_requests";

/** One fact reported about a job that has begun. */
export type Progress =
  /**
   * `prompt_id`: what the agent calls this turn; `steers`: it can be spoken to while it is at the job; absent: it
   * cannot.
   */
  | { kind: "process"; pid: number; start_time: string; prompt_id?: string; steers?: true }
  /** An empty `adapter_state`: the agent no longer has the conversation; the next job begins a new one. */
  | { kind: "session_key"; adapter_state: Record<string, string> }
  | ({ kind: "tool" } & FinishedTool)
  /** A tool was denied. */
  | { kind: "denied"; name: string }
  /** The working directory as the job found it. */
  | {
      kind: "checkout";
      checkout: Checkout;
      /** Its agent worked already: a change may be older. Absent: it did not. */ late?: true;
    }
  /** The working directory as the job left it; the session's next job is compared with it. */
  | { kind: "checkout_end"; checkout: Checkout }
  /** What the job changed; may also come after its end, and after a crash. */
  | { kind: "changes"; changes: Changes; stat: string | null }
  /** What the job changed is not known, because finding it took too long. */
  | { kind: "unmeasured" }
  /** The agent may only read in its project, unless its own configuration allows more. */
  | { kind: "access"; access: "reads" }
  /** A line of its output was refused: too long, or nested too deeply. */
  | ({ kind: "left_out" } & LeftOut)
  /** Its answer ends before all was said. */
  | { kind: "ended_early"; why: EndedEarly }
  | ({ kind: "compacted" } & Compacted)
  | { kind: "renewed" }
  | ({ kind: "warned" } & Warning)
  /** What it has used so far, by unit: told where a budget counts it. */
  | { kind: "used"; amounts: Record<string, number> }
  /** What it had said when it was interrupted: the beginning, and the digest of `results/<job_id>.md`. */
  | { kind: "said"; result_excerpt: string; result_sha256: string }
  /** A file that its agent sends; `why` null: it is kept as `results/<job_id>.file-<place>`, else why it is not. */
  | { kind: "attachment"; name: string; why: string | null }
  /** The process and everything it held of ours are gone: the thread is free. */
  | { kind: "gone" };

const KEPT_TOOLS = 50;

export function newRun(
  files: readonly UploadedFile[] = [],
  mode: RunMode = "prompt",
  quotes: readonly Quote[] = [],
): Run {
  return {
    files: structuredClone([...files]),
    ...(quotes.length > 0 && { quotes: structuredClone([...quotes]) }),
    mode,
    edited: false,
    heard_as: null,
    cancelling: false,
    noted: [],
    begun: null,
    concluded: null,
    changes: null,
    result_sha256: null,
    retried_by: null,
    settled: null,
  };
}

export function newBegun(after_crash_of: string | null = null): BegunRun {
  return { after_crash_of, process: null, checkout: null, tools: [], denied: [] };
}

export function runProcess(run: Run | undefined): AgentProcess | null {
  return run?.begun?.process ?? null;
}

/** What it changed, as far as that is known. */
export function changesOf(run: Run | undefined): FoundChanges | null {
  return run === undefined || run.changes === "unmeasured" ? null : run.changes;
}

/** How many of its tools have finished or were denied. */
export function countTools(run: Run | undefined): number {
  return (run?.begun?.tools.length ?? 0) + (run?.begun?.denied.length ?? 0);
}

/** Whether its message is being sent into a running turn: the agent may have it, or not. */
export function isUnderWay(
  { jobs, runs }: { jobs: Record<string, { state: string }>; runs: Record<string, Run> },
  jobId: string,
): boolean {
  return jobs[jobId]?.state === "queued" && runs[jobId]?.sent_into !== undefined;
}

/** Whether its owner has taken back a message that is being sent: he has cancelled its job, or deleted it. */
export function isTakenBack(run: Run | undefined): boolean {
  return run !== undefined && (run.cancelling || run.noted.includes("deleted"));
}

/** Puts a job at the front of its queue, behind those that are being sent. */
export function putFirst(state: Parameters<typeof isUnderWay>[0], session: Session, jobId: string): void {
  const others = session.queue.filter((id) => id !== jobId);
  const sent = others.filter((id) => isUnderWay(state, id));
  session.queue = [...sent, jobId, ...others.filter((id) => !sent.includes(id))];
}

/** A new start of its agent clears what an earlier one left: a job that was put back had done nothing. */
export function begin(run: Run, afterCrashOf: string | null, conversation: NextConversation | undefined): void {
  // It was taken back too late: its agent had already begun with it by itself.
  run.cancelling &&= run.sent_into !== undefined;
  delete run.finishes;
  delete run.sent_into;
  run.begun = { ...newBegun(afterCrashOf), ...(conversation && { conversation }) };
}

/**
 * Whether the state already contains this fact, so that it needs no line in the journal: a job usually goes on in the
 * conversation of the job before it and leaves the checkout as that one did, and a process may be reported twice.
 */
export function isKnown(
  state: State,
  { session, thread }: { session: Session; thread: Thread | undefined },
  id: string,
  fact: Progress,
): boolean {
  const job = state.jobs[id];
  const tool = jobOrTurn(state, id)?.tool ?? "";
  switch (fact.kind) {
    case "process": {
      const known = runProcess(state.runs[id]);
      return (
        known?.pid === fact.pid &&
        known.start_time === fact.start_time &&
        (fact.prompt_id ?? known.prompt_id) === known.prompt_id &&
        (fact.steers ?? known.steers) === known.steers
      );
    }
    case "session_key": {
      const known = tool === session.tool ? session.adapter_state : state.parked[session.thread_id]?.[tool];
      return JSON.stringify(known) === JSON.stringify(keyIn(fact.adapter_state));
    }
    case "used":
      return JSON.stringify(state.runs[id]?.begun?.used) === JSON.stringify(fact.amounts);
    case "checkout_end": {
      const known = job && job.tool !== session.tool ? thread?.checkouts?.[job.tool] : thread?.checkout;
      return JSON.stringify(known) === JSON.stringify(copyCheckout(fact.checkout));
    }
    default:
      return false;
  }
}

export function evolveProgress(
  state: State,
  session: Session,
  thread: Thread,
  payload: { job_id: string } & Progress,
): void {
  const job = state.jobs[payload.job_id];
  const run = state.runs[payload.job_id];
  const tool = jobOrTurn(state, payload.job_id)?.tool;
  switch (payload.kind) {
    case "gone":
      if (thread.busy_job === payload.job_id) thread.busy_job = null;
      return;
    case "checkout_end":
      if (job && job.tool !== session.tool) (thread.checkouts ??= {})[job.tool] = copyCheckout(payload.checkout);
      else thread.checkout = copyCheckout(payload.checkout);
      return;
    case "session_key":
      if (tool !== undefined) learn(state, session, tool, payload.adapter_state);
      return;
    case "said":
      if (job) job.result_excerpt = payload.result_excerpt;
      if (run) run.result_sha256 = payload.result_sha256;
      return;
    default:
      if (run) noteRun(run, payload);
  }
}

function noteRun(run: Run, fact: Exclude<Progress, { kind: "gone" | "checkout_end" | "session_key" | "said" }>): void {
  switch (fact.kind) {
    case "attachment":
      (run.attachments ??= []).push({ name: fact.name, why: fact.why });
      return;
    case "unmeasured":
      run.changes ??= "unmeasured";
      return;
    case "changes":
      run.changes = { ...structuredClone(fact.changes), stat: fact.stat };
      return;
    default:
      if (run.begun) noteBegun(run.begun, fact);
  }
}

function noteBegun(
  begun: BegunRun,
  fact: Extract<
    Progress,
    {
      kind:
        | "process"
        | "tool"
        | "denied"
        | "checkout"
        | "access"
        | "left_out"
        | "ended_early"
        | "compacted"
        | "renewed"
        | "warned"
        | "used";
    }
  >,
): void {
  switch (fact.kind) {
    case "process": {
      const { pid, start_time, prompt_id, steers } = fact;
      begun.process = {
        ...begun.process,
        pid,
        start_time,
        ...(prompt_id !== undefined && { prompt_id }),
        ...(steers && { steers }),
      };
      return;
    }
    case "tool":
      begun.tools.push({ name: fact.name, title: fact.title, ok: fact.ok });
      if (begun.tools.length > KEPT_TOOLS) begun.tools.shift();
      return;
    case "denied":
      begun.denied.push(fact.name);
      if (begun.denied.length > KEPT_TOOLS) begun.denied.shift();
      return;
    case "checkout":
      begun.checkout = copyCheckout(fact.checkout);
      if (fact.late) begun.looked_late = true;
      return;
    case "access":
      begun.access = fact.access;
      return;
    case "left_out":
      begun.left_out = { why: fact.why, bytes: fact.bytes };
      return;
    case "ended_early":
      begun.ended_early = fact.why;
      return;
    case "warned": {
      const { code, mode } = fact;
      begun.warnings = [...(begun.warnings ?? []).filter((one) => one.code !== code), { code, mode }];
      return;
    }
    case "used":
      begun.used = { ...fact.amounts };
      return;
    case "compacted":
      begun.compacted = { before: fact.before, after: fact.after };
      return;
    case "renewed":
      begun.renewed = true;
  }
}

/** The key belongs to the job's tool; `/tool` may have changed the session's tool by now. */
function learn(state: State, session: Session, tool: string, key: Record<string, string>): void {
  const kept = keyIn(key);
  if (tool === session.tool) session.adapter_state = kept;
  else (state.parked[session.thread_id] ??= {})[tool] = kept;
}

/** The one key that is kept. */
function keyIn(key: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(key).slice(0, 1));
}
