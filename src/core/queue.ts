/**
 * Who runs next, and what the owner does with what waits. Each thread runs one job at a time in the order of its
 * queue; over all threads at most `global_max_running` run, and the thread that has waited longest for a slot is
 * served first. A thread that may not go on is passed over, and nobody else waits for it.
 */
import { compareSnowflakes } from "../base/ids.ts";
import { openOf, voidedWith, type DecisionEvent } from "./decision.ts";
import {
  ref,
  type CancelledBy,
  type EndEvent,
  type Job,
  type JobEvent,
  type Jobs,
  type QueueCommand,
  type QueueEvent,
} from "./job.ts";
import type { Thread } from "./thread.ts";

/** The one job to start now, if a slot and a thread are free; asked again until it has no answer. */
export function nextStart(state: Jobs, globalMaxRunning: number): JobEvent | null {
  let running = 0;
  let next: Thread | null = null;
  for (const thread of Object.values(state.threads)) {
    if (thread.busy_job !== null) running += holdsSlot(state, thread.busy_job) ? 1 : 0;
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

export function decideQueue(state: Jobs, command: QueueCommand): (JobEvent | EndEvent | QueueEvent | DecisionEvent)[] {
  switch (command.type) {
    case "cancel_job":
      return cancel(state, command.job_id, command.by);
    case "clear_queue":
      return (state.sessions[command.thread_id]?.queue ?? []).flatMap((id) => cancelQueued(state, state.jobs[id], "cleared"));
    case "move_first": {
      const job = state.jobs[command.job_id];
      const isFirst = state.sessions[job?.thread_id ?? ""]?.queue[0] === command.job_id;
      return job?.state === "queued" && !isFirst ? [{ type: "JobMoved", payload: ref(job) }] : [];
    }
    case "queue_checked": {
      const { thread_id } = command;
      return state.threads[thread_id]?.stale ? [{ type: "QueueChecked", payload: { thread_id } }] : [];
    }
  }
}

export function evolveQueue(state: Jobs, event: Extract<QueueEvent, { type: "QueueStale" | "QueueChecked" }>): void {
  const thread = state.threads[event.payload.thread_id];
  if (thread) thread.stale = event.type === "QueueStale";
}

/** Ends a job that waits, and before that whatever waits for this job alone: without it there is nothing left to ask. */
export function cancelQueued(state: Jobs, job: Job | undefined, by: CancelledBy): (EndEvent | QueueEvent)[] {
  if (job?.state !== "queued") return [];
  const wait = state.threads[job.thread_id]?.wait;
  const asks = wait?.kind === "checkout" && wait.job_id === job.job_id;
  return [
    ...(asks ? [{ type: "SessionUnparked", payload: { ...ref(job), by: "dropped" } } as const] : []),
    { type: "JobCancelled", payload: { ...ref(job), by } },
  ];
}

function cancel(state: Jobs, id: string, by: CancelledBy): (JobEvent | EndEvent | QueueEvent | DecisionEvent)[] {
  const job = state.jobs[id];
  if (job?.state !== "running") return cancelQueued(state, job, by);
  // What it asked is void with it: no yes may come between the owner's word and the agent's end.
  return state.runs[id]?.cancelling ? [] : [{ type: "JobCancelRequested", payload: ref(job) }, ...voidedWith(state, id)];
}

/** One that waits for its owner uses nobody's time; when it is answered it goes on at once, a free slot or not. */
function holdsSlot(state: Jobs, jobId: string): boolean {
  return openOf(state, jobId).length === 0;
}

function canRun(state: Jobs, { thread_id, hold, wait, stale }: Thread): boolean {
  return hold === null && wait === null && !stale && (state.sessions[thread_id]?.queue.length ?? 0) > 0;
}

function before(a: Thread, b: Thread): boolean {
  return a.turn !== b.turn ? a.turn < b.turn : compareSnowflakes(a.thread_id, b.thread_id) < 0;
}
