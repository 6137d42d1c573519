/**
 * Rechecks the queued messages of a thread: which ones were edited or deleted while the daemon was not listening. One
 * request fetches up to a hundred messages and settles all queued ones among them; uncertain ones are left unchanged.
 */
import type { APIMessage } from "discord-api-types/v10";
import { compareSnowflakes } from "../../../base/ids.ts";
import type { State } from "../../../core/state.ts";

const PAGE = 100;

export interface Lookup {
  /** The next messages of a channel after an id, at most 100, in any order. */
  read(channelId: string, after: string): Promise<APIMessage[]>;
  /** One message; null if Discord says that there is none. */
  one(channelId: string, messageId: string): Promise<APIMessage | null>;
}

/** The messages after an id, oldest first; fewer than `PAGE`: there are no more. */
export interface Page {
  after: string;
  messages: APIMessage[];
}

export interface Rechecked {
  /** By id, for each that was settled: the current message, or null if it was deleted. */
  found: Map<string, APIMessage | null>;
  page: Page;
}

/** The ids of the messages a thread's queued jobs came from, oldest first, without duplicates. */
export function queuedMessages(state: State, threadId: string): string[] {
  const ids = (state.sessions[threadId]?.queue ?? []).flatMap((job) => state.jobs[job]?.discord_message_id ?? []);
  return [...new Set(ids)].sort(compareSnowflakes);
}

/**
 * Settles those of these ids (oldest first, at least one) that the next request covers. `known`: the channel is read,
 * or about to be, up to this id; nothing after it is skipped, so that the page can be used for reading back as well.
 */
export async function recheck(
  lookup: Lookup,
  channelId: string,
  ids: readonly string[],
  known: string,
): Promise<Rechecked> {
  const [first = "0"] = ids;
  const before = String(BigInt(first) - 1n);
  const page = await readPage(lookup, channelId, compareSnowflakes(before, known) < 0 ? before : known);
  const reach = reachOf(page);
  const there = new Map(page.messages.map((message) => [message.id, message]));
  const covered = ids.filter((id) => reach === undefined || compareSnowflakes(id, reach) <= 0);
  if (covered.length > 0 && !covered.some((id) => there.has(id))) {
    // Without the right to read the history Discord returns an empty page, but an error for a single message.
    const one = await lookup.one(channelId, first);
    if (one) return { found: new Map([[first, one]]), page };
  }
  return { found: new Map(covered.map((id) => [id, there.get(id) ?? null])), page };
}

export async function readPage(lookup: Lookup, channelId: string, after: string): Promise<Page> {
  return { after, messages: (await lookup.read(channelId, after)).sort((a, b) => compareSnowflakes(a.id, b.id)) };
}

/** The page's last id if there may be more; undefined if it is all there is. */
export function reachOf({ messages }: Page): string | undefined {
  return messages.length < PAGE ? undefined : messages.at(-1)?.id;
}
