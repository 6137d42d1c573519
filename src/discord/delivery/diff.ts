/**
 * The difference between what should stand in Discord and what does: which step, if any, makes one post as it is wanted,
 * and what follows when Discord refuses that step. What the post sync knows about a thread's messages while it runs is
 * here too; losing it costs an extra look or edit, never a post.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import { GROWING, REMOVED, UNKNOWN, UNSETTLED, type Post } from "../../core/posts/post.ts";
import type { State } from "../../core/state.ts";
import type { Priority } from "../api/rate-limits.ts";
import type { FailureKind } from "../api/transport.ts";
import { type Body, type DesiredPost, hashOf, shapeOfBody, type PostKey } from "../views/message.ts";
import type { Own } from "./own-messages.ts";
import { snowflakeBefore } from "./send-once.ts";

/** What is known of one post, by subject and part. Times are by the monotonic clock. */
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

/** What makes one post as it is wanted. */
export type Step =
  | { do: "nothing" }
  /** To be looked at again then, by the monotonic clock; `isAwaited`: the thread is not up to date before. */
  | { do: "wait"; until: number; isAwaited: boolean }
  | { do: "create"; body: Body; replaces: string }
  /** Removed where it stands, and created again at the end. */
  | { do: "move"; body: Body; posted: PostedMessage }
  | { do: "edit"; body: Body; posted: PostedMessage }
  /** An edit that nobody waits for, and that the next one replaces. */
  | { do: "grow"; body: Body; posted: PostedMessage }
  /** The message shows it already. */
  | { do: "record"; posted: PostedMessage }
  | { do: "interrupt"; line: string; posted: PostedMessage }
  | { do: "remove"; posted: PostedMessage }
  /** Recorded, if it stands unrecorded. */
  | { do: "find"; body: Body; above?: string; grown?: true };

export interface TimeNow {
  /** Milliseconds since the epoch. */
  now: number;
  monotonic: number;
  /** Minimum time between two edits of one growing message, in milliseconds. */
  editIntervalMs: number;
}

const NOTHING: Step = { do: "nothing" };
/** Names under which a message may show anything. */
const OPEN_NAMES: ReadonlySet<string> = new Set([GROWING, UNKNOWN, UNSETTLED]);

/** The step that this post needs now. */
export function diff(state: State, desired: DesiredPost, shownPosts: ShownPosts, moment: TimeNow): Step {
  const { want } = desired;
  const posted = state.posts[desired.subject]?.[desired.part];
  const memory = memoryOf(shownPosts, desired);
  if (isDeferred(desired, memory, posted, moment))
    return { do: "wait", until: moment.monotonic + (desired.notBefore ?? 0) - moment.now, isAwaited: false };
  if (want.kind === "show") return toShow(state, { ...desired, body: want.body }, { memory, posted }, moment);
  if (want.kind === "found")
    return posted || (want.grown && !isInDoubt(shownPosts, desired)) ? NOTHING : { ...want, do: "find" };
  if (!isStanding(posted)) return NOTHING;
  if (want.kind === "remove") return { do: "remove", posted };
  return posted.is === desired.is ? NOTHING : { do: "interrupt", line: want.line, posted };
}

/** What an earlier try may have posted is not deferred. */
function isDeferred(
  { since, notBefore = 0 }: DesiredPost,
  { triedAt }: Memory,
  posted: Post | undefined,
  { now }: TimeNow,
): boolean {
  const isSetBack = now < since && notBefore < Infinity;
  return notBefore > now && !isSetBack && !posted?.message_id && triedAt === null;
}

function toShow(
  state: State,
  desired: DesiredPost & { body: Body },
  { memory, posted }: { memory: Memory; posted: Post | undefined },
  moment: TimeNow,
): Step {
  const { body, is } = desired;
  if (desired.live && memory.letGo) return NOTHING;
  if (!posted || (posted.message_id === null && posted.is === REMOVED)) return { do: "create", body, replaces: "" };
  if (!isStanding(posted)) return againIfDue(desired, memory, moment);
  if (desired.buried === true) return { do: "move", body, posted };
  if (desired.stands === true && isPlaceLost(state, desired, posted))
    return { do: "create", body, replaces: posted.message_id };
  const hash = hashOf(body);
  if (desired.live) return toGrow(body, hash, { memory, posted }, moment);
  // An edit that is queued or in flight would replace what the message shows now.
  const shown = memory.edit === null ? (memory.shown ?? (OPEN_NAMES.has(posted.is) ? UNKNOWN : posted.hash)) : UNKNOWN;
  if (posted.is === is && shown === posted.hash) return NOTHING;
  return shown === hash ? { do: "record", posted } : { do: "edit", body, posted };
}

