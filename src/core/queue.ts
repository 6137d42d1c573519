/**
 * Who runs next. Each thread runs one job at a time in the order written; over all threads at most
 * `global_max_running` run, and the thread that has waited longest for a slot is served first. A thread whose
 * crash is not settled is passed over, and nobody else waits for it.
 */
import { compareSnowflakes } from "../base/ids.ts";
import type { JobEvent, Jobs } from "./job.ts";
import { CRASH_PART, type PostCommand } from "./post.ts";
import type { Thread } from "./thread.ts";

/** The one job to start now, if a slot and a thread are free; asked again until it has no answer. */
export function nextStart(state: Jobs, globalMaxRunning: number): JobEvent | null {
  let running = 0;
  let next: Thread | null = null;
  for (const thread of Object.values(state.threads)) {
    if (thread.busy_job !== null) running += 1;
    else if (canRun(state, thread) && (next === null || before(thread, next))) next = thread;
  }
  const session = next === null ? undefined : state.sessions[next.thread_id];
  const job_id = session?.queue[0];
  if (!session || job_id === undefined || running >= globalMaxRunning) return null;
  const last = session.last_job_id;
  const crashed = last !== null && state.jobs[last]?.state === "unknown_after_crash";
  return {
    type: "JobStarted",
    payload: {
      job_id,
      thread_id: session.thread_id,
      tool: session.tool,
      after_crash_of: crashed ? last : null,
    },
  };
}

/**
 * A message can be heard before the notice of the crash above it is written down; then it lets the queue go on when
 * that is. Asked with every post that is recorded.
 */
export function resumedBy(state: Jobs, { subject, part, message_id }: PostCommand): JobEvent[] {
  const thread = state.threads[state.jobs[subject]?.thread_id ?? ""];
  if (part !== CRASH_PART || thread?.hold !== subject || message_id === null) return [];
  const { thread_id } = thread;
  const waiting = state.sessions[thread_id]?.queue ?? [];
  const later = waiting.some((id) => compareSnowflakes(state.jobs[id]?.discord_message_id ?? "", message_id) > 0);
  return later ? [{ type: "QueueResumed", payload: { thread_id, job_id: subject, by: "message" } }] : [];
}

function canRun(state: Jobs, thread: Thread): boolean {
  return thread.hold === null && (state.sessions[thread.thread_id]?.queue.length ?? 0) > 0;
}

function before(a: Thread, b: Thread): boolean {
  return a.turn !== b.turn ? a.turn < b.turn : compareSnowflakes(a.thread_id, b.thread_id) < 0;
}
