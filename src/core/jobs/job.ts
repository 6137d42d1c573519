/**
 * A job: one prompt of the owner in a session, from `queued` to its end. The record's keys are fixed; everything else
 * about it is in its `Run`. This file has what can happen to a job and what can be requested; an ended job is never
 * changed, a retry is a new one.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { jobId } from "../../base/ids.ts";
import type { UnparkedBy, Wait } from "../projects/checkout.ts";
import { countsMeanwhile, type BudgetRules } from "./budget.ts";
import { keepAskerTool } from "../decisions/decision.ts";
import type { WrittenMessage } from "../inbox/inbox.ts";
import {
  begin,
  evolveProgress,
  isKnown,
  newRun,
  putFirst,
  type RunMode,
  type Progress,
  type Run,
  type Quote,
  type UploadedFile,
  type Usage,
} from "./run.ts";
import type { Session } from "../sessions/session.ts";
import { takeNextConversation } from "../sessions/settings.ts";
import { markHandled } from "../inbox/redelivered-messages.ts";
import { type Change, type Thread } from "../sessions/thread.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

export type JobState = "queued" | "running" | "success" | "failed" | "unknown_after_crash" | "cancelled" | "sent_into";

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

/**
 * Who cancelled a job: the owner, also by deleting the message or clearing the queue; its agent by itself; or it was no
 * job but an answer.
 */
export type CancelledBy = "owner" | "deleted" | "cleared" | "agent" | "answer" | "unclear";

/** Why a job that had done nothing went back to its queue. */
export type PutBackWhy = Wait["kind"];

/** What may happen to a job before its end. */
export type JobEvent =
  | {
      type: "JobEnqueued";
      payload: JobRef & {
        discord_message_id: string;
        prompt: string;
        attempt: number;
        tool: string;
        retry_of: string | null;
        /** Ahead of the other queued jobs, for a retry after a crash. */
        first: boolean;
        files: UploadedFile[];
        /** What its message points at; absent: nothing. */
        quotes?: Quote[];
        mode: RunMode;
      };
    }
  | { type: "JobStarted"; payload: JobRef & { tool: string; after_crash_of: string | null } }
  | { type: "JobProgress"; payload: JobRef & Progress }
  | { type: "JobEdited"; payload: JobRef & { prompt: string } }
  | { type: "JobMoved"; payload: JobRef }
  | { type: "JobPutBack"; payload: JobRef & { why: PutBackWhy } }
  /** `finishes`: what it has said is its answer, and its agent only has to end. */
  | { type: "JobCancelRequested"; payload: JobRef & { finishes?: true } };

export type EndEvent =
  | {
      type: "JobCompleted";
      /** `result_sha256` null: the answer's file could not be written. */
      payload: JobRef & {
        result_excerpt: string;
        result_sha256: string | null;
        model: string | null;
        usage: Usage | null;
      };
    }
  | {
      type: "JobFailed";
      payload: JobRef & {
        error_code: ErrorCode;
        error_message: string;
        error_details: ErrorDetails;
        /** What the agent had said so far, if anything; its full text is in the result file. */
        result_excerpt: string | null;
        result_sha256: string | null;
        model: string | null;
        usage: Usage | null;
      };
    }
  | {
      type: "JobCancelled";
      payload: JobRef & {
        by: CancelledBy;
        /** What the agent had said so far, as for a failed job; absent: nothing, or it was not kept. */
        result_excerpt?: string;
        result_sha256?: string | null;
        /** As for a failed job; absent: none is known. */
        usage?: Usage;
      };
    }
  | { type: "JobMarkedUnknownAfterCrash"; payload: JobRef & { hold: boolean } }
  /** Its message was taken up in the turn of the job `into`, or in the outside turn, whose answer is its answer. */
  | { type: "JobSent"; payload: JobRef & { into: string } };

/** What happens to a thread's queue as a whole. */
export type QueueEvent = QueueResumed | QueueCheckEvent | WaitEvent;

