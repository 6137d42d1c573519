/**
 * A run: what running a job leaves behind beside seed B's record of it, its process, tools, usage and the way its
 * crash was settled. One run per job that was ever started; it leaves the live state together with its job.
 */
import type { ErrorDetails } from "../base/errors.ts";
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
}

/** What running a job left behind, beside seed B's record of it. */
export interface Run {
  pid: number | null;
  /** The process's start time in the kernel's ticks: with the pid it names one process for ever. */
  start_time: string | null;
  model: string | null;
  usage: Usage | null;
  /** Tools that had finished, oldest first, the last 50. */
  tools: { name: string; title: string; ok: boolean }[];
  /** Hex digest of `results/<job_id>.md`, once the answer is there. */
  result_sha256: string | null;
  error_details: ErrorDetails;
  /** The job of the crash this one follows: its agent is told that it was interrupted. */
  after_crash_of: string | null;
  /** The job that runs this one's prompt again. */
  retried_by: string | null;
  /** How the owner let the queue go on after this one's crash. */
  settled: "retry" | "discard" | "message" | null;
}

/** One fact learnt while a job runs. */
export type Progress =
  | { kind: "process"; pid: number; start_time: string }
  /** An empty `adapter_state`: the agent no longer knows the conversation; the next job begins a new one. */
  | { kind: "session_key"; adapter_state: Record<string, string> }
  | { kind: "tool"; name: string; title: string; ok: boolean }
  /** The process and all it held of ours are gone: the thread is free. */
  | { kind: "gone" };

const KEPT_TOOLS = 50;

export interface Runs {
  jobs: Record<string, { tool: string }>;
  runs: Record<string, Run>;
  /** For each thread: session keys of the tools that are not its current one. */
  parked: Record<string, Record<string, Record<string, string>>>;
}

export function newRun(afterCrashOf: string | null): Run {
  return {
    pid: null,
    start_time: null,
    model: null,
    usage: null,
    tools: [],
    result_sha256: null,
    error_details: {},
    after_crash_of: afterCrashOf,
    retried_by: null,
    settled: null,
  };
}

export function evolveProgress(
  state: Runs,
  session: Session,
  thread: Thread,
  payload: { job_id: string } & Progress,
): void {
  if (payload.kind === "gone") {
    if (thread.busy_job === payload.job_id) thread.busy_job = null;
    return;
  }
  const job = state.jobs[payload.job_id];
  const run = state.runs[payload.job_id];
  if (!job || !run) return;
  switch (payload.kind) {
    case "process":
      run.pid = payload.pid;
      run.start_time = payload.start_time;
      return;
    case "tool":
      run.tools.push({ name: payload.name, title: payload.title, ok: payload.ok });
      if (run.tools.length > KEPT_TOOLS) run.tools.shift();
      return;
    case "session_key":
      learn(state, session, job.tool, payload.adapter_state);
  }
}

/** The key belongs to the job's tool, which `/tool` may have made another than the session's by now. */
function learn(state: Runs, session: Session, tool: string, key: Record<string, string>): void {
  const name = keyName(tool);
  const kept = key[name] === undefined ? {} : { [name]: key[name] };
  if (tool === session.tool) session.adapter_state = kept;
  else (state.parked[session.thread_id] ??= {})[tool] = kept;
}
