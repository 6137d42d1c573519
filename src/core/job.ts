/**
 * A job: one prompt of the owner in a session, from `queued` to its end. The record has exactly seed B's keys
 * (10.2); what else running it leaves behind is its `Run`. An ended job is never changed: a retry is a new job.
 */
import { BellhopError, type ErrorCode, type ErrorDetails } from "../base/errors.ts";
import { jobId } from "../base/ids.ts";
import type { Posts } from "./post.ts";
import { evolveProgress, newRun, type Progress, type Run, type Runs, type Usage } from "./run.ts";
import type { Session } from "./session.ts";
import { isHandled, mayResume, type Thread, type ThreadEvent, type Threads } from "./thread.ts";

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

type JobRef = { job_id: string; thread_id: string };

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
      };
    }
  | { type: "JobStarted"; payload: JobRef & { tool: string; after_crash_of: string | null } }
  | { type: "JobProgress"; payload: JobRef & Progress }
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
  | { type: "JobCancelled"; payload: JobRef }
  | { type: "JobMarkedUnknownAfterCrash"; payload: JobRef & { hold: boolean } }
  | { type: "QueueResumed"; payload: JobRef & { by: NonNullable<Run["settled"]> } };

/** The owner's message as the door lets it in. */
export interface Heard {
  thread_id: string;
  discord_message_id: string;
  prompt: string;
  /** Names of the files that came with it; they are not taken yet, and the writer is told so. */
  attachments: string[];
}

export type JobCommand =
  | ({ type: "hear" } & Heard)
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
  | { type: "cancelled"; job_id: string }
  | { type: "retry"; job_id: string }
  /** Let the queue go on without the job that a crash interrupted. */
  | { type: "discard"; job_id: string };

/** The owner's rules, from config.json; they decide, they never evolve: what they led to is in the events. */
export interface Rules {
  max_queue_per_session: number;
  global_max_running: number;
  after_crash: "wait" | "go_on";
  max_prompt_chars: number;
}

/** Ended jobs a thread keeps in the live state; the others are in the journal. Changing it changes replay. */
export const KEPT_JOBS = 50;

export interface Jobs extends Threads, Runs {
  jobs: Record<string, Job>;
  sessions: Record<string, Session>;
  posts: Posts;
  /** The last job id's day and number, and how many slots were ever given. */
  count: { day: string; jobs: number; turns: number };
}

export function decideJob(
  state: Jobs,
  command: JobCommand,
  at: string,
  rules: Rules,
): (JobEvent | ThreadEvent)[] {
  switch (command.type) {
    case "hear":
      return hear(state, command, at, rules);
    case "retry":
      return retry(state, command.job_id, at);
    case "discard": {
      const thread = state.threads[state.jobs[command.job_id]?.thread_id ?? ""];
      return thread?.hold === command.job_id ? [resume(thread.thread_id, command.job_id, "discard")] : [];
    }
    case "progress": {
      const job = state.jobs[command.job_id];
      const busy = state.threads[job?.thread_id ?? ""]?.busy_job;
      if (!job || busy !== job.job_id) return [];
      if (command.progress.kind === "gone" && job.state === "running") return [];
      return [{ type: "JobProgress", payload: { ...ref(job), ...command.progress } }];
    }
    case "complete":
    case "fail":
    case "cancelled":
      return finish(state, command);
  }
}

export function evolveJob(state: Jobs, event: JobEvent, ts: string): void {
  const { thread_id, job_id } = event.payload;
  const session = state.sessions[thread_id];
  const thread = state.threads[thread_id];
  if (!session || !thread) return;
  session.updated_at = ts;
  switch (event.type) {
    case "JobEnqueued":
      return enqueued(state, session, event.payload, ts);
    case "JobStarted":
      return started(state, session, thread, event.payload, ts);
    case "JobProgress":
      session.last_activity_at = ts;
      return evolveProgress(state, session, thread, event.payload);
    case "QueueResumed": {
      if (thread.hold === job_id) thread.hold = null;
      const run = state.runs[job_id];
      if (run) run.settled = event.payload.by;
      return;
    }
    default:
      return ended(state, session, thread, event, ts);
  }
}

function hear(
  state: Jobs,
  { thread_id, discord_message_id, prompt, attachments }: Heard,
  at: string,
  rules: Rules,
): (JobEvent | ThreadEvent)[] {
  const session = state.sessions[thread_id];
  const thread = state.threads[thread_id];
  if (!session || !thread || isHandled(state, thread_id, discord_message_id)) return [];
  const refusal = refuse(session, prompt, attachments, rules);
  const events: (JobEvent | ThreadEvent)[] = [];
  // The job goes first: a crash may keep only the beginning of what is written together, and a message that
  // counts as handled must not be without its job. Files left out do not keep the words beside them from running.
  if (!refusal || (refusal.code === "E_ATTACHMENT_REFUSED" && prompt.trim() !== "")) {
    const fresh = { job_id: nextJobId(state, at), tool: session.tool, attempt: 1, retry_of: null, first: false };
    events.push({ type: "JobEnqueued", payload: { thread_id, discord_message_id, prompt, ...fresh } });
  }
  if (refusal) events.push({ type: "MessageRefused", payload: { thread_id, discord_message_id, ...refusal } });
  if (mayResume(state, thread, discord_message_id)) events.push(resume(thread_id, thread.hold, "message"));
  return events;
}

function refuse(
  session: Session,
  prompt: string,
  attachments: string[],
  rules: Rules,
): { code: ErrorCode; details: ErrorDetails } | null {
  if (prompt.length > rules.max_prompt_chars) {
    return { code: "E_PROMPT_TOO_LONG", details: { length: prompt.length, limit: rules.max_prompt_chars } };
  }
  if (session.queue.length >= rules.max_queue_per_session) {
    return { code: "E_QUEUE_FULL", details: { limit: rules.max_queue_per_session } };
  }
  if (attachments.length > 0) return { code: "E_ATTACHMENT_REFUSED", details: { name: attachments.join(", ") } };
  return prompt.trim() === "" ? { code: "E_EMPTY_PROMPT", details: {} } : null;
}