export interface QueueResumed {
  type: "QueueResumed";
  payload: JobRef & { by: NonNullable<Run["settled"]> };
}

export type QueueCheckEvent =
  | { type: "QueueStale"; payload: { thread_id: string } }
  | { type: "QueueChecked"; payload: { thread_id: string } };

export type WaitEvent =
  | { type: "SessionParked"; payload: JobRef & { wait: Wait } }
  | { type: "SessionUnparked"; payload: JobRef & { by: UnparkedBy } }
  /** The limit that the thread waits for is over; the owner is asked whether to continue. */
  | { type: "LimitLifted"; payload: JobRef };

/** A message was changed too late (`code` null), or into something that is refused; or it was deleted in time. */
export interface MessageNoted {
  type: "MessageNoted";
  payload: JobRef & { discord_message_id: string; change: Change; code: ErrorCode | null; details: ErrorDetails };
}

/** What a message without words may be. */
export type Wordless = "sticker" | "poll" | "blank";

/** The owner's message after it was authorized. */
export interface IncomingMessage {
  thread_id: string;
  discord_message_id: string;
  prompt: string;
  /** The files that came with it and were accepted. */
  files: UploadedFile[];
  /** The refused ones, each with the reason; their author is told. */
  refused_files: { name: string; why: string }[];
  /** Why files are dropped if the message is an answer that takes none; absent: they go to a job. */
  unused_why?: string;
  /** What it points at; absent: nothing. */
  quotes?: Quote[];
  /** What it is, as it has no words; absent: it has some, or came with nothing. */
  wordless?: Wordless;
  /** The message it replies to. */
  reply_to: string | null;
  /** It is a prompt even while a question is open; absent: it may be the answer. */
  is_prompt?: true;
  /**
   * It was held back while something was open, and its writer wants it sent to the agent all the same; absent: it was
   * not.
   */
  anyway?: true;
  /** The same message as an inbox entry, in case it becomes only that. */
  from?: WrittenMessage;
  /** Then its author is offered to open a session with it. */
  offered?: true;
  /** The owner wants its session, which is closed and refused it, to be reopened with it. */
  reopens?: true;
}

export type MessageCommand =
  | ({ type: "hear" } & IncomingMessage)
  /** The message's current text, changed or not. */
  | {
      type: "edit_message";
      thread_id: string;
      discord_message_id: string;
      prompt: string;
      /** By Discord's clock, ISO 8601. Absent: Discord does not say. */
      edited_at?: string;
    }
  | { type: "delete_message"; thread_id: string; discord_message_id: string };

/** Its agent has ended successfully, and the whole answer is on disk, or in memory if it could not be written. */
export interface Completion {
  type: "complete";
  job_id: string;
  result_excerpt: string;
  /** Null: its file could not be written. */
  result_sha256: string | null;
  model: string | null;
  usage: Usage | null;
}

/** What an agent's run reports. */
export interface ProgressCommand {
  type: "progress";
  job_id: string;
  progress: Progress;
}

/** How an agent's run ended. */
export type EndCommand =
  | Completion
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
  | { type: "cancelled"; job_id: string; result_excerpt?: string; result_sha256?: string | null; usage?: Usage };

/** The owner's choice for a job that a crash interrupted, or that failed. */
export type ChoiceCommand =
  /** `prompt`: the words that its message has now; absent: it runs with its own. */
  | { type: "retry"; job_id: string; prompt?: string }
  /** Continue the conversation that a crash interrupted, as a new job. */
  | { type: "continue"; job_id: string }
  /** Release the queue without the job that a crash interrupted. */
  | { type: "discard"; job_id: string };

export type QueueCommand =
  /** Ends a queued job; a running one's agent is stopped first, and then it is cancelled. So is an outside turn. */
  | { type: "cancel_job"; job_id: string; by: CancelledBy }
  /** Ends a running job's agent, which has said all and does not end its turn: then the job is done. */
  | { type: "finish_job"; job_id: string }
  | { type: "clear_queue"; thread_id: string }
  /** Moves it to the front of its queue. */
  | { type: "move_first"; job_id: string }
  /** Every queued message of the thread was looked up again. */
  | { type: "queue_checked"; thread_id: string }
  /** What held all queues is over. */
  | { type: "start_waiting" };

