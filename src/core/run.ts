/**
 * A run: what waiting for and running a job leaves behind beside seed B's record of it: its files, its process,
 * tools, usage, what it changed, and the way its crash was settled. One run per job; both leave the live state together.
 */
import type { ErrorDetails } from "../base/errors.ts";
import { copyCheckout, type Checkout } from "./checkout.ts";
import { keyName, type Session } from "./session.ts";
import type { Thread } from "./thread.ts";

/** What an agent says it used; whatever it does not say is absent. Times in milliseconds, cost in US dollars. */
export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cost_usd?: number;
  duration_ms?: number;
  context_used?: number;
  context_size?: number;
  /** The whole conversation's tokens until now, of an agent that counts so: its next run is told them. */
  conversation_input?: number;
  conversation_cached?: number;
  conversation_output?: number;
}

/** What differs in the working directory since the job began; `patch`: hex digest of `results/<job_id>.patch`. */
export interface Changes {
  files: number;
  added: number;
  removed: number;
  patch: string | null;
}

/** Whether the agent is given the prompt, or told to go on with what it was interrupted in. */
export type Mode = "prompt" | "continue";

export interface Run {
  /** Absolute paths of the files that came with the message. */
  files: string[];
  mode: Mode;
  /** Its prompt was replaced while it waited. */
  edited: boolean;
  /** It was no job: its message answered what was asked above it. */
  was_answer: boolean;
  /** The owner wants it stopped; its agent may still be at it. */
  cancelling: boolean;
  /** What its writer has been told of once: `edited`, `deleted`, or why an edit was not taken. */
  noted: string[];
  pid: number | null;
  /** The process's start time in the kernel's ticks: with the pid it names one process for ever. */
  start_time: string | null;
  /** As it was when the job began. */
  checkout: Checkout | null;
  model: string | null;
  usage: Usage | null;
  /** Tools that had finished, oldest first, the last 50. */
  tools: { name: string; title: string; ok: boolean }[];
  /** Names of tools that were not allowed, oldest first, the last 50. */
  denied: string[];
  changes: Changes | null;
  /** `git diff --stat` of the same, capped. */
  stat: string | null;
  /** Hex digest of `results/<job_id>.md`, once the answer is there. */
  result_sha256: string | null;
  error_details: ErrorDetails;
  /** The job of the crash this one follows: its agent is told that it was interrupted. */
  after_crash_of: string | null;
  /** The job that runs this one's prompt again, or continues it. */
  retried_by: string | null;
  /** How the owner let the queue go on after this one's crash. */
  settled: "retry" | "continue" | "discard" | "message" | null;
}

/** One fact learnt of a job that has begun. */
export type Progress =
  | { kind: "process"; pid: number; start_time: string }
  /** An empty `adapter_state`: the agent no longer knows the conversation; the next job begins a new one. */
  | { kind: "session_key"; adapter_state: Record<string, string> }
  | { kind: "tool"; name: string; title: string; ok: boolean }
  /** A tool was not allowed. */
  | { kind: "denied"; name: string }
  /** The working directory as the job found it. */
  | { kind: "checkout"; checkout: Checkout }
  /** The working directory as the job left it: what the session's next job is compared with. */
  | { kind: "checkout_end"; checkout: Checkout }
  /** What the job changed; also learnt after its end, and after a crash. */
  | { kind: "changes"; changes: Changes; stat: string | null }
  /** The process and all it held of ours are gone: the thread is free. */
  | { kind: "gone" };

const KEPT_TOOLS = 50;

export interface Runs {
  jobs: Record<string, { tool: string }>;
  runs: Record<string, Run>;
  /** For each thread: session keys of the tools that are not its current one. */
  parked: Record<string, Record<string, Record<string, string>>>;
}

export function newRun(files: readonly string[] = [], mode: Mode = "prompt"): Run {
  return {
    files: [...files],
    mode,
    edited: false,
    was_answer: false,
    noted: [],
    changes: null,
    stat: null,
    result_sha256: null,
    error_details: {},
    retried_by: null,
    settled: null,
    ...unbegun(),
  };
}

/** A start of its agent leaves nothing of an earlier one: a job that was put back had done nothing. */
export function begin(run: Run, afterCrashOf: string | null): void {
  Object.assign(run, unbegun(), { after_crash_of: afterCrashOf });
}

function unbegun(): Pick<
  Run,
  "cancelling" | "pid" | "start_time" | "checkout" | "model" | "usage" | "tools" | "denied" | "after_crash_of"
> {
  return {
    cancelling: false,
    pid: null,
    start_time: null,
    checkout: null,
    model: null,
    usage: null,
    tools: [],
    denied: [],
    after_crash_of: null,
  };
}

export function evolveProgress(
  state: Runs,
  session: Session,
  thread: Thread,
  payload: { job_id: string } & Progress,
): void {
  const job = state.jobs[payload.job_id];
  const run = state.runs[payload.job_id];
  switch (payload.kind) {
    case "gone":
      if (thread.busy_job === payload.job_id) thread.busy_job = null;
      return;
    case "checkout_end":
      if (job && job.tool !== session.tool) (thread.checkouts ??= {})[job.tool] = copyCheckout(payload.checkout);
      else thread.checkout = copyCheckout(payload.checkout);
      return;
    case "session_key":
      if (job) learn(state, session, job.tool, payload.adapter_state);
      return;
    default:
      if (run) noteRun(run, payload);
  }
}

function noteRun(run: Run, fact: Exclude<Progress, { kind: "gone" | "checkout_end" | "session_key" }>): void {
  switch (fact.kind) {
    case "process":
      run.pid = fact.pid;
      run.start_time = fact.start_time;
      return;
    case "tool":
      run.tools.push({ name: fact.name, title: fact.title, ok: fact.ok });
      if (run.tools.length > KEPT_TOOLS) run.tools.shift();
      return;
    case "denied":
      run.denied.push(fact.name);
      if (run.denied.length > KEPT_TOOLS) run.denied.shift();
      return;
    case "checkout":
      run.checkout = copyCheckout(fact.checkout);
      return;
    case "changes":
      run.changes = { ...fact.changes };
      run.stat = fact.stat;
  }
}

/** The key belongs to the job's tool, which `/tool` may have made another than the session's by now. */
function learn(state: Runs, session: Session, tool: string, key: Record<string, string>): void {
  const name = keyName(tool);
  const kept = key[name] === undefined ? {} : { [name]: key[name] };
  if (tool === session.tool) session.adapter_state = kept;
  else (state.parked[session.thread_id] ??= {})[tool] = kept;
}
