/**
 * `mcp_read_inbox` and `mcp_clear_inbox`: what was written for an agent to read when it has time. A face with a
 * channel of its own sees what belongs to that channel; one without sees all there is. Nothing is marked as read, and
 * nothing taken away, that was not shown to whoever asked for it.
 */
import type { InboxMessage } from "../core/inbox.ts";
import type { Call, Method } from "./connection.ts";
import { underBot, type McpHouse } from "./mcp-house.ts";
import { readInboxClearing, readInboxQuery, readVariables } from "./mcp-protocol.ts";

/** Seed A's fields. `unread_count`: of all there was to read, before this call marked any. */
export interface InboxResult {
  messages: InboxMessage[];
  unread_count: number;
}

export interface ClearedResult {
  success: true;
  cleared_count: number;
}

/** Of the messages in one answer, which has to fit into a frame (1 MiB); the oldest come first, the rest with the next call. */
const MOST_BYTES = 700_000;

export function inboxMethods(house: McpHouse): Record<"mcp_read_inbox" | "mcp_clear_inbox", Method> {
  const { engine } = house;

  /** A face's channel is watched from its first look on; the token's own troubles are told here, not kept quiet. */
  async function watched(call: Call): Promise<string | null> {
    const { channelId } = readVariables(call.variables);
    if (channelId !== null && !engine.state.channels[channelId]) await underBot(house, call, async () => undefined);
    return channelId;
  }

  return {
    async mcp_read_inbox(call): Promise<InboxResult> {
      const { unread_only, mark_read } = readInboxQuery(call.params);
      const all = lettersFor(engine.state.inbox, await watched(call));
      const messages = fitting(all.filter(({ read }) => !unread_only || !read).map((letter) => ({ ...letter })));
      const unread_count = all.filter(({ read }) => !read).length;
      // Whoever does not want the answer any more has not read it.
      if (mark_read && !call.cancelled.aborted) await engine.submit({ type: "read_inbox", message_ids: messages.map(({ message_id }) => message_id) });
      return { messages, unread_count };
    },
    async mcp_clear_inbox(call): Promise<ClearedResult> {
      const { read_only } = readInboxClearing(call.params);
      const all = lettersFor(engine.state.inbox, await watched(call));
      const message_ids = all.filter(({ read }) => read || !read_only).map(({ message_id }) => message_id);
      const events = await engine.submit({ type: "clear_inbox", message_ids });
      const cleared = events.flatMap((event) => (event.type === "InboxCleared" ? event.payload.message_ids : []));
      return { success: true, cleared_count: cleared.length };
    },
  };
}

/** In the order received. `channelId` null: of all channels. */
export function lettersFor(inbox: Readonly<Record<string, InboxMessage>>, channelId: string | null): InboxMessage[] {
  const all = Object.values(inbox);
  return channelId === null ? all : all.filter((one) => one.channel_id === channelId || one.thread_id === channelId);
}

function fitting(messages: InboxMessage[]): InboxMessage[] {
  let bytes = 0;
  const end = messages.findIndex((one) => (bytes += Buffer.byteLength(JSON.stringify(one)) + 1) > MOST_BYTES);
  return end === -1 ? messages : messages.slice(0, Math.max(1, end));
}
