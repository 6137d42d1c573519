/**
 * What the post sync knows about one thread while it runs: which of its posts have been tried, and what their messages
 * show right now; and what the writer and its fallbacks need to correct one of them. Losing it costs an extra look or
 * edit, never a post.
 */
import type { Calls } from "../views/rings.ts";
import type { Clock } from "../../base/clock.ts";
import { compareSnowflakes } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import type { Locale } from "../../base/words/say.ts";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import type { Post } from "../../core/posts/post.ts";
import type { Place } from "../../core/sessions/thread.ts";
import type { State } from "../../core/state.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Priority } from "../api/rate-limits.ts";
import type { Rest } from "../api/rest.ts";
import { type Body, type DesiredPost, shapeOfBody } from "../views/message.ts";
import type { Own } from "./own-messages.ts";
import { snowflakeBefore } from "./send-once.ts";

/** One post, by subject and part. Times are by the monotonic clock. */
export interface Memory {
  /** Digest of what the message shows; null if this process has not seen it. */
  shown: string | null;
  /** When the first try was sent that has no answer yet; null if there is none. */
  triedAt: number | null;
  /** Tries given up because no answer came. */
  unanswered: number;
  /** How often its archived thread was unarchived for it. */
  opened: number;
  /** Its nonce belongs to a message that somebody deleted. */
  burnt: boolean;
  /** Discord accepted it nowhere: what it said, how often that was tried, and when it is tried again. */
  refused: { is: string; times: number; until: number } | null;
  /** A growing post whose message was deleted or refused: left alone until it is final. */
  letGo: boolean;
  /** An edit of a growing post that is queued or in flight. */
  edit: { hash: string; sent: boolean } | null;
  /** When something was last sent for it. */
  sentAt: number;
}

export interface ShownPosts {
  thread_id: string;
  /** Aborted when there is news: what is still queued is withdrawn. */
  signal: AbortSignal;
  /** Something of the thread is still on its way to Discord. */
  busy: boolean;
  memory: Map<string, Memory>;
  /**
   * Posts that were already owed when this process began: an earlier one may have tried them. Null before the first
   * look.
   */
  inherited: Map<string, Inherited> | null;
  /** Our messages in a channel, in which all of these are looked for. Null: nothing had to be looked for yet. */
  reading: ChannelReading | null;
  /** Edits of growing posts that nobody waits for. */
  background: Set<Promise<void>>;
  /** When to look again, by the monotonic clock; infinite if nothing is to do later. */
  lookAt: number;
  /** The same for posts that Discord refused: nobody waits for them. */
  tryAt: number;
}

/** What an earlier process may have sent. */
export interface Inherited {
  /** It is newer than this id. */
  after: string;
  /** What it shows, unless that has changed since. */
  shape: string;
}

/** Our messages in a channel after an id. */
export interface ChannelReading {
  channelId: string;
  after: string;
  own: Promise<readonly Own[]>;
  isDone: boolean;
}

/** One post that is being corrected. */
export interface PostOperation {
  desired: DesiredPost;
  shownPosts: ShownPosts;
  /** That of the most urgent post waiting behind this one, if higher than its own. */
  priority: Priority;
  memory: Memory;
  /** Digest of what counts as shown afterwards: the body that is owed, or else what stands there. */
  hash: string;
}

/** A message that stands in Discord. */
export type PostedMessage = Post & { message_id: string };

/** Where a thread's posts go now. */
export interface Spot {
  place: Place;
  channelId: string;
}

export interface PostWriterOptions {
  engine: Engine;
  rest: Rest;
  clock: Clock;
  log: Log;
  botId: string;
  /** Opens the owner's direct messages, once; resolves with the channel's id. */
  openDirect(): Promise<string>;
  locale: Locale;
  calls: Calls;
  /** Minimum time between two edits of one growing message, in milliseconds. */
  editIntervalMs(): number;
  /** A message was posted in this channel. */
  onPosted(channelId: string, messageId: string): void;
  /** Has the post sync look again in `ms`; 0: next. */
  lookLater(shownPosts: ShownPosts, ms: number): void;
}

/** `fresh`: the thread was created after this process began, so no earlier one can have posted for it. */
export function newShownPosts(thread_id: string, fresh: boolean): ShownPosts {
  return {
    thread_id,
    signal: AbortSignal.abort(),
    busy: false,
    memory: new Map(),
    inherited: fresh ? new Map() : null,
    reading: null,
    background: new Set(),
    lookAt: Number.POSITIVE_INFINITY,
    tryAt: Number.POSITIVE_INFINITY,
  };
}

export function keyOf({ subject, part, sentAs = part }: Pick<DesiredPost, "subject" | "part" | "sentAs">): string {
  return `${subject} ${sentAs}`;
}

export function memoryOf(shownPosts: ShownPosts, desired: DesiredPost): Memory {
  const key = keyOf(desired);
  let memory = shownPosts.memory.get(key);
  if (!memory) {
    memory = {
      shown: null,
      triedAt: null,
      unanswered: 0,
      opened: 0,
      burnt: false,
      refused: null,
      letGo: false,
      edit: null,
      sentAt: Number.NEGATIVE_INFINITY,
    };
    shownPosts.memory.set(key, memory);
  }
  return memory;
}

/** Those of these posts that an earlier process may have sent without recording it. */
export function inheritedOf(state: State, desired: readonly DesiredPost[]): Map<string, Inherited> {
  return new Map(
    desired.flatMap((one) => {
      const body = bodyOf(one);
      return body === undefined || state.posts[one.subject]?.[one.part]
        ? []
        : [[keyOf(one), { after: sentAfter(state, one), shape: shapeOfBody(body) }]];
    }),
  );
}

function bodyOf({ want }: DesiredPost): Body | undefined {
  return want.kind === "remove" ? want.unrecorded : want.kind === "interrupted" ? undefined : want.body;
}

/**
 * It was sent after this id: that of the message it answers, or its job's, or one from ten minutes before it could be
 * owed.
 */
export function sentAfter(state: State, desired: DesiredPost): string {
  if (desired.reply_to) return desired.reply_to;
  const since = snowflakeBefore(firstOwed(state, desired));
  const message = state.jobs[desired.subject]?.discord_message_id;
  return message !== undefined && compareSnowflakes(message, since) > 0 ? message : since;
}

/** The posts of a job or an outside turn may have been tried while it still ran. Milliseconds since the epoch. */
export function firstOwed(state: State, { subject, since }: DesiredPost): number {
  const started = Date.parse(jobOrTurn(state, subject)?.started_at ?? "");
  return Number.isNaN(started) ? since : Math.min(since, started);
}

/** Forgets posts that are not owed any more. */
export function forgetUndesiredPosts(shownPosts: ShownPosts, desired: readonly DesiredPost[]): void {
  const keys = new Set(desired.map(keyOf));
  for (const [key, memory] of shownPosts.memory)
    if (!keys.has(key) && memory.edit === null) shownPosts.memory.delete(key);
}
