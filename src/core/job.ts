/**
 * A job: one prompt of the owner in a session, from `queued` to its end. The record has exactly seed B's keys
 * (10.2); what else belongs to it is its `Run`. Here is what can happen to a job and what can be asked for; an ended
 * job is never changed, a retry is a new one.
 */
import type { ErrorCode, ErrorDetails } from "../base/errors.ts";
import { jobId } from "../base/ids.ts";
import type { UnparkedBy, Wait } from "./checkout.ts";
import type { Decision } from "./decision.ts";
import type { Grants } from "./grant.ts";
import type { Inbox, Letter } from "./inbox.ts";
import type { Posts } from "./post.ts";
import { begin, evolveProgress, newRun, type Mode, type Progress, type Run, type Runs, type Usage } from "./run.ts";
import type { Session } from "./session.ts";
import type { Change, Thread } from "./thread.ts";

export type JobState = "queued" | "running" | "success" | "failed" | "unknown_after_crash" | "cancelled";

export interface Job {
  job_id: string;
  thread_id: string;
  discord_message_id: string;
  state: JobState;
  prompt: string;
  attempt: number;
  tool: string;
  error_code: ErrorCode | null;
  error_message: string | null;
  started_at: string | null;
  finished_at: string | null;
  result_excerpt: string | null;
}

export type JobRef = { job_id: string; thread_id: string };

/** Who cancelled a job: the owner, by taking the message or the whole queue away; its agent by itself; or it was no job but an answer. */
export type CancelledBy = "owner" | "deleted" | "cleared" | "agent" | "answer";

/** Why a job that had done nothing went back to its queue. */
export type PutBackWhy = "checkout" | "limit";

/** What may happen to a job before its end. Fields marked absent are so in lines of earlier versions. */
export type JobEvent =
  | {
      type: "JobEnqueued";
      payload: JobRef & {
        discord_message_id: string;
        prompt: string;
        attempt: number;
        tool: string;
        retry_of: string | null;
        /** Before the others that wait, for a retry of what a crash interrupted. */
        first: boolean;
        /** Absolute paths; absent: none. */
        files?: string[];
        /** Absent: `prompt`. */
        mode?: Mode;
      };
    }
  | { type: "JobStarted"; payload: JobRef & { tool: string; after_crash_of: string | null } }
  | { type: "JobProgress"; payload: JobRef & Progress }
  | { type: "JobEdited"; payload: JobRef & { prompt: string } }
  | { type: "JobMoved"; payload: JobRef }
  | { type: "JobPutBack"; payload: JobRef & { why: PutBackWhy } }
  | { type: "JobCancelRequested"; payload: JobRef };

export type EndEvent =
  | {
      type: "JobCompleted";
      payload: JobRef & { result_excerpt: string; result_sha256: string; model: string | null; usage: Usage | null };
    }
  | {
      type: "JobFailed";
      payload: JobRef & {
        error_code: ErrorCode;
        error_message: string;
        error_details: ErrorDetails;
        /** What the agent had said until then, if anything; its full text is in the result file. */
        result_excerpt: string | null;
        result_sha256: string | null;
        model: string | null;
        usage: Usage | null;
      };
    }
  | { type: "JobCancelled"; payload: JobRef & { /** Absent: `agent`. */ by?: CancelledBy } }
  | { type: "JobMarkedUnknownAfterCrash"; payload: JobRef & { hold: boolean } };

/** What happens to a thread's queue as a whole. */
export type QueueEvent =
  | { type: "QueueResumed"; payload: JobRef & { by: NonNullable<Run["settled"]> } }
  | { type: "QueueStale"; payload: { thread_id: string } }
  | { type: "QueueChecked"; payload: { thread_id: string } }
  | { type: "SessionParked"; payload: JobRef & { wait: Wait } }
  | { type: "SessionUnparked"; payload: JobRef & { by: UnparkedBy } };

