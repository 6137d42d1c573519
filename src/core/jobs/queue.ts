/**
 * Which job runs next, how the owner changes a queue, and what lets a held queue go on. Each thread runs one job at a
 * time in the order of its queue; over all threads at most `global_max_running` run, and the thread that has waited
 * longest for a slot is served first. A blocked thread is skipped and delays no other.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import { openOf, voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { waitingSessions, type Session } from "../sessions/session.ts";
import { busyThreads, outsideThreads, type Thread } from "../sessions/thread.ts";
import { END_PART, type PostCommand } from "../posts/post.ts";
import { liftedPart, type Wait, type LimitWait } from "../projects/checkout.ts";
import { nextByBudget } from "./budget.ts";
import { jobOrTurn } from "./job-or-turn.ts";
import {
  ref,
  type CancelledBy,
  type EndEvent,
  type Job,
  type JobEvent,
  type QueueCommand,
  type QueueCheckEvent,
  type QueueEvent,
  type Rules,
  type WaitEvent,
} from "./job.ts";
import { lockedSince } from "./lock.ts";
import { isUnderWay, type Run } from "./run.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** A post that asks whether a queue goes on, and what a yes means. */
interface Held {
  subject: string;
  part: string;
  yes: QueueEvent;
}

/**
 * The one job to start now, if the disk has room, a budget something left, and a slot and a thread are free; or what a
 * budget makes of what waits. Called again until it returns null.
 */
export function nextStart(state: State, rules: Rules, at: string): JobEvent | WaitEvent | null {
  const { global_max_running: most, disk_full } = rules;
  const isLocked = lockedSince(state) !== null;
  const byBudget = isLocked ? null : nextByBudget(state, rules, at, (thread) => canRun(state, thread));
  if (byBudget !== null) return byBudget;
  const waiting = waitingSessions(state);
  if (waiting.length === 0) return null;
  const begun = begunByItself(state, waiting);
  if (begun !== null) return begun;
  let running = 0;
  let next: Thread | null = null;
  for (const { busy_job } of busyThreads(state)) running += busy_job !== null && holdsSlot(state, busy_job) ? 1 : 0;
  for (const { busy_job, outside = "" } of outsideThreads(state))
    running += busy_job === null && holdsSlot(state, outside) ? 1 : 0;
  if (disk_full || running >= most || isLocked) return null;
  for (const { thread_id } of waiting) {
    const thread = state.threads[thread_id];
    if (thread?.busy_job === null && canRun(state, thread) && (next === null || before(thread, next))) next = thread;
  }
  const session = next === null ? undefined : state.sessions[next.thread_id];
  const job_id = session?.queue[0];
  return session && job_id !== undefined ? started(state, session, job_id, session.tool) : null;
}

/**
 * A message that was sent into a turn which is over, without having been taken up in it: its agent has begun a turn of
 * its own with it, so it waits for nothing.
 */
function begunByItself(state: State, waiting: readonly Session[]): JobEvent | null {
  for (const session of waiting) {
    const [first = ""] = session.queue;
    const into = state.runs[first]?.sent_into;
    if (into === undefined || !isUnderWay(state, first)) continue;
    const { busy_job, outside } = state.threads[session.thread_id] ?? {};
    if (busy_job !== null || outside === into) continue;
    return started(state, session, first, jobOrTurn(state, into)?.tool ?? session.tool);
  }
  return null;
}

function started(state: State, session: Session, job_id: string, tool: string): JobEvent {
  const last = session.last_job_id;
  const crashed = last !== null && state.jobs[last]?.state === "unknown_after_crash";
  return {
    type: "JobStarted",
    payload: {
      job_id,
      thread_id: session.thread_id,
      tool,
      after_crash_of: crashed ? last : null,
    },
  };
}

function decideQueue(state: State, command: QueueCommand): (JobEvent | EndEvent | QueueEvent | DecisionEvent)[] {
  switch (command.type) {
    case "cancel_job":
      return cancel(state, command.job_id, command.by);
    case "finish_job": {
      const job = state.jobs[command.job_id];
      return job?.state !== "running" || state.runs[job.job_id]?.cancelling || openOf(state, job.job_id).length > 0
        ? []
        : [{ type: "JobCancelRequested", payload: { ...ref(job), finishes: true } }];
    }
    case "clear_queue":
      return (state.sessions[command.thread_id]?.queue ?? []).flatMap((id, index, all) =>
        cancelQueued(state, state.jobs[id], "cleared", all.slice(index + 1)),
      );
    case "move_first": {
      const job = state.jobs[command.job_id];
      const movable = (state.sessions[job?.thread_id ?? ""]?.queue ?? []).filter((id) => !isUnderWay(state, id));
      return job?.state === "queued" && movable.indexOf(command.job_id) > 0
        ? [{ type: "JobMoved", payload: ref(job) }]
        : [];
    }
    case "start_waiting":
      return [];
    case "queue_checked": {
      const { thread_id } = command;
      return state.threads[thread_id]?.stale ? [{ type: "QueueChecked", payload: { thread_id } }] : [];
    }
  }
}

function evolveQueue(state: State, event: QueueCheckEvent): void {
  const thread = state.threads[event.payload.thread_id];
  if (thread) thread.stale = event.type === "QueueStale";
}

/**
 * Ends a queued job, and a wait for the owner that is about this job alone: without the job there is nothing left to
 * ask. A crash may keep only the first of these events: a lifted limit then still asks, and nothing runs that was
 * cancelled; what asks about the job itself asks again. @param left what stays in the queue
 */