export type ParkCommand =
  /** A running job goes back to the front of its queue. Ignored for one that has run a tool: it has to end. */
  | { type: "put_back"; job_id: string; why: PutBackWhy }
  | { type: "park"; thread_id: string; job_id: string; wait: Wait }
  /**
   * `job_id`: the job of the wait that is meant; ignored for another wait, for none, and for one that `by` cannot end.
   */
  | { type: "unpark"; thread_id: string; job_id: string; by: Exclude<UnparkedBy, "seen" | "dropped"> }
  /** The limit that the thread waits for with this job is over. */
  | { type: "lift_limit"; thread_id: string; job_id: string }
  /**
   * The owner has seen what changed and runs the job with it, in its conversation or in a new one. Ignored unless
   * `digest` is that of the wait: he allows exactly what he was shown.
   */
  | {
      type: "accept_changed";
      thread_id: string;
      job_id: string;
      digest: string;
      by: Extract<UnparkedBy, "seen" | "fresh">;
    };

/** The owner's rules, from config.json; used to decide, never to evolve: their effects are in the events. */
export interface Rules {
  max_queue_per_session: number;
  global_max_running: number;
  after_crash: "wait" | "go_on";
  resume_after_limit: "ask" | "go_on";
  max_prompt_chars: number;
  /** Nothing new starts until there is room again. Absent: there is. */
  disk_full?: true;
  /** Absent: there are none but those of single sessions, and what runs is not ended. */
  budget?: BudgetRules;
}

export function ref(job: Job): JobRef {
  return { job_id: job.job_id, thread_id: job.thread_id };
}

/** A thread's jobs in the live state: ended, running and queued. */
export function jobsOf({ jobs, sessions, threads }: State, threadId: string): Job[] {
  const { running_job_id, queue = [] } = sessions[threadId] ?? {};
  const ids = [...(threads[threadId]?.ended ?? []), running_job_id ?? "", ...queue];
  return ids.map((id) => jobs[id]).filter((job) => job !== undefined);
}

/**
 * The job that this one was run again as. Null: none; or it was cancelled, and a job that failed can be run again from
 * its own card only.
 */
export function retriedAs({ jobs, runs }: State, { job_id, state }: Job): string | null {
  const by = runs[job_id]?.retried_by ?? null;
  return by !== null && state === "failed" && jobs[by]?.state === "cancelled" ? null : by;
}

export function nextJobId(state: State, at: string): string {
  const day = at.slice(0, 10).replaceAll("-", "");
  // If the wall clock is set back, no number is used twice: counting continues in the later day.
  return day > state.count.day ? jobId(day, 1) : jobId(state.count.day, state.count.jobs + 1);
}

/** What is kept of an outside turn while it runs; the rest belongs to a job. */
const OF_TURNS: ReadonlySet<Progress["kind"]> = new Set([
  "process",
  "session_key",
  "tool",
  "denied",
  "left_out",
  "ended_early",
  "compacted",
  "renewed",
  "warned",
  "attachment",
  "used",
]);

/** What a run has reported, if it still counts: nothing for a queued job, and nothing old over something newer. */
function decideProgress(state: State, { job_id, progress }: ProgressCommand, _at: string, rules: Rules): JobEvent[] {
  const turn = state.turns[job_id];
  const job = state.jobs[job_id];
  const { thread_id = "" } = turn ?? job ?? {};
  const session = state.sessions[thread_id];
  if (progress.kind === "used" && !countsMeanwhile(state, thread_id, rules, progress.amounts)) return [];
  if (session && isKnown(state, { session, thread: state.threads[thread_id] }, job_id, progress)) return [];
  if (turn)
    return turn.state === "running" && OF_TURNS.has(progress.kind)
      ? [{ type: "JobProgress", payload: { job_id, thread_id, ...progress } }]
      : [];
  if (!job || !session || !counts(state, session, job, progress)) return [];
  return [{ type: "JobProgress", payload: { ...ref(job), ...progress } }];
}

