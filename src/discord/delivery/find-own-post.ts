/**
 * Searches our own messages for a post that may exist unrecorded: its answer was lost, and its nonce has expired. Only
 * messages that no other post has claimed are considered.
 */
import { MessageType, type APIMessage } from "discord-api-types/v10";
import { compareSnowflakes, firstSnowflake } from "../../base/ids.ts";
import type { Priority } from "../api/priority.ts";
import type { Body } from "../views/desired-posts.ts";
import { showsBody } from "../views/post-request.ts";
import type { Rest } from "../api/rest.ts";

export interface Sought {
  channelId: string;
  botId: string;
  nonce: string;
  body: Body;
  /** The message it would reply to, if any. */
  replyTo: string | null;
  /** A session's thread, where every message of ours is a post. */
  inThread: boolean;
  /** Milliseconds since the epoch: it was not sent before this. */
  since: number;
  priority: Priority;
  /** Whether a message already belongs to a post. */
  claimed(messageId: string): boolean;
  signal: AbortSignal;
}

const PAGE = 100;
/** Our clock and Discord's may differ; reading a message too many costs nothing, missing one makes a duplicate. */
const CLOCKS_APART_MS = 10 * 60_000;

/**
 * The message, or null. Most certain first: the nonce; the same body; then any message of ours of that kind that
 * belongs to no known post, such as a post that has changed since it was sent.
 */
export async function lookUp(rest: Rest, sought: Sought): Promise<APIMessage | null> {
  let same: APIMessage | null = null;
  let stray: APIMessage | null = null;
  for await (const message of messagesAfter(rest, { ...sought, after: sought.replyTo ?? snowflakeBefore(sought.since) })) {
    if (message.author.id !== sought.botId || sought.claimed(message.id)) continue;
    if (message.nonce === sought.nonce) return message;
    if (showsBody(message, sought.body)) same ??= message;
    if (isOfKind(message, sought)) stray ??= message;
  }
  return same ?? stray;
}

/** The messages of a channel after this id, oldest first, read page by page. */
export async function* messagesAfter(rest: Pick<Rest, "call">, { channelId, after, priority, signal }: { channelId: string; after: string; priority: Priority; signal?: AbortSignal }): AsyncGenerator<APIMessage> {
  for (let from = after; ; ) {
    const path = `/channels/${channelId}/messages?after=${from}&limit=${PAGE}` as const;
    const page = await rest.call<APIMessage[]>({ method: "GET", path, priority, ...(signal && { signal }) });
    const oldestFirst = page.toSorted((a, b) => compareSnowflakes(a.id, b.id));
    yield* oldestFirst;
    const last = oldestFirst.at(-1);
    if (page.length < PAGE || !last) return;
    from = last.id;
  }
}

/** A reply to the same message or to none, with text if the post has text, and not the answer to a command. */
function isOfKind(message: APIMessage, { body, replyTo, inThread }: Sought): boolean {
  if (!inThread || message.interaction_metadata || (message.type !== MessageType.Default && message.type !== MessageType.Reply)) return false;
  return (message.content === "") === (body.content === "") && (message.message_reference?.message_id ?? null) === replyTo;
}

/** An id older than everything created since then, whichever clock is right. `since`: milliseconds since the epoch. */
export function snowflakeBefore(since: number): string {
  return firstSnowflake(since - CLOCKS_APART_MS);
}
