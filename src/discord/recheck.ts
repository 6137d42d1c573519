/**
 * Looks the queued messages of a thread up again: what was edited while nobody heard it, and what was deleted. One
 * request brings up to a hundred messages, and each request settles at least one, so it never takes more requests
 * than there are messages; whatever cannot be told for certain is left as it is.
 */
import type { APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../base/ids.ts";
import type { State } from "../core/house.ts";

export const PAGE = 100;

export interface Lookup {
  /** The next messages of a channel after an id, at most 100, in any order. */
  read(channelId: string, after: string): Promise<APIMessage[]>;
  /** One message; null where Discord says that there is none. */
  one(channelId: string, messageId: string): Promise<APIMessage | null>;
}

export interface Rechecked {
  /** By id, for each that was settled: the message as it is now, or null where it was deleted. */
  found: Map<string, APIMessage | null>;
  /** Everything there was after this id, oldest first; the rest of the channel where it is shorter than a page. */
  after: string;
  page: APIMessage[];
}

/** The messages a thread's queued jobs came from, oldest first, each once. */
export function queuedMessages(state: State, threadId: string): string[] {
  const ids = (state.sessions[threadId]?.queue ?? []).flatMap((job) => state.jobs[job]?.discord_message_id ?? []);
  return [...new Set(ids)].sort(compareSnowflakes);
}

/** Settles the first of the ids, and all others that the same request reaches. `ids`: oldest first, at least one. */
export async function recheck(lookup: Lookup, channelId: string, ids: readonly string[]): Promise<Rechecked> {
  const [first = "0"] = ids;
  const after = String(BigInt(first) - 1n);
  const page = (await lookup.read(channelId, after)).sort((a, b) => compareSnowflakes(a.id, b.id));
  const reach = page.length < PAGE ? undefined : page.at(-1)?.id;
  const there = new Map(page.map((message) => [message.id, message]));
  const covered = ids.filter((id) => reach === undefined || compareSnowflakes(id, reach) <= 0);
  if (!covered.some((id) => there.has(id))) {
    // Where we may not read the history Discord answers with an empty page; asked for one message, it says so.
    const one = await lookup.one(channelId, first);
    if (one) return { found: new Map([[first, one]]), after, page };
  }
  return { found: new Map(covered.map((id) => [id, there.get(id) ?? null])), after, page };
}