/**
 * A post that was given up is due again at once when it says something else and after a restart, else later and later,
 * and only if its owner has to see it.
 */
function againIfDue(desired: DesiredPost & { body: Body }, { refused }: Memory, { monotonic }: TimeNow): Step {
  if (desired.stands !== true) return NOTHING;
  if (refused?.is === desired.is && monotonic < refused.until)
    return { do: "wait", until: refused.until, isAwaited: false };
  return { do: "create", body: desired.body, replaces: "" };
}

/** Whether it is in a place that the thread has lost since. */
function isPlaceLost({ threads }: State, { thread_id }: DesiredPost, { channel_id }: Post): boolean {
  const thread = threads[thread_id];
  if (!thread || thread.place === "thread") return false;
  return channel_id === thread_id || (thread.place === "owner" && channel_id === thread.channel_id);
}

/** The latest text wins, and there is at most one edit in each interval. */
function toGrow(
  body: Body,
  hash: string,
  { memory, posted }: { memory: Memory; posted: PostedMessage },
  { monotonic, editIntervalMs }: TimeNow,
): Step {
  if ((memory.edit?.hash ?? memory.shown) === hash) return NOTHING;
  const until = memory.sentAt + editIntervalMs;
  if (until > monotonic && (memory.edit === null || memory.edit.sent)) return { do: "wait", until, isAwaited: true };
  return { do: "grow", body, posted };
}

function isStanding(posted: Post | undefined): posted is PostedMessage {
  return typeof posted?.message_id === "string";
}

/** What was tried when Discord refused: a new message, an edit of what it shows, or a change that says nothing new. */
export type Tried = "create" | "edit" | "mark";

/**
 * What follows a refusal:
 * - `again`: at the next look; it passes by itself
 * - `anew`: it is posted again in the current place
 * - `burn`: the first try created it and somebody deleted it before we knew, so its nonce belongs to a deleted message;
 *   again with another one
 * - `unarchive`: its thread is opened, then again
 * - `lose_place`: the thread's posts go to the next place from now on
 * - `shorten`: a short notice takes its place
 * - `let_go`: a growing message is left alone until its end
 * - `record`: what it shows counts as what was wanted
 * - `give_up`: it is recorded as not posted
 */
export type Remedy =
  | "again"
  | "anew"
  | "burn"
  | "unarchive"
  | "lose_place"
  | "shorten"
  | "let_go"
  | "record"
  | "give_up";

/** After this many tries without an answer, the post itself may be the cause: a short notice is tried in its place. */
const UNANSWERED = 3;

/** @param hasFiles files came with what was refused */
export function remedyFor(
  tried: Tried,
  kind: FailureKind,
  { desired: { want, priority, live }, memory: { unanswered, burnt } }: PostOperation,
  hasFiles = false,
): Remedy {
  const isCosmetic = priority === "cosmetic";
  const isPatient = isCosmetic || want.kind !== "show" || unanswered < UNANSWERED;
  if (kind === "superseded" || (kind === "unavailable" && isPatient)) return "again";
  if (kind === "archived") return "unarchive";
  if (tried === "mark") return "give_up";
  const isPlace = kind === "locked" || kind === "channel_gone" || kind === "no_access";
  if (tried === "edit") {
    if (kind === "message_gone") return isCosmetic ? "give_up" : "anew";
    if (isPlace) return isCosmetic ? "give_up" : "lose_place";
    if (isCosmetic) return "record";
    return kind === "too_old" ? "anew" : "shorten";
  }
  if (kind === "message_gone") return burnt || isCosmetic ? "give_up" : "burn";
  // Perhaps only files are not allowed here; the place is given up only when plain words are refused too.
  if (isPlace && !(kind === "no_access" && hasFiles)) return "lose_place";
  if (live) return "let_go";
  return isCosmetic ? "give_up" : "shorten";
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

export function keyOf({ subject, part, sentAs = part }: PostKey): string {
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
  return want.kind === "remove" || want.kind === "interrupted" ? undefined : want.body;
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

/** Whether an earlier try, of this process or another, may have left it. */
function isInDoubt(shownPosts: ShownPosts, desired: DesiredPost): boolean {
  return memoryOf(shownPosts, desired).triedAt !== null || shownPosts.inherited?.has(keyOf(desired)) === true;
}

/** Forgets posts that are not owed any more. */
export function forgetUndesiredPosts(shownPosts: ShownPosts, desired: readonly DesiredPost[]): void {
  const keys = new Set(desired.map(keyOf));
  for (const [key, memory] of shownPosts.memory)
    if (!keys.has(key) && memory.edit === null) shownPosts.memory.delete(key);
}
