/**
 * Our own messages in a channel, read from its history, and which of them is a post that may stand unrecorded: its
 * answer was lost, and its nonce has expired. A thread's posts are looked for in one reading of it.
 */
import { MessageType, type APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../../base/ids.ts";
import { once } from "../../base/once.ts";
import type { State } from "../../core/state.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { Priority } from "../api/rate-limits.ts";
import type { RestCaller } from "../api/rest.ts";
import { type Body, shapeOf, shapeOfBody } from "../views/message.ts";
import { keyOf, sentAfter, type ChannelReading, type PostOperation } from "./diff.ts";
import { messagesAfter } from "./send-once.ts";

/** A message, and what it shows as far as it can be compared. */
export interface Own {
  message: APIMessage;
  shape: string;
}

/** The part of a history that is read. */
export interface Stretch {
  channelId: string;
  botId: string;
  /** It is newer than this id. */
  after: string;
  priority: Priority;
  signal?: AbortSignal;
}

/** Our messages in a part of a channel's history, oldest first. @throws RestFailure */
export async function readOwn(rest: RestCaller, { botId, ...stretch }: Stretch): Promise<readonly Own[]> {
  const own: Own[] = [];
  for await (const message of messagesAfter(rest, stretch))
    if (message.author.id === botId) own.push({ message, shape: shapeOf(message) });
  return own;
}

interface SoughtMessage {
  nonce: string;
  body: Body;
  /** Undefined: to any message, or to none. */
  replyTo: string | null | undefined;
  /** It is above this message. Absent: anywhere. */
  above?: string | undefined;
  /**
   * In a session's thread, where every message of ours is a post, it may also be one that has changed since it was
   * sent.
   */
  inThread: boolean;
  /** Whether a card that has more lines below the body's is a match, too. */
  mayGoOn?: boolean;
}

export interface MessageQuery extends SoughtMessage {
  /** It is newer than this id. Absent: all that was read is. */
  after?: string;
  /** Whether a message already belongs to a post: then it is not this one. */
  claimed(messageId: string): boolean;
  /** Whether a message that shows exactly this belongs to another post that is looked for. */
  isOthers?(shape: string): boolean;
}

/**
 * Which of these messages it is; null: it is not there. Most certain first: the nonce; the same body; then any message
 * of ours of that kind that belongs to no known post.
 */
export function findOwn(own: readonly Own[], sought: MessageQuery): APIMessage | null {
  const { nonce, body, after = "0", above, mayGoOn = false, claimed, isOthers = () => false } = sought;
  const wanted = shapeOfBody(body);
  let same: APIMessage | null = null;
  let stray: APIMessage | null = null;
  for (const { message, shape } of own) {
    if (above !== undefined && compareSnowflakes(message.id, above) >= 0) break;
    if (compareSnowflakes(message.id, after) <= 0 || claimed(message.id)) continue;
    if (message.nonce === nonce) return message;
    if (shape === wanted || (mayGoOn && goesOn(message, body))) same ??= message;
    else if (isOfKind(message, sought) && !isOthers(shape)) stray ??= message;
  }
  return same ?? stray;
}

/** Whether it is a card that begins with the body's lines and has more. */
function goesOn({ content, embeds }: APIMessage, body: Body): boolean {
  const [first] = body.embeds;
  return content === "" && first !== undefined && embeds[0]?.description?.startsWith(`${first.description}\n`) === true;
}

/** A reply to the same message or to none, with text if the post has text, and not the answer to a command. */
function isOfKind(message: APIMessage, { body, replyTo, inThread }: MessageQuery): boolean {
  if (
    !inThread ||
    message.interaction_metadata ||
    (message.type !== MessageType.Default && message.type !== MessageType.Reply)
  )
    return false;
  const repliesTo = message.message_reference?.message_id ?? null;
  return (message.content === "") === (body.content === "") && (replyTo === undefined || repliesTo === replyTo);
}

/** The message that an earlier try of this post may have left in the channel. */
export async function findEarlier(
  context: BotContext,
  operation: PostOperation,
  sought: SoughtMessage & { channelId: string },
): Promise<APIMessage | null> {
  const { desired, shownPosts } = operation;
  const after = sentAfter(context.engine.state, desired);
  const own = await readFor(context, operation, sought.channelId, after);
  const others = new Set(
    [...(shownPosts.inherited ?? [])].flatMap(([key, { shape }]) => (key === keyOf(desired) ? [] : [shape])),
  );
  return findOwn(own, {
    ...sought,
    after,
    claimed: claimedIn(context.engine.state, sought.channelId),
    isOthers: (shape) => others.has(shape),
  });
}

/** One reading serves all that an earlier process may have sent, back to the oldest of it. */
function readFor(
  { rest, botId }: BotContext,
  { shownPosts, memory, priority }: PostOperation,
  channelId: string,
  after: string,
): Promise<readonly Own[]> {
  const { signal, inherited, reading } = shownPosts;
  // This process may have sent it meanwhile.
  if (memory.triedAt !== null) return readOwn(rest, { channelId, botId, after, priority, signal });
  if (reading?.channelId === channelId && compareSnowflakes(reading.after, after) <= 0) return reading.own;
  const oldest =
    [after, ...[...(inherited ?? new Map()).values()].map((one) => one.after)].toSorted(compareSnowflakes)[0] ?? after;
  // Whatever changes in the thread, it is wanted.
  const next: ChannelReading = {
    channelId,
    after: oldest,
    own: readOwn(rest, { channelId, botId, after: oldest, priority }),
    isDone: false,
  };
  shownPosts.reading = next;
  next.own.then(
    () => (next.isDone = true),
    () => shownPosts.reading === next && (shownPosts.reading = null),
  );
  return next.own;
}

/**
 * Tells whether a message belongs to a post, or did. Nearly all of ours do; only if one did not at first are all posts
 * looked at again.
 */
function claimedIn(state: State, channelId: string): (messageId: string) => boolean {
  const forgotten = state.threads[channelId]?.forgotten_through ?? "0";
  const known = once(
    () =>
      new Set(Object.values(state.posts).flatMap((parts) => Object.values(parts).map(({ message_id }) => message_id))),
  );
  const isNow = (id: string): boolean =>
    Object.values(state.posts).some((parts) => Object.values(parts).some(({ message_id }) => message_id === id));
  return (messageId) => compareSnowflakes(messageId, forgotten) <= 0 || known().has(messageId) || isNow(messageId);
}