/** A message was changed too late (`code` null), or into something that is not taken; or it was taken back in time. */
export interface MessageNoted {
  type: "MessageNoted";
  payload: JobRef & { discord_message_id: string; change: Change; code: ErrorCode | null; details: ErrorDetails };
}

/** The owner's message as the door lets it in. */
export interface Heard {
  thread_id: string;
  discord_message_id: string;
  prompt: string;
  /** Absolute paths of the files that came with it and were taken. */
  files: string[];
  /** The others, with a word for why; their writer is told. */
  refused_files: { name: string; why: string }[];
  /** The message it replies to. */
  reply_to: string | null;
  /** The same message as the inbox keeps it, which may be all it is for. */
  from?: Letter;
}

export type HearCommand =
  | ({ type: "hear" } & Heard)
  /** The message says this now, or still. */
  | { type: "edit_message"; thread_id: string; discord_message_id: string; prompt: string }
  | { type: "delete_message"; thread_id: string; discord_message_id: string };

/** What an agent's run tells. */
export type RunCommand =
  | { type: "progress"; job_id: string; progress: Progress }
  | {
      type: "complete";
      job_id: string;
      result_excerpt: string;
      result_sha256: string;
      model: string | null;
      usage: Usage | null;
    }
  | {
      type: "fail";
      job_id: string;
      code: ErrorCode;
      details: ErrorDetails;
      result_excerpt: string | null;
      result_sha256: string | null;
      model: string | null;
      usage: Usage | null;
    }
  | { type: "cancelled"; job_id: string };

/** What the owner does with a job that a crash cut off, or that failed. */
export type ChoiceCommand =
  | { type: "retry"; job_id: string }
  /** Take up the conversation that a crash interrupted, as a new job. */
  | { type: "continue"; job_id: string }
  /** Let the queue go on without the job that a crash interrupted. */
  | { type: "discard"; job_id: string };

export type QueueCommand =
  /** Ends a job that waits; a running one's agent is to be stopped, and then it is cancelled. */
  | { type: "cancel_job"; job_id: string; by: CancelledBy }
  | { type: "clear_queue"; thread_id: string }
  /** To the front of its queue. */
  | { type: "move_first"; job_id: string }
  /** Every queued message of the thread was looked up again. */
  | { type: "queue_checked"; thread_id: string };

export type ParkCommand =
  /** A running job goes back to the front of its queue. Nothing happens to one that has run a tool: it has to end. */
  | { type: "put_back"; job_id: string; why: PutBackWhy }
  | { type: "park"; thread_id: string; job_id: string; wait: Wait }
  /** `job_id`: the one of the wait that is meant; for another, or none, or a wait that `by` cannot end, nothing happens. */
  | { type: "unpark"; thread_id: string; job_id: string; by: UnparkedBy };

/** The owner's rules, from config.json; they decide, they never evolve: what they led to is in the events. */
export interface Rules {
  max_queue_per_session: number;
  global_max_running: number;
  after_crash: "wait" | "go_on";
  max_prompt_chars: number;
}

export interface Jobs extends Inbox, Runs, Grants {
  jobs: Record<string, Job>;
  sessions: Record<string, Session>;
  posts: Posts;
  decisions: Record<string, Decision>;
  /** The last job id's day and number, and how many slots were ever given. */
  count: { day: string; jobs: number; turns: number };
}

export function ref(job: Job): JobRef {
  return { job_id: job.job_id, thread_id: job.thread_id };
}

export function nextJobId(state: Jobs, at: string): string {
  const day = at.slice(0, 10).replaceAll("-", "");
  // A wall clock that is set back gives no number a second time: it goes on in the later day.
  return day > state.count.day ? jobId(day, 1) : jobId(state.count.day, state.count.jobs + 1);
}

