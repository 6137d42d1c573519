/**
 * What the owner's next message releases: a queue that a crash holds, or one whose usage limit was lifted. Only a
 * message below the post that asks counts, because the author of an earlier one had not seen it.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import { END_PART, type PostCommand } from "../posts/post.ts";
import { liftedPart, type Wait } from "../projects/checkout.ts";
import type { Thread } from "../sessions/thread.ts";
import type { Jobs, QueueEvent } from "./job.ts";
import { jobOrTurn } from "./job-or-turn.ts";
import type { Run } from "./run.ts";

/** A post that asks whether a queue goes on, and what a yes means. */
interface Held {
  subject: string;
  part: string;
  yes: QueueEvent;
}

/** What a message in the thread releases. */
export function releasedBy(state: Jobs, thread: Thread, messageId: string): QueueEvent[] {
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
export function releasedByPost(state: Jobs, { subject, part, message_id }: PostCommand): QueueEvent[] {
  const thread = state.threads[jobOrTurn(state, subject)?.thread_id ?? ""];
  if (!thread || message_id === null) return [];
  return heldIn(thread).flatMap((held) => (held.subject === subject && held.part === part && writtenBelow(state, thread.thread_id, message_id) ? [held.yes] : []));
}

/** The same at a restart: a crash may have kept the message and lost the release of the queue. */
export function releasedMeanwhile(state: Jobs): QueueEvent[] {
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
export function liftedLimit(thread: Pick<Thread, "wait"> | undefined): Extract<Wait, { kind: "limit" }> | null {
  return thread?.wait?.kind === "limit" && thread.wait.lifted === true ? thread.wait : null;
}

function heldIn(thread: Thread): Held[] {
  const { thread_id, hold } = thread;
  const lifted = liftedLimit(thread);
  return [
    ...(hold === null ? [] : [{ subject: hold, part: END_PART, yes: resume(thread_id, hold, "message") }]),
    ...(lifted === null ? [] : [{ subject: lifted.job_id, part: liftedPart(lifted), yes: unparked(thread_id, lifted) }]),
  ];
}

/** The event for the owner's yes: the thread goes on after its limit. */
export function unparked(thread_id: string, { job_id }: Wait): QueueEvent {
  return { type: "SessionUnparked", payload: { thread_id, job_id, by: "owner" } };
}

function writtenBelow(state: Jobs, threadId: string, noticeId: string): boolean {
  const waiting = state.sessions[threadId]?.queue ?? [];
  return waiting.some((id) => compareSnowflakes(state.jobs[id]?.discord_message_id ?? "", noticeId) > 0);
}