function counts(state: State, session: Session, job: Job, progress: Progress): boolean {
  const busy = state.threads[job.thread_id]?.busy_job === job.job_id;
  // Not its state: a job cancelled while it waited is no longer queued, but has never begun.
  const begun = job.started_at !== null;
  switch (progress.kind) {
    case "gone":
      return busy && job.state !== "running";
    case "changes":
    case "unmeasured":
      return begun;
    case "said":
      // A recorded end already includes it.
      return begun && state.runs[job.job_id]?.result_sha256 == null;
    case "checkout_end":
      return begun && (session.running_job_id ?? session.last_job_id) === job.job_id;
    default:
      return busy && begun;
  }
}

function evolveJob(state: State, event: JobEvent, ts: string): void {
  const { thread_id, job_id } = event.payload;
  const session = state.sessions[thread_id];
  const thread = state.threads[thread_id];
  if (!session || !thread) return;
  session.updated_at = ts;
  if (event.type === "JobEnqueued") return enqueued(state, session, event.payload, ts);
  const job = state.jobs[job_id];
  if (event.type === "JobProgress") {
    const { kind } = event.payload;
    if (kind !== "changes" && kind !== "unmeasured" && kind !== "checkout_end") session.last_activity_at = ts;
    return evolveProgress(state, session, thread, event.payload);
  }
  if (job) return changed(state, { session, thread, job }, event, ts);
  const run = state.runs[job_id];
  if (run && event.type === "JobCancelRequested") run.cancelling = true;
}

/** Changes an existing job. */
function changed(
  state: State,
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
      if (job.tool !== event.payload.tool) keepAskerTool(state, job);
      job.tool = event.payload.tool;
      job.started_at = ts;
      return begin(run, event.payload.after_crash_of, takeNextConversation(state, job.thread_id));
    case "JobEdited":
      job.prompt = event.payload.prompt;
      run.edited = true;
      run.noted = [];
      return;
    case "JobMoved":
      putFirst(state, session, job.job_id);
      return;
    case "JobPutBack":
      // The process is still ending: the thread stays busy until it is gone.
      session.running_job_id = null;
      if (run.begun?.conversation) thread.next_conversation ??= run.begun.conversation;
      putFirst(state, session, job.job_id);
      job.state = "queued";
      job.started_at = null;
      return;
    case "JobCancelRequested":
      run.cancelling = true;
      if (event.payload.finishes) run.finishes = true;
  }
}

function enqueued(
  state: State,
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
  state.runs[job_id] = newRun(payload.files, payload.mode, payload.quotes);
  if (first) putFirst(state, session, job_id);
  else session.queue.push(job_id);
  session.last_activity_at = ts;
  if (retry_of === null) markHandled(state, thread_id, discord_message_id, job_id);
  const thread = state.threads[thread_id];
  if (thread?.refused) thread.refused = thread.refused.filter((id) => id !== discord_message_id);
  const old = retry_of === null ? undefined : state.runs[retry_of];
  if (old) old.retried_by = job_id;
  const [, day = "", number = "0"] = job_id.split("_");
  state.count.day = day;
  state.count.jobs = Number(number);
}

export const jobSlice: Slice<ProgressCommand, JobEvent> = {
  decide: { progress: decideProgress },
  evolve: each(
    evolveJob,
    "JobEnqueued",
    "JobStarted",
    "JobProgress",
    "JobEdited",
    "JobMoved",
    "JobPutBack",
    "JobCancelRequested",
  ),
  kinds: {
    JobEnqueued: "queue",
    JobStarted: "run",
    JobProgress: "run",
    JobEdited: "queue",
    JobMoved: "queue",
    JobPutBack: "run",
    JobCancelRequested: "run",
  },
};
