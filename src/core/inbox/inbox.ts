/**
 * The inbox: messages written where there is no session and no open decision, kept for an agent to read later. They are
 * only data: none becomes a job or an answer, whoever wrote it. The one exception is the owner's reply to a question
 * that arrives before the question's post is recorded: it becomes the answer then.
 */
import { isHandled, markHandled } from "./redelivered-messages.ts";
import type { MessagePointed } from "../sessions/thread.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** Exactly the fields of the mirrored file. */
export interface InboxMessage {
  message_id: string;
  /** For a message in a thread, its parent channel. */
  channel_id: string;
  thread_id: string | null;
  /** The author's name. */
  author: string;
  author_id: string;
  content: string;
  /** ISO 8601 to the second, with `Z`. */
  timestamp: string;
  read: boolean;
}

/** A message as the state keeps it. */
export interface InboxEntry extends InboxMessage {
  /**
   * If the owner wrote it: the message it replies to, which may turn out to be a question. Absent: none, or somebody
   * else wrote it.
   */
  reply_to?: string;
  /** Its author is offered to open a session with it. Absent: it is only for an agent. */
  offered?: true;
}

/** A message's author, time and content. */
export type WrittenMessage = Pick<InboxMessage, "author" | "author_id" | "timestamp" | "content">;

interface InboxRead {
  type: "InboxRead";
  payload: {
    message_ids: string[];
    /** The channel, whose inbox an agent has read for the first time. Absent: one had before. */
    channel_id?: string;
  };
}

export type InboxEvent =
  | { type: "InboxReceived"; payload: InboxEntry }
  | InboxRead
  | { type: "InboxCleared"; payload: { message_ids: string[] } }
  /** Its author edited it: it is unread again. */
  | { type: "InboxEdited"; payload: { message_id: string; content: string } };

export type InboxCommand =
  /** A message that is only inbox data; `place_id`: the channel or thread it was written in. */
  | ({ type: "receive"; place_id: string; message_id: string } & WrittenMessage)
  /** `channel_id`: the channel that is read. Absent: a thread. */
  | { type: "read_inbox"; channel_id?: string; message_ids: string[] }
  | { type: "clear_inbox"; message_ids: string[] };

/** Messages kept in the live state; above that, read ones leave first, then the oldest. Changing it changes replay. */
export const KEPT_ENTRIES = 1_000;

export function decideInbox(state: State, command: InboxCommand): InboxEvent[] {
  switch (command.type) {
    case "receive": {
      // A stranger's reply answers nothing.
      const { place_id, message_id, author, author_id, timestamp, content } = command;
      return isHandled(state, place_id, message_id)
        ? []
        : received(state, place_id, { message_id, author, author_id, timestamp, content });
    }
    case "read_inbox": {
      const { channel_id = "" } = command;
      const message_ids = command.message_ids.filter((id) => state.inbox[id]?.read === false);
      const { inbox_read = false } = state.channels[channel_id] ?? { inbox_read: true };
      return inbox_read && message_ids.length === 0
        ? []
        : [{ type: "InboxRead", payload: { message_ids, ...(!inbox_read && { channel_id }) } }];
    }
    case "clear_inbox": {
      const message_ids = command.message_ids.filter((id) => state.inbox[id] !== undefined);
      return message_ids.length > 0 ? [{ type: "InboxCleared", payload: { message_ids } }] : [];
    }
  }
}

export function evolveInbox(state: State, event: InboxEvent): void {
  switch (event.type) {
    case "InboxReceived": {
      const { message_id, channel_id, thread_id } = event.payload;
      state.inbox[message_id] = { ...event.payload };
      markHandled(state, thread_id ?? channel_id, message_id);
      return forget(state);
    }
    case "InboxRead":
      return wasRead(state, event.payload);
    case "InboxCleared":
      for (const id of event.payload.message_ids) delete state.inbox[id];
      return;
    case "InboxEdited": {
      const entry = state.inbox[event.payload.message_id];
      if (entry) state.inbox[entry.message_id] = { ...entry, content: event.payload.content, read: false };
    }
  }
}

/** A message of the owner's that has no session and answers no open decision: in direct messages he is told so. */
export function unansweredMessageEvents(
  state: State,
  {
    thread_id,
    discord_message_id,
    prompt,
    reply_to,
    from = { ...NOBODY, content: prompt },
    offered,
  }: {
    thread_id: string;
    discord_message_id: string;
    prompt: string;
    reply_to: string | null;
    from?: WrittenMessage;
    offered?: true;
  },
): (InboxEvent | MessagePointed)[] {
  if (state.channels[thread_id]?.kind === "direct") {
    return [{ type: "MessagePointed", payload: { thread_id, discord_message_id, why: "nothing", decisions: [] } }];
  }
  return received(state, thread_id, {
    message_id: discord_message_id,
    ...from,
    ...(reply_to !== null && { reply_to }),
    ...(offered && { offered }),
  });
}

/** An edit or a deletion (`content` null) of a message in the inbox. */
export function changedEntry(
  { inbox }: State,
  placeId: string,
  message_id: string,
  content: string | null,
): InboxEvent[] {
  const entry = inbox[message_id];
  if (!entry || (entry.thread_id ?? entry.channel_id) !== placeId || entry.content === content) return [];
  return [
    content === null
      ? { type: "InboxCleared", payload: { message_ids: [message_id] } }
      : { type: "InboxEdited", payload: { message_id, content } },
  ];
}

/** If the author is unknown. */
const NOBODY = { author: "", author_id: "", timestamp: "" };

function received(
  state: State,
  placeId: string,
  entry: Pick<InboxEntry, "message_id" | "reply_to" | "offered"> & WrittenMessage,
): InboxEvent[] {
  const thread = state.threads[placeId];
  const watched = state.channels[placeId]?.kind === "watched";
  if ((!thread && !watched) || state.sessions[placeId] || state.inbox[entry.message_id]) return [];
  const place = thread
    ? { channel_id: thread.channel_id, thread_id: placeId }
    : { channel_id: placeId, thread_id: null };
  const { message_id, author, author_id, content, timestamp, reply_to, offered } = entry;
  return [
    {
      type: "InboxReceived",
      payload: {
        message_id,
        ...place,
        author,
        author_id,
        content,
        timestamp,
        read: false,
        ...(reply_to !== undefined && { reply_to }),
        ...(offered && { offered }),
      },
    },
  ];
}

function wasRead({ inbox, channels }: State, { message_ids, channel_id = "" }: InboxRead["payload"]): void {
  for (const id of message_ids) if (inbox[id]) inbox[id].read = true;
  const channel = channels[channel_id];
  if (channel) channel.inbox_read = true;
}

function forget(state: State): void {
  const all = Object.values(state.inbox);
  if (all.length <= KEPT_ENTRIES) return;
  const leaves = all.find(({ read }) => read) ?? all[0];
  if (leaves) delete state.inbox[leaves.message_id];
}

/** A message that opens a session is for that, and no agent's to read. */
function openedWith({ starts, inbox }: State, { request_id }: { request_id: string }): InboxEvent[] {
  const { on_message = "" } = starts[request_id] ?? {};
  return inbox[on_message] ? [{ type: "InboxCleared", payload: { message_ids: [on_message] } }] : [];
}

export const inboxSlice: Slice<InboxCommand, InboxEvent> = {
  decide: each(decideInbox, "receive", "read_inbox", "clear_inbox"),
  alsoDecides: { open_session: openedWith },
  evolve: each(evolveInbox, "InboxReceived", "InboxRead", "InboxCleared", "InboxEdited"),
  kinds: "inbox",
  topic: () => "inbox",
};