export function cancelQueued(
  state: State,
  job: Job | undefined,
  by: CancelledBy,
  left = othersQueued(state, job),
): (EndEvent | QueueEvent)[] {
  if (job?.state !== "queued" || isUnderWay(state, job.job_id)) return [];
  const wait = state.threads[job.thread_id]?.wait;
  const isLast = left.length === 0;
  const dropped =
    wait != null &&
    wait.kind !== "budget" &&
    (wait.kind === "limit"
      ? wait.lifted === true && isLast
      : wait.job_id === job.job_id || (wait.kind === "stuck" && isLast));
  const cancelled = { type: "JobCancelled", payload: { ...ref(job), by } } as const;
  if (!dropped) return [cancelled];
  const unparkOfThread = {
    type: "SessionUnparked",
    payload: { thread_id: job.thread_id, job_id: wait.job_id, by: "dropped" },
  } as const;
  return wait.kind === "limit" ? [cancelled, unparkOfThread] : [unparkOfThread, cancelled];
}

function othersQueued({ sessions }: State, job: Job | undefined): string[] {
  return (sessions[job?.thread_id ?? ""]?.queue ?? []).filter((id) => id !== job?.job_id);
}

function cancel(state: State, id: string, by: CancelledBy): (JobEvent | EndEvent | QueueEvent | DecisionEvent)[] {
  const job = jobOrTurn(state, id);
  if (job?.state !== "running" && !isUnderWay(state, id)) return cancelQueued(state, state.jobs[id], by);
  // What it asked becomes void too: no yes may come between the owner's cancellation and the agent's end.
  return job === undefined || state.runs[id]?.cancelling
    ? []
    : [{ type: "JobCancelRequested", payload: ref(job) }, ...voidedWith(state, id)];
}

/**
 * A job, or an outside turn, that waits for its owner uses no resources; when it is answered it continues at once, with
 * or without a free slot.
 */
function holdsSlot(state: State, jobId: string): boolean {
  return openOf(state, jobId).length === 0;
}

function canRun(state: State, { thread_id, hold, wait, stale, outside, closed }: Thread): boolean {
  return (
    closed === undefined &&
    hold === null &&
    wait === null &&
    !stale &&
    outside === undefined &&
    (state.sessions[thread_id]?.queue.length ?? 0) > 0
  );
}

function before(a: Thread, b: Thread): boolean {
  return a.turn !== b.turn ? a.turn < b.turn : compareSnowflakes(a.thread_id, b.thread_id) < 0;
}

/**
 * What the owner's message releases: a queue that a crash holds, or one whose usage limit was lifted. Only a message
 * below the post that asks counts, because the author of an earlier one had not seen it.
 */
export function releasedBy(state: State, thread: Thread, messageId: string): QueueEvent[] {
  return heldIn(thread).flatMap(({ subject, part, yes }) => {
    const post = state.posts[subject]?.[part];
    const below = post !== undefined && (post.message_id === null || compareSnowflakes(messageId, post.message_id) > 0);
    return below ? [yes] : [];
  });
}

/**
 * A message can arrive before the post above it is recorded; it then releases the queue once that post is recorded.
 * Checked for every post that is recorded.
 */
function releasedByPost(state: State, { subject, part, message_id }: PostCommand): QueueEvent[] {
  const thread = state.threads[jobOrTurn(state, subject)?.thread_id ?? ""];
  if (!thread || message_id === null) return [];
  return heldIn(thread).flatMap((held) =>
    held.subject === subject && held.part === part && writtenBelow(state, thread.thread_id, message_id)
      ? [held.yes]
      : [],
  );
}

/** The same at a restart: a crash may have kept the message and lost the release of the queue. */
export function releasedMeanwhile(state: State): QueueEvent[] {
  return Object.values(state.threads).flatMap((thread) =>
    heldIn(thread).flatMap(({ subject, part, yes }) => {
      const id = state.posts[subject]?.[part]?.message_id;
      return id && writtenBelow(state, thread.thread_id, id) ? [yes] : [];
    }),
  );
}

export function resume(thread_id: string, job_id: string, by: NonNullable<Run["settled"]>): QueueEvent {
  return { type: "QueueResumed", payload: { thread_id, job_id, by } };
}

/** The wait for the owner after a usage limit was lifted; null if the thread waits for something else, or nothing. */
export function liftedLimit(thread: Thread | undefined): LimitWait | null {
  return thread?.wait?.kind === "limit" && thread.wait.lifted === true ? thread.wait : null;
}

function heldIn(thread: Thread): Held[] {
  const { thread_id, hold } = thread;
  const lifted = liftedLimit(thread);
  return [
    ...(hold === null ? [] : [{ subject: hold, part: END_PART, yes: resume(thread_id, hold, "message") }]),
    ...(lifted === null
      ? []
      : [{ subject: lifted.job_id, part: liftedPart(lifted), yes: unparkEvent(thread_id, lifted) }]),
  ];
}

/** The event for the owner's yes: the thread goes on after its limit. */
export function unparkEvent(thread_id: string, { job_id }: Wait): QueueEvent {
  return { type: "SessionUnparked", payload: { thread_id, job_id, by: "owner" } };
}

function writtenBelow(state: State, threadId: string, noticeId: string): boolean {
  const waiting = state.sessions[threadId]?.queue ?? [];
  return waiting.some((id) => compareSnowflakes(state.jobs[id]?.discord_message_id ?? "", noticeId) > 0);
}

export const queueSlice: Slice<QueueCommand, QueueCheckEvent> = {
  decide: each(decideQueue, "cancel_job", "finish_job", "clear_queue", "move_first", "queue_checked", "start_waiting"),
  evolve: each(evolveQueue, "QueueStale", "QueueChecked"),
  kinds: "wait",
  alsoDecides: { record_post: releasedByPost },
};
