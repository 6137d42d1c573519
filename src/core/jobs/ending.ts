/**
 * How a job ends: once and finally. Ended jobs leave the live state by count, with everything that belongs to them, so
 * that a replay drops the same ones; the journal keeps them all.
 */
import { type ErrorCode, type ErrorDetails, BellhopError } from "../../base/errors.ts";
import { say } from "../../base/words/say.ts";
import { voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { remove } from "../indexed.ts";
import { END_PART, forgetPosts } from "../posts/post.ts";
import { closedBySilence, type ClosingEvent, reopenEvents } from "./closing.ts";
import { settledBy, type ModelEvent } from "../sessions/settings.ts";
import {
  ref,
  type Completion,
  type EndCommand,
  type EndEvent,
  type Job,
  type JobRef,
  jobsOf,
  nextJobId,
  type ChoiceCommand,
  type JobEvent,
  type JobState,
  type QueueEvent,
  type QueueResumed,
  type Rules,
} from "./job.ts";
import type { Run, RunMode } from "./run.ts";
import type { Thread } from "../sessions/thread.ts";
import { refusedWords } from "./accept-message.ts";
import { liftedLimit, resume, unparkEvent } from "./queue.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/**
 * Ended jobs per thread kept in the live state once they are posted; the others are in the journal. Changing it changes
 * replay.
 */
export const KEPT_JOBS = 50;

/** What its agent had asked becomes void first: nobody receives the answer any more. */
function decideEnd(state: State, command: EndCommand): (EndEvent | DecisionEvent | ClosingEvent | ModelEvent)[] {
  const job = state.jobs[command.job_id];
  if (job?.state !== "running") return [];
  const follows =
    command.type === "fail"
      ? [...closedBySilence(state, job.thread_id, command.code), ...settledBy(state, job, command.code)]
      : [];
  return [...voidedWith(state, job.job_id), ...ends(state, job, command), ...follows];
}

function ends(state: State, job: Job, command: EndCommand): EndEvent[] {
  switch (command.type) {
    case "cancelled": {
      const { type: _type, job_id: _job, ...reason } = command;
      const by = state.runs[job.job_id]?.cancelling ? "owner" : "agent";
      return [{ type: "JobCancelled", payload: { ...ref(job), by, ...reason } }];
    }
    case "complete": {
      const { type: _type, ...end } = command;
      return [completedEvent(ref(job), end)];
    }
    case "fail":
      return [failed(job, command)];
  }
}

export function completedEvent(
  { job_id, thread_id }: JobRef,
  { job_id: _job, ...end }: Omit<Completion, "type">,
): EndEvent {
  return { type: "JobCompleted", payload: { job_id, thread_id, ...end } };
}

/** Why it failed, for logs and programs: people are told in their own language. */
export function inEnglish(code: ErrorCode, details: ErrorDetails): string {
  const { reason, because } = details;
  return reason ?? (because === undefined ? code : say("en", because, details));
}

function failed(job: Job, command: Extract<EndCommand, { type: "fail" }>): EndEvent {
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

function evolveEnd(state: State, event: EndEvent, ts: string): void {
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
  if (event.type === "JobCompleted") {
    delete thread.resumed_after_limit;
    delete thread.tries;
  }
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
      }
      if (!run) return;
      run.result_sha256 = event.payload.result_sha256;
      const { model, usage } = event.payload;
      run.concluded = {
        model,
        usage: usage && { ...usage },
        error_details: event.type === "JobFailed" ? { ...event.payload.error_details } : {},
      };
      return;
    }
    case "JobCancelled":
      job.state = "cancelled";
      job.result_excerpt = event.payload.result_excerpt ?? job.result_excerpt;
      if (!run) return;
      run.heard_as = event.payload.by === "answer" || event.payload.by === "unclear" ? event.payload.by : null;
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
function forget(state: State, thread: Thread): void {
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
function isOwed({ jobs, posts }: State, jobId: string): boolean {
  const job = jobs[jobId];
  if (!job || (job.started_at === null && job.state !== "unknown_after_crash")) return false;
  return posts[jobId]?.[END_PART] === undefined;
}

/*
 * The owner's choices for a job that a crash interrupted, or that failed: run its prompt again, continue its
 * conversation, or discard it. None of it happens automatically, and only one run of the same words is under way. If
 * the owner has edited the message since, the new job has the words that stand there now; the old one keeps its own.
 */

type ResumedBy = NonNullable<Run["settled"]>;
type ChoiceEvent = JobEvent | QueueEvent | ClosingEvent;

/**
 * @throws BellhopError E_JOB_NOT_RETRYABLE {job, state} for a job that cannot be run again, or is or was elsewhere;
 *   E_EMPTY_PROMPT, E_PROMPT_TOO_LONG {length, limit} for words that it cannot have
 */
function decideChoice(state: State, command: ChoiceCommand, at: string, rules: Rules): ChoiceEvent[] {
  switch (command.type) {
    case "retry":
      return withWords(again(state, command.job_id, at, "retry"), command.prompt, rules);
    case "continue":
      return again(state, command.job_id, at, "continue");
    case "discard": {
      const thread = state.threads[state.jobs[command.job_id]?.thread_id ?? ""];
      return thread?.hold === command.job_id ? [resume(thread.thread_id, command.job_id, "discard")] : [];
    }
  }
}

function evolveResumed(state: State, { payload }: QueueResumed, ts: string): void {
  const session = state.sessions[payload.thread_id];
  const thread = state.threads[payload.thread_id];
  if (!session || !thread) return;
  session.updated_at = ts;
  if (thread.hold === payload.job_id) thread.hold = null;
  const run = state.runs[payload.job_id];
  if (run) run.settled = payload.by;
}

/** A run in one of these makes another one of the same words needless. */
const INSTEAD: ReadonlySet<JobState> = new Set(["queued", "running", "success", "sent_into"]);

/**
 * Another run of the same words, because of which this job is not run again: it waits, runs, has succeeded, or holds
 * the queue until its owner chooses what becomes of it. Null: there is none, such as when every retry failed or was
 * cancelled.
 */
export function otherRun(state: State, { job_id, thread_id, discord_message_id }: Job): string | null {
  const hold = state.threads[thread_id]?.hold;
  const others = jobsOf(state, thread_id).filter(
    (one) => one.discord_message_id === discord_message_id && one.job_id !== job_id,
  );
  return others.findLast((one) => INSTEAD.has(one.state) || one.job_id === hold)?.job_id ?? null;
}

/** The states from which a job may be run again. */
const from: Record<"retry" | "continue", readonly JobState[]> = {
  retry: ["failed", "unknown_after_crash"],
  continue: ["unknown_after_crash"],
};

function again(state: State, id: string, at: string, by: keyof typeof from): ChoiceEvent[] {
  const old = state.jobs[id];
  const session = state.sessions[old?.thread_id ?? ""];
  const hold = state.threads[old?.thread_id ?? ""]?.hold;
  const run = state.runs[id];
  // A crash came between the new job and the release of the queue: only the release is missing.
  if (old && run?.retried_by && hold === id) return [resume(old.thread_id, id, byMode(state, run.retried_by))];
  if (!old || !session || !run || !from[by].includes(old.state) || otherRun(state, old) !== null) {
    throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: id, state: old?.state ?? "unknown" });
  }
  const job_id = nextJobId(state, at);
  // If a continued job failed, it is continued again.
  const mode = by === "continue" ? "continue" : run.mode;
  const first = by === "continue" || hold === id;
  const events: ChoiceEvent[] = [
    ...reopenEvents(state, old.thread_id),
    enqueue(old, run, { job_id, tool: session.tool, first, mode }),
  ];
  if (hold === id) events.push(resume(old.thread_id, id, by));
  const lifted = liftedLimit(state.threads[old.thread_id]);
  if (lifted) events.push(unparkEvent(old.thread_id, lifted));
  return events;
}

