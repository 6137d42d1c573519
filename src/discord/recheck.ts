/**
 * Looks the queued messages of a thread up again: what was edited while nobody heard it, and what was deleted. One
 * request brings up to a hundred messages and settles all of them that waited; whatever cannot be told for certain is
 * left as it is.
 */
import type { APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../base/ids.ts";
import type { State } from "../core/house.ts";

const PAGE = 100;

export interface Lookup {
  /** The next messages of a channel after an id, at most 100, in any order. */
  read(channelId: string, after: string): Promise<APIMessage[]>;
  /** One message; null where Discord says that there is none. */
  one(channelId: string, messageId: string): Promise<APIMessage | null>;
}

/** What Discord has after an id, oldest first; shorter than `PAGE`: all of it. */
export interface Page {
  after: string;
  messages: APIMessage[];
}

export interface Rechecked {
  /** By id, for each that was settled: the message as it is now, or null where it was deleted. */
  found: Map<string, APIMessage | null>;
  page: Page;
}

/** The messages a thread's queued jobs came from, oldest first, each once. */
export function queuedMessages(state: State, threadId: string): string[] {
  const ids = (state.sessions[threadId]?.queue ?? []).flatMap((job) => state.jobs[job]?.discord_message_id ?? []);
  return [...new Set(ids)].sort(compareSnowflakes);
}

/**
 * Settles what the next request reaches of these ids (oldest first, at least one). `known`: up to here the channel is
 * read or about to be; nothing beyond is passed over, so that the page serves the reading back as well.
 */
export async function recheck(lookup: Lookup, channelId: string, ids: readonly string[], known: string): Promise<Rechecked> {
  const [first = "0"] = ids;
  const before = String(BigInt(first) - 1n);
  const page = await readPage(lookup, channelId, compareSnowflakes(before, known) < 0 ? before : known);
  const reach = reachOf(page);
  const there = new Map(page.messages.map((message) => [message.id, message]));
  const covered = ids.filter((id) => reach === undefined || compareSnowflakes(id, reach) <= 0);
  if (covered.length > 0 && !covered.some((id) => there.has(id))) {
    // Where we may not read the history Discord answers with an empty page; asked for one message, it says so.
    const one = await lookup.one(channelId, first);
    if (one) return { found: new Map([[first, one]]), page };
  }
  return { found: new Map(covered.map((id) => [id, there.get(id) ?? null])), page };
}

export async function readPage(lookup: Lookup, channelId: string, after: string): Promise<Page> {
  return { after, messages: (await lookup.read(channelId, after)).sort((a, b) => compareSnowflakes(a.id, b.id)) };
}

/** Where the page ends and there may be more; undefined where it is all there is. */
export function reachOf({ messages }: Page): string | undefined {
  return messages.length < PAGE ? undefined : messages.at(-1)?.id;
}