function retry(state: Jobs, id: string, at: string): JobEvent[] {
  const old = state.jobs[id];
  const session = state.sessions[old?.thread_id ?? ""];
  const thread = state.threads[old?.thread_id ?? ""];
  const retryable = old?.state === "failed" || old?.state === "unknown_after_crash";
  const retried = state.runs[id]?.retried_by;
  // A crash between the retry and the release of the queue: what is left to do is the release.
  if (retried && thread?.hold === id) return [resume(thread.thread_id, id, "retry")];
  if (!old || !session || !thread || !retryable || retried) {
    throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: id, state: old?.state ?? "unknown" });
  }
  const held = thread.hold === id;
  const events: JobEvent[] = [
    {
      type: "JobEnqueued",
      payload: {
        job_id: nextJobId(state, at),
        thread_id: old.thread_id,
        discord_message_id: old.discord_message_id,
        prompt: old.prompt,
        attempt: old.attempt + 1,
        tool: session.tool,
        retry_of: id,
        first: held,
      },
    },
  ];
  if (held) events.push(resume(thread.thread_id, id, "retry"));
  return events;
}

function finish(
  state: Jobs,
  command: Extract<JobCommand, { type: "complete" | "fail" | "cancelled" }>,
): JobEvent[] {
  const job = state.jobs[command.job_id];
  if (job?.state !== "running") return [];
  switch (command.type) {
    case "cancelled":
      return [{ type: "JobCancelled", payload: ref(job) }];
    case "complete": {
      const { type: _type, job_id: _job, ...rest } = command;
      return [{ type: "JobCompleted", payload: { ...ref(job), ...rest } }];
    }
    case "fail": {
      const { type: _type, job_id: _job, code, details, ...rest } = command;
      const said = details["reason"];
      return [
        {
          type: "JobFailed",
          payload: {
            ...ref(job),
            error_code: code,
            error_message: typeof said === "string" ? said : code,
            error_details: details,
            ...rest,
          },
        },
      ];
    }
  }
}

function resume(thread_id: string, job_id: string, by: NonNullable<Run["settled"]>): JobEvent {
  return { type: "QueueResumed", payload: { thread_id, job_id, by } };
}

function ref(job: Job): JobRef {
  return { job_id: job.job_id, thread_id: job.thread_id };
}

function nextJobId(state: Jobs, at: string): string {
  const day = at.slice(0, 10).replaceAll("-", "");
  // A wall clock that is set back gives no number a second time: it goes on in the later day.
  return day > state.count.day ? jobId(day, 1) : jobId(state.count.day, state.count.jobs + 1);
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

function started(
  state: Jobs,
  session: Session,
  thread: Thread,
  payload: Extract<JobEvent, { type: "JobStarted" }>["payload"],
  ts: string,
): void {
  const job = state.jobs[payload.job_id];
  if (!job) return;
  session.queue = session.queue.filter((id) => id !== job.job_id);
  session.running_job_id = job.job_id;
  thread.busy_job = job.job_id;
  thread.turn = ++state.count.turns;
  job.state = "running";
  job.tool = payload.tool;
  job.started_at = ts;
  state.runs[job.job_id] = newRun(payload.after_crash_of);
}

function ended(
  state: Jobs,
  session: Session,
  thread: Thread,
  event: Extract<
    JobEvent,
    { type: "JobCompleted" | "JobFailed" | "JobCancelled" | "JobMarkedUnknownAfterCrash" }
  >,
  ts: string,
): void {
  const job = state.jobs[event.payload.job_id];
  if (!job) return;
  session.queue = session.queue.filter((id) => id !== job.job_id);
  if (session.running_job_id === job.job_id) session.running_job_id = null;
  session.last_job_id = job.job_id;
  session.last_activity_at = ts;
  job.finished_at = ts;
  conclude(job, state.runs[job.job_id], event);
  if (event.type === "JobMarkedUnknownAfterCrash") {
    if (thread.busy_job === job.job_id) thread.busy_job = null;
    if (event.payload.hold) thread.hold = job.job_id;
  }
  thread.ended.push(job.job_id);
  while (thread.ended.length > KEPT_JOBS) forget(state, thread);
}

function conclude(job: Job, run: Run | undefined, event: JobEvent): void {
  switch (event.type) {
    case "JobCompleted":
    case "JobFailed": {
      job.state = event.type === "JobCompleted" ? "success" : "failed";
      job.result_excerpt = event.payload.result_excerpt;
      if (event.type === "JobFailed") {
        job.error_code = event.payload.error_code;
        job.error_message = event.payload.error_message;
        if (run) run.error_details = { ...event.payload.error_details };
      }
      if (!run) return;
      run.result_sha256 = event.payload.result_sha256;
      run.model = event.payload.model;
      run.usage = event.payload.usage === null ? null : { ...event.payload.usage };
      return;
    }
    case "JobCancelled":
      job.state = "cancelled";
      return;
    case "JobMarkedUnknownAfterCrash":
      job.state = "unknown_after_crash";
  }
}

/** The oldest ended job leaves the live state with all that hangs on it, except one that still holds the queue. */
function forget(state: Jobs, thread: Thread): void {
  const index = thread.ended[0] === thread.hold ? 1 : 0;
  const [oldest] = thread.ended.splice(index, 1);
  if (oldest === undefined) return;
  delete state.jobs[oldest];
  delete state.runs[oldest];
  delete state.posts[oldest];
}
