/**
 * The inbox: what was written where no session lives and nothing is asked, kept for an agent to read later (seed A
 * 3.6.2, 7.2). It is data and nothing else: no message in it ever becomes a job or an answer, whoever wrote it.
 */
import { isHandled, type ThreadEvent, type Threads } from "./thread.ts";

/** Exactly the fields of seed A's file. */
export interface InboxMessage {
  message_id: string;
  /** For a message in a thread the channel it hangs on. */
  channel_id: string;
  thread_id: string | null;
  /** The writer's name. */
  author: string;
  author_id: string;
  content: string;
  /** ISO 8601 to the second, with `Z`. */
  timestamp: string;
  read: boolean;
}

/** A message as the inbox keeps it: who wrote it, when, and what it says. */
export type Letter = Pick<InboxMessage, "author" | "author_id" | "timestamp" | "content">;

export type InboxEvent =
  | { type: "InboxReceived"; payload: InboxMessage }
  | { type: "InboxRead"; payload: { message_ids: string[] } }
  | { type: "InboxCleared"; payload: { message_ids: string[] } }
  /** The inbox of an earlier installation was taken over; that is done once. */
  | { type: "InboxImported"; payload: { count: number } };

export type InboxCommand =
  /** A message that is inbox data and nothing else; `place_id`: the channel or thread it was written in. */
  | ({ type: "receive"; place_id: string; message_id: string } & Letter)
  | { type: "read_inbox"; message_ids: string[] }
  | { type: "clear_inbox"; message_ids: string[] }
  | { type: "import_inbox"; messages: InboxMessage[] };

export interface Inbox extends Threads {
  sessions: Record<string, unknown>;
  /** By message, the first received first. */
  inbox: Record<string, InboxMessage>;
  inbox_imported: boolean;
}

/** Messages kept in the live state; beyond that those that were read leave first, then the oldest. Changing it changes replay. */
export const KEPT_LETTERS = 1_000;

export function decideInbox(state: Inbox, command: InboxCommand): InboxEvent[] {
  switch (command.type) {
    case "receive": {
      const { type: _type, place_id, ...letter } = command;
      return isHandled(state, place_id, letter.message_id) ? [] : received(state, place_id, letter);
    }
    case "read_inbox": {
      const message_ids = command.message_ids.filter((id) => state.inbox[id]?.read === false);
      return message_ids.length > 0 ? [{ type: "InboxRead", payload: { message_ids } }] : [];
    }
    case "clear_inbox": {
      const message_ids = command.message_ids.filter((id) => state.inbox[id] !== undefined);
      return message_ids.length > 0 ? [{ type: "InboxCleared", payload: { message_ids } }] : [];
    }
    case "import_inbox": {
      if (state.inbox_imported) return [];
      const messages = command.messages.filter(({ message_id }) => state.inbox[message_id] === undefined).slice(-KEPT_LETTERS);
      const events = messages.map((payload): InboxEvent => ({ type: "InboxReceived", payload }));
      return [...events, { type: "InboxImported", payload: { count: messages.length } }];
    }
  }
}

export function evolveInbox(state: Inbox, event: InboxEvent): void {
  switch (event.type) {
    case "InboxReceived": {
      const { message_id, channel_id, thread_id } = event.payload;
      state.inbox[message_id] = { ...event.payload };
      const place = thread_id ?? channel_id;
      // What was taken over from elsewhere was written where we may never have listened.
      if (state.channels[place] || state.threads[place]) state.dedupe[`${place}:${message_id}`] ??= null;
      return forget(state);
    }
    case "InboxRead":
      for (const id of event.payload.message_ids) if (state.inbox[id]) state.inbox[id].read = true;
      return;
    case "InboxCleared":
      for (const id of event.payload.message_ids) delete state.inbox[id];
      return;
    case "InboxImported":
      state.inbox_imported = true;
  }
}

/** What the owner wrote where no session lives and what is open there was not meant: in direct messages he is told so. */
export function unanswered(
  state: Inbox,
  { thread_id, discord_message_id, prompt, from = { ...NOBODY, content: prompt } }: { thread_id: string; discord_message_id: string; prompt: string; from?: Letter },
): (InboxEvent | ThreadEvent)[] {
  if (state.channels[thread_id]?.kind === "direct") {
    return [{ type: "MessagePointed", payload: { thread_id, discord_message_id, why: "nothing", decisions: [] } }];
  }
  return received(state, thread_id, { message_id: discord_message_id, ...from });
}

/** Where nobody said who wrote it. */
const NOBODY = { author: "", author_id: "", timestamp: "" };

function received(state: Inbox, placeId: string, letter: { message_id: string } & Letter): InboxEvent[] {
  const thread = state.threads[placeId];
  const watched = state.channels[placeId]?.kind === "watched";
  if ((!thread && !watched) || state.sessions[placeId] || state.inbox[letter.message_id]) return [];
  const place = thread ? { channel_id: thread.channel_id, thread_id: placeId } : { channel_id: placeId, thread_id: null };
  const { message_id, author, author_id, content, timestamp } = letter;
  return [{ type: "InboxReceived", payload: { message_id, ...place, author, author_id, content, timestamp, read: false } }];
}

function forget(state: Inbox): void {
  const all = Object.values(state.inbox);
  if (all.length <= KEPT_LETTERS) return;
  const leaves = all.find(({ read }) => read) ?? all[0];
  if (leaves) delete state.inbox[leaves.message_id];
}
