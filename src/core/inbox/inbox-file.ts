/**
 * The inbox as its mirrored file holds it: fixed fields, and one `last_message_id` for all watched channels.
 */
import { compareSnowflakes } from "../../base/ids.ts";
import type { InboxMessage } from "./inbox.ts";
import { handledIn } from "./redelivered-messages.ts";
import type { State } from "../state.ts";

export interface InboxFileContent {
  last_message_id: string | null;
  messages: InboxMessage[];
}

export function inboxFile(state: State): InboxFileContent {
  return { last_message_id: newest(state), messages: Object.values(state.inbox).map(asWritten) };
}

/** The newest message of the watched channels, whether it is still in the inbox or not. */
function newest(state: State): string | null {
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
