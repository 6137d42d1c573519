/**
 * What the owner chooses for a job that a crash cut off, or that failed: to run its prompt again, to take its
 * conversation up where it was interrupted, or to do without. Nothing of it happens by itself, and each choice once.
 */
import { BellhopError } from "../base/errors.ts";
import { compareSnowflakes } from "../base/ids.ts";
import { nextJobId, type ChoiceCommand, type Job, type JobEvent, type Jobs, type JobState, type QueueEvent } from "./job.ts";
import { CRASH_PART, type PostCommand } from "./post.ts";
import type { Mode, Run } from "./run.ts";

type ResumedBy = NonNullable<Run["settled"]>;

/**
 * @throws BellhopError E_JOB_NOT_RETRYABLE {job, state} for a job that cannot be run again, or was already
 */
export function decideChoice(state: Jobs, command: ChoiceCommand, at: string): (JobEvent | QueueEvent)[] {
  switch (command.type) {
    case "retry":
      return again(state, command.job_id, at, "retry", ["failed", "unknown_after_crash"]);
    case "continue":
      return again(state, command.job_id, at, "continue", ["unknown_after_crash"]);
    case "discard": {
      const thread = state.threads[state.jobs[command.job_id]?.thread_id ?? ""];
      return thread?.hold === command.job_id ? [resume(thread.thread_id, command.job_id, "discard")] : [];
    }
  }
}

export function evolveResumed(state: Jobs, { payload }: Extract<QueueEvent, { type: "QueueResumed" }>, ts: string): void {
  const session = state.sessions[payload.thread_id];
  const thread = state.threads[payload.thread_id];
  if (!session || !thread) return;
  session.updated_at = ts;
  if (thread.hold === payload.job_id) thread.hold = null;
  const run = state.runs[payload.job_id];
  if (run) run.settled = payload.by;
}

export function resume(thread_id: string, job_id: string, by: ResumedBy): QueueEvent {
  return { type: "QueueResumed", payload: { thread_id, job_id, by } };
}

/**
 * A message can be heard before the notice of the crash above it is written down; then it lets the queue go on when
 * that is. Asked with every post that is recorded.
 */
export function resumedBy(state: Jobs, { subject, part, message_id }: PostCommand): QueueEvent[] {
  const thread = state.threads[state.jobs[subject]?.thread_id ?? ""];
  if (part !== CRASH_PART || thread?.hold !== subject || message_id === null) return [];
  return writtenBelow(state, thread.thread_id, message_id) ? [resume(thread.thread_id, subject, "message")] : [];
}

/** The same at a restart: a crash may have kept the message and lost that it let the queue go on. */
export function resumedMeanwhile(state: Jobs): QueueEvent[] {
  return Object.values(state.threads).flatMap(({ thread_id, hold }) => {
    const notice = hold === null ? undefined : state.posts[hold]?.[CRASH_PART];
    if (hold === null || !notice?.message_id) return [];
    return writtenBelow(state, thread_id, notice.message_id) ? [resume(thread_id, hold, "message")] : [];
  });
}

function writtenBelow(state: Jobs, threadId: string, noticeId: string): boolean {
  const waiting = state.sessions[threadId]?.queue ?? [];
  return waiting.some((id) => compareSnowflakes(state.jobs[id]?.discord_message_id ?? "", noticeId) > 0);
}

function again(
  state: Jobs,
  id: string,
  at: string,
  by: "retry" | "continue",
  from: readonly JobState[],
): (JobEvent | QueueEvent)[] {
  const old = state.jobs[id];
  const session = state.sessions[old?.thread_id ?? ""];
  const hold = state.threads[old?.thread_id ?? ""]?.hold;
  const run = state.runs[id];
  // A crash between the new job and the release of the queue: what is left to do is the release.
  if (old && run?.retried_by && hold === id) return [resume(old.thread_id, id, byMode(state, run.retried_by))];
  if (!old || !session || !run || !from.includes(old.state) || run.retried_by) {
    throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: id, state: old?.state ?? "unknown" });
  }
  const job_id = nextJobId(state, at);
  // What failed while it continued is continued again.
  const mode = by === "continue" ? "continue" : run.mode;
  const first = by === "continue" || hold === id;
  const events: (JobEvent | QueueEvent)[] = [enqueue(old, run, { job_id, tool: session.tool, first, mode })];
  if (hold === id) events.push(resume(old.thread_id, id, by));
  return events;
}

function enqueue(
  old: Job,
  run: Run,
  fresh: { job_id: string; tool: string; first: boolean; mode: Mode },
): JobEvent {
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
    },
  };
}

function byMode(state: Jobs, jobId: string): ResumedBy {
  return state.runs[jobId]?.mode === "continue" ? "continue" : "retry";
}
