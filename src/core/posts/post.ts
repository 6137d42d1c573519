/**
 * A post: a message Bellhop has put into Discord for something in the state. What is *owed* is not stored: the views
 * derive it from the state. This record only remembers which message shows what, so that it is sent once, edited when
 * its subject changes, and found again after a restart.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import { follow, indexed, remove } from "../indexed.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface Post {
  channel_id: string;
  /** Null: Discord accepted it nowhere, and it was given up. */
  message_id: string | null;
  /** Digest of the content last shown. */
  hash: string;
  /**
   * What it says, by name (`post-state.ts`, or one of those below). Another name means an edit is owed; other words for
   * the same do not.
   */
  is: string;
  /**
   * For the last message of an answer below which something else was posted; the answer continues in further messages.
   */
  upto?: Upto;
}

/** How much of an answer is posted: the number of characters, and their digest. */
export interface Upto {
  chars: number;
  sha256: string;
}

/** For a message that still grows, and may show less than is owed at the moment. */
export const GROWING = "growing";
/** For a post that was removed and may come back; without a message any other name is final. */
export const REMOVED = "removed";
/** For a message that may show something other than what was sent: the next look edits it. */
export const UNKNOWN = "unknown";
/** For a short notice in place of a post that is still owed. */
export const UNSETTLED = "unsettled";

/** Posts by subject (a job, a thread, a refused message), then by part (`card`, `answer:0`, `end`, …). */
export type Posts = Record<string, Record<string, Post>>;

/** What a job shows while it runs. */
export const CARD_PART = "card";

/**
 * The message that closes a job: how it ended, and what its owner can do about it. After a crash it may hold its
 * thread's queue.
 */
export const END_PART = "end";

/** The message below an answer that was posted when nothing could be recorded any more. */
export const UNRECORDED_PART = "unrecorded";

/** Records that a thread has its name, or keeps its owner's. */
export const NAMED_PART = "named";

/** For the offer to open a session with a message: it was opened, and nothing more will be said of it. */
export const OPENED = "opened";
const OFFER = "offer:";

/** The subject of the offer to open a session with a message. */
export function offerOf(messageId: string): string {
  return `${OFFER}${messageId}`;
}

/** The messages with which this channel's posts offer to open a session. */
export function offeredAt(posts: Posts, channelId: string): string[] {
  const subjects = indexed(posts, (parts, subject) =>
    subject.startsWith(OFFER) ? Object.values(parts).map(({ channel_id }) => channel_id) : [],
  ).idsOf(channelId);
  return subjects.map((subject) => subject.slice(OFFER.length));
}

/** The part that shows a decision to its owner. */
export const PROMPT_PART = "prompt";
/** The parts that are pages of what a decision would allow, each its own message. */
export const PAGE_PART = /^page:(\d+)$/;

export interface PostEvent {
  type: "PostRecorded";
  payload: Post & { subject: string; part: string; partly?: true };
}

/** `partly`: not all of it could be shown there; a notice is in its place. */
export type PostCommand = Post & { type: "record_post"; subject: string; part: string; partly?: true };

export function decidePost(posts: Posts, command: PostCommand): PostEvent[] {
  const { type: _type, ...payload } = command;
  const known = posts[payload.subject]?.[payload.part];
  const same =
    known?.message_id === payload.message_id &&
    known.hash === payload.hash &&
    known.is === payload.is &&
    known.upto?.chars === payload.upto?.chars &&
    known.channel_id === payload.channel_id;
  return same ? [] : [{ type: "PostRecorded", payload }];
}

/** Callers check that the subject is still live; a record for one that has left the live state is dropped. */
/** A posted notice is finished; a post of a job or outside turn that has left the live state is dropped. */
function evolveRecorded({ posts, notices, jobs, turns }: State, event: PostEvent): void {
  const { subject, is } = event.payload;
  if (notices[subject]) remove(notices, subject);
  else if (subject.startsWith(OFFER) && (is === OPENED || is === REMOVED)) remove(posts, subject);
  else if (!isOfWork(subject) || jobs[subject] || turns[subject]) evolvePost(posts, event);
}

function placeOfPost({ jobs, turns, decisions }: State, { payload: { subject } }: PostEvent): string {
  return (jobs[subject] ?? turns[subject] ?? decisions[subject])?.thread_id ?? subject;
}

function evolvePost(posts: Posts, event: PostEvent): void {
  const { subject, part, partly: _partly, upto, ...post } = event.payload;
  (posts[subject] ??= {})[part] = upto ? { ...post, upto: { ...upto } } : post;
  follow(posts, subject);
}

/** Drops the posts of what leaves the live state; its thread remembers how far its messages go. */
export function forgetPosts(
  posts: Posts,
  subject: string,
  thread: { thread_id: string; forgotten_through?: string } | undefined,
): void {
  for (const { channel_id, message_id } of Object.values(posts[subject] ?? {})) {
    const isThere = thread !== undefined && channel_id === thread.thread_id;
    if (isThere && message_id !== null && compareSnowflakes(message_id, thread.forgotten_through ?? "0") > 0)
      thread.forgotten_through = message_id;
  }
  remove(posts, subject);
}

/** Whether the subject is a job or an outside turn. */
export function isOfWork(subject: string): boolean {
  return subject.startsWith("job_") || subject.startsWith("turn_");
}

/**
 * The subjects of the message with this id. Excludes posts of jobs and outside turns: they are the most, and nobody
 * looks them up.
 */
export function subjectsAt(posts: Posts, messageId: string): readonly string[] {
  return indexed(posts, (parts, subject) => (isOfWork(subject) ? [] : messagesOf(parts))).idsOf(messageId);
}

function messagesOf(parts: Posts[string]): string[] {
  return Object.values(parts).flatMap(({ message_id }) => message_id ?? []);
}

export const postSlice: Slice<PostCommand, PostEvent> = {
  decide: { record_post: ({ posts }, command) => decidePost(posts, command) },
  evolve: { PostRecorded: evolveRecorded },
  // A decision is shown, or is not, where its post stands.
  kinds: ({ decisions }, { payload }) => (decisions[payload.subject] ? "decision" : "post"),
  topic: placeOfPost,
};