/** What a run has learnt, where it may still count: nothing of a job that waits, and nothing old over something newer. */
export function decideProgress(state: Jobs, { job_id, progress }: Extract<RunCommand, { type: "progress" }>): JobEvent[] {
  const job = state.jobs[job_id];
  const session = state.sessions[job?.thread_id ?? ""];
  if (!job || !session || !counts(state, session, job, progress)) return [];
  return [{ type: "JobProgress", payload: { ...ref(job), ...progress } }];
}

function counts(state: Jobs, session: Session, job: Job, progress: Progress): boolean {
  const busy = state.threads[job.thread_id]?.busy_job === job.job_id;
  // Not its state: one that was cancelled while it waited is no longer queued, and has never begun.
  const begun = job.started_at !== null;
  switch (progress.kind) {
    case "gone":
      return busy && job.state !== "running";
    case "changes":
      return begun;
    case "checkout_end":
      return begun && (session.running_job_id ?? session.last_job_id) === job.job_id;
    default:
      return busy && begun;
  }
}

export function evolveJob(state: Jobs, event: JobEvent, ts: string): void {
  const { thread_id, job_id } = event.payload;
  const session = state.sessions[thread_id];
  const thread = state.threads[thread_id];
  if (!session || !thread) return;
  session.updated_at = ts;
  if (event.type === "JobEnqueued") return enqueued(state, session, event.payload, ts);
  const job = state.jobs[job_id];
  if (event.type === "JobProgress") {
    const { kind } = event.payload;
    if (kind !== "changes" && kind !== "checkout_end") session.last_activity_at = ts;
    return evolveProgress(state, session, thread, event.payload);
  }
  if (job) changed(state, { session, thread, job }, event, ts);
}

/** What happens to a job that there is already. */
function changed(
  state: Jobs,
  { session, thread, job }: { session: Session; thread: Thread; job: Job },
  event: Exclude<JobEvent, { type: "JobEnqueued" | "JobProgress" }>,
  ts: string,
): void {
  const run = (state.runs[job.job_id] ??= newRun());
  switch (event.type) {
    case "JobStarted":
      session.queue = session.queue.filter((id) => id !== job.job_id);
      session.running_job_id = job.job_id;
      thread.busy_job = job.job_id;
      thread.turn = ++state.count.turns;
      job.state = "running";
      job.tool = event.payload.tool;
      job.started_at = ts;
      return begin(run, event.payload.after_crash_of);
    case "JobEdited":
      job.prompt = event.payload.prompt;
      run.edited = true;
      run.noted = [];
      return;
    case "JobMoved":
      session.queue = [job.job_id, ...session.queue.filter((id) => id !== job.job_id)];
      return;
    case "JobPutBack":
      // The process is still on its way out: the thread stays busy until it is gone.
      session.running_job_id = null;
      session.queue.unshift(job.job_id);
      job.state = "queued";
      job.started_at = null;
      return;
    case "JobCancelRequested":
      run.cancelling = true;
  }
}

function enqueued(
  state: Jobs,
  session: Session,
  payload: Extract<JobEvent, { type: "JobEnqueued" }>["payload"],
  ts: string,
): void {
  const { job_id, thread_id, discord_message_id, prompt, attempt, tool, retry_of, first } = payload;
  state.jobs[job_id] = {
    job_id,
    thread_id,
    discord_message_id,
    state: "queued",
    prompt,
    attempt,
    tool,
    error_code: null,
    error_message: null,
    started_at: null,
    finished_at: null,
    result_excerpt: null,
  };
  state.runs[job_id] = newRun(payload.files, payload.mode);
  if (first) session.queue.unshift(job_id);
  else session.queue.push(job_id);
  session.last_activity_at = ts;
  if (retry_of === null) state.dedupe[`${thread_id}:${discord_message_id}`] = job_id;
  const old = retry_of === null ? undefined : state.runs[retry_of];
  if (old) old.retried_by = job_id;
  const [, day = "", number = "0"] = job_id.split("_");
  state.count.day = day;
  state.count.jobs = Number(number);
}