/** Of these events, the new job gets other words. A job that continues a conversation is not given its words again. */
function withWords(events: ChoiceEvent[], prompt: string | undefined, rules: Rules): ChoiceEvent[] {
  const fresh = events.find((event) => event.type === "JobEnqueued")?.payload;
  if (prompt === undefined || fresh === undefined || fresh.mode === "continue" || fresh.prompt === prompt)
    return events;
  const refusal = refusedWords(prompt, fresh.files ?? [], rules);
  if (refusal) throw new BellhopError(refusal.code, refusal.details);
  return [...events, { type: "JobEdited", payload: { job_id: fresh.job_id, thread_id: fresh.thread_id, prompt } }];
}

function enqueue(old: Job, run: Run, fresh: { job_id: string; tool: string; first: boolean; mode: RunMode }): JobEvent {
  const { thread_id, discord_message_id, prompt } = old;
  return {
    type: "JobEnqueued",
    payload: {
      thread_id,
      discord_message_id,
      prompt,
      attempt: old.attempt + 1,
      retry_of: old.job_id,
      ...fresh,
      files: [...run.files],
      ...(run.quotes && { quotes: [...run.quotes] }),
    },
  };
}

function byMode(state: State, jobId: string): ResumedBy {
  return state.runs[jobId]?.mode === "continue" ? "continue" : "retry";
}

export const endingSlice: Slice<EndCommand | ChoiceCommand, EndEvent | QueueResumed> = {
  decide: {
    ...each(decideEnd, "complete", "fail", "cancelled"),
    ...each(decideChoice, "retry", "continue", "discard"),
  },
  evolve: {
    ...each(evolveEnd, "JobCompleted", "JobFailed", "JobCancelled", "JobMarkedUnknownAfterCrash", "JobSent"),
    QueueResumed: evolveResumed,
  },
  kinds: {
    JobCompleted: "end",
    JobFailed: "end",
    JobCancelled: "end",
    JobMarkedUnknownAfterCrash: "end",
    JobSent: "end",
    QueueResumed: "wait",
  },
};
