/**
 * Looks among our own messages for a post that may stand there although nobody wrote it down: its answer was lost,
 * and the nonce that would have shown it has run out. Only messages that no other post has claimed are considered.
 */
import { MessageType, type APIMessage } from "discord-api-types/v10";
import type { Body, Lane } from "./owed.ts";
import { showsBody } from "./posting.ts";
import type { Rest } from "./rest.ts";

export interface Sought {
  channelId: string;
  botId: string;
  nonce: string;
  body: Body;
  /** The message it would reply to, where it would. */
  replyTo: string | null;
  /** A session's thread, where every message of ours is a post. */
  inThread: boolean;
  /** Milliseconds since the epoch: it was not sent before. */
  since: number;
  lane: Lane;
  /** Whether a message is some post's already. */
  claimed(messageId: string): boolean;
  signal: AbortSignal;
}

const PAGE = 100;
const DISCORD_EPOCH_MS = 1_420_070_400_000;
/** Our clock and Discord's may differ; a message looked at in vain costs nothing, one overlooked is doubled. */
const CLOCKS_APART_MS = 10 * 60_000;

/**
 * The message, or null. Surest first: the nonce; the same body; then any message of ours of that kind that belongs
 * to nothing we know, as a post that has changed since it was sent would.
 */
export async function lookUp(rest: Rest, sought: Sought): Promise<APIMessage | null> {
  let after = sought.replyTo ?? snowflakeBefore(sought.since);
  let same: APIMessage | null = null;
  let stray: APIMessage | null = null;
  for (;;) {
    const page = await rest.call<APIMessage[]>({
      method: "GET",
      path: `/channels/${sought.channelId}/messages?after=${after}&limit=${PAGE}`,
      lane: sought.lane,
      signal: sought.signal,
    });
    const oldestFirst = page.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
    for (const message of oldestFirst) {
      if (message.author.id !== sought.botId || sought.claimed(message.id)) continue;
      if (message.nonce === sought.nonce) return message;
      if (showsBody(message, sought.body)) same ??= message;
      if (isOfKind(message, sought)) stray ??= message;
    }
    const last = oldestFirst.at(-1);
    if (page.length < PAGE || !last) return same ?? stray;
    after = last.id;
  }
}

/** A reply to the same message or to none, words where it has words, and no answer to a command. */
function isOfKind(message: APIMessage, { body, replyTo, inThread }: Sought): boolean {
  if (!inThread || message.interaction_metadata || (message.type !== MessageType.Default && message.type !== MessageType.Reply)) return false;
  return (message.content === "") === (body.content === "") && (message.message_reference?.message_id ?? null) === replyTo;
}

/** An id older than all that came to be since then, whoever's clock is right. `since`: milliseconds since the epoch. */
export function snowflakeBefore(since: number): string {
  return String(BigInt(Math.max(0, Math.floor(since - CLOCKS_APART_MS - DISCORD_EPOCH_MS))) << 22n);
}
