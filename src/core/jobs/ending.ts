/**
 * How a job ends: once and finally. Ended jobs leave the live state by count, with everything that belongs to them, so
 * that a replay drops the same ones; the journal keeps them all.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import { say } from "../../base/words/say.ts";
import { voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { remove } from "../indexed.ts";
import { END_PART, forgetPosts } from "../posts/post.ts";
import { closedBySilence, type ClosingEvent } from "../sessions/closing.ts";
import { settledBy, type ModelEvent } from "../sessions/models.ts";
import { ref, type Completion, type EndEvent, type Job, type JobRef, type Jobs, type RunCommand } from "./job.ts";
import type { Run } from "./run.ts";
import type { Thread } from "../sessions/thread.ts";

/**
 * Ended jobs per thread kept in the live state once they are posted; the others are in the journal. Changing it changes
 * replay.
 */
export const KEPT_JOBS = 50;

/** What its agent had asked becomes void first: nobody receives the answer any more. */
export function decideEnd(
  state: Jobs,
  command: Exclude<RunCommand, { type: "progress" }>,
): (EndEvent | DecisionEvent | ClosingEvent | ModelEvent)[] {
  const job = state.jobs[command.job_id];
  if (job?.state !== "running") return [];
  const follows =
    command.type === "fail"
      ? [...closedBySilence(state, job.thread_id, command.code), ...settledBy(state, job, command.code)]
      : [];
  return [...voidedWith(state, job.job_id), ...ends(state, job, command), ...follows];
}

function ends(state: Jobs, job: Job, command: Exclude<RunCommand, { type: "progress" }>): EndEvent[] {
  switch (command.type) {
    case "cancelled": {
      const { type: _type, job_id: _job, ...reason } = command;
      const by = state.runs[job.job_id]?.cancelling ? "owner" : "agent";
      return [{ type: "JobCancelled", payload: { ...ref(job), by, ...reason } }];
    }
    case "complete": {
      const { type: _type, ...end } = command;
      return [completed(ref(job), end)];
    }
    case "fail":
      return [failed(job, command)];
  }
}

export function completed({ job_id, thread_id }: JobRef, { job_id: _job, ...end }: Omit<Completion, "type">): EndEvent {
  return { type: "JobCompleted", payload: { job_id, thread_id, ...end } };
}

/** Why it failed, for logs and programs: people are told in their own language. */
export function inEnglish(code: ErrorCode, details: ErrorDetails): string {
  const { reason, because } = details;
  return reason ?? (because === undefined ? code : say("en", because, details));
}

function failed(job: Job, command: Extract<RunCommand, { type: "fail" }>): EndEvent {
  const { type: _type, job_id: _job, code, details, ...rest } = command;
  return {
    type: "JobFailed",
    payload: {
      ...ref(job),
      error_code: code,
      error_message: inEnglish(code, details),
      error_details: details,
      ...rest,
    },
  };
}

export function evolveEnd(state: Jobs, event: EndEvent, ts: string): void {
  const { thread_id, job_id } = event.payload;
  const session = state.sessions[thread_id];
  const thread = state.threads[thread_id];
  const job = state.jobs[job_id];
  if (!session || !thread || !job) return;
  session.updated_at = ts;
  session.last_activity_at = ts;
  session.queue = session.queue.filter((id) => id !== job_id);
  if (session.running_job_id === job_id) session.running_job_id = null;
  // A job cancelled while it waited did nothing: the session's last job is still the one before it.
  if (job.started_at !== null) session.last_job_id = job_id;
  job.finished_at = ts;
  conclude(job, state.runs[job_id], event);
  if (event.type === "JobCompleted") delete thread.resumed_after_limit;
  if (event.type === "JobMarkedUnknownAfterCrash") {
    if (thread.busy_job === job_id) thread.busy_job = null;
    if (event.payload.hold) thread.hold = job_id;
  }
  thread.ended.push(job_id);
  forget(state, thread);
}

function conclude(job: Job, run: Run | undefined, event: EndEvent): void {
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
      job.result_excerpt = event.payload.result_excerpt ?? job.result_excerpt;
      if (!run) return;
      run.was_answer = event.payload.by === "answer";
      run.result_sha256 = event.payload.result_sha256 ?? run.result_sha256;
      return;
    case "JobMarkedUnknownAfterCrash":
      job.state = "unknown_after_crash";
      return;
    case "JobSent":
      job.state = "sent_into";
      if (run) run.sent_into = event.payload.into;
  }
}

/**
 * Drops ended jobs from the live state, the oldest first, with all that belongs to them, except those that something
 * still waits for. One whose end is not posted stays: however many end while Discord takes nothing, each is told.
 */
function forget(state: Jobs, thread: Thread): void {
  const { hold, wait, busy_job } = thread;
  const needed = new Set([hold, wait?.job_id, busy_job, state.sessions[thread.thread_id]?.last_job_id]);
  let over = thread.ended.length - KEPT_JOBS;
  if (over <= 0) return;
  thread.ended = thread.ended.filter((id) => {
    if (over <= 0 || needed.has(id) || isOwed(state, id)) return true;
    over -= 1;
    delete state.jobs[id];
    remove(state.runs, id);
    forgetPosts(state.posts, id, thread);
    return false;
  });
}

/** Whether what closes it is still to be posted; a job that never began has nothing that does. */
function isOwed({ jobs, posts }: Jobs, jobId: string): boolean {
  const job = jobs[jobId];
  if (!job || (job.started_at === null && job.state !== "unknown_after_crash")) return false;
  return posts[jobId]?.[END_PART] === undefined;
}
