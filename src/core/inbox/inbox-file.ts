/**
 * The inbox as its mirrored file holds it: fixed fields, and one `last_message_id` for all watched channels. Also reads
 * the file of an earlier installation, of which only valid messages are taken.
 */
import { compareSnowflakes, isSnowflake } from "../../base/ids.ts";
import type { Inbox, InboxMessage } from "./inbox.ts";
import { handledIn } from "../sessions/redelivered-messages.ts";

export interface InboxFileContent {
  last_message_id: string | null;
  messages: InboxMessage[];
}

export function inboxFile(state: Inbox): InboxFileContent {
  return { last_message_id: newest(state), messages: Object.values(state.inbox).map(asWritten) };
}

/** The messages of such a file, oldest first; anything else in it is ignored. */
export function readInboxFile(content: unknown): InboxMessage[] {
  const listed = field(content, "messages");
  const all: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const messages = all.flatMap((one) => readMessage(one) ?? []);
  return messages.sort((a, b) => compareSnowflakes(a.message_id, b.message_id));
}

/** The newest message of the watched channels, whether it is still in the inbox or not. */
function newest(state: Inbox): string | null {
  const { inbox, channels, watermarks } = state;
  const watched = Object.values(channels).flatMap(({ channel_id, kind }) => (kind === "watched" ? [channel_id] : []));
  const above = watched.flatMap((id) => handledIn(state, id));
  const ids = [...Object.keys(inbox), ...watched.flatMap((id) => watermarks[id] ?? []), ...above];
  return ids.reduce<string | null>((last, id) => (last === null || compareSnowflakes(id, last) > 0 ? id : last), null);
}

/** The file's fields in their order, and no others. */
export function asWritten({
  message_id,
  channel_id,
  thread_id,
  author,
  author_id,
  content,
  timestamp,
  read,
}: InboxMessage): InboxMessage {
  return { message_id, channel_id, thread_id, author, author_id, content, timestamp, read };
}

function readMessage(one: unknown): InboxMessage | undefined {
  const [message_id, channel_id, thread_id, author_id] = ["message_id", "channel_id", "thread_id", "author_id"].map(
    (name) => field(one, name),
  );
  if (!isSnowflake(message_id) || !isSnowflake(channel_id)) return undefined;
  return {
    message_id,
    channel_id,
    thread_id: isSnowflake(thread_id) ? thread_id : null,
    author: text(one, "author"),
    author_id: isSnowflake(author_id) ? author_id : "",
    content: text(one, "content"),
    timestamp: text(one, "timestamp"),
    read: field(one, "read") === true,
  };
}

function text(one: unknown, name: string): string {
  const value = field(one, name);
  return typeof value === "string" ? value.slice(0, 10_000).toWellFormed() : "";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
