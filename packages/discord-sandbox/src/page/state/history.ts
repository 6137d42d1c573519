/**
 * The messages of one channel: oldest first, each id once, with what this browser is sending at the end.
 * Merging a fetched page repairs what a broken connection hid: edits, deletions and gaps.
 */
import { compareSnowflakes } from "../../state/snowflake-order.ts";
import { FLAG, has, type Message } from "./model.ts";
import { emptyHistory, type History, type State } from "./state.ts";

/** Puts a message in its place; one with the same id or the nonce of a local one takes that one's place. */
export function put(history: History, message: Message): History {
  const messages = history.messages.filter((m) => m.id !== message.id && !isSameSend(m, message));
  const at = lastIndexBefore(messages, message) + 1;
  return { ...history, messages: [...messages.slice(0, at), message, ...messages.slice(at)] };
}

/**
 * The answer to a send. Where the gateway was faster, what it has told since (a reaction, an edit) is newer and stays.
 */
export function arrived(history: History, message: Message): History {
  const told = history.messages.find((m) => m.id === message.id);
  return put(history, { ...message, ...told });
}

/** Changes one message; everything else keeps its identity, so only that one is drawn again. */
export function change(history: History, id: string, how: (message: Message) => Message): History {
  if (!history.messages.some((m) => m.id === id)) return history;
  return { ...history, messages: history.messages.map((m) => (m.id === id ? how(m) : m)) };
}

export function remove(history: History, ids: readonly string[]): History {
  const messages = history.messages.filter((m) => !ids.includes(m.id));
  return messages.length === history.messages.length ? history : { ...history, messages };
}

/**
 * The newest page as the server has it now (newest first, as REST answers). Within its span the server is
 * right, absences included. If it does not reach back to what is known, the older part is dropped rather
 * than shown with a hole in it; scrolling up fetches it again.
 */
export function mergeLatest(history: History, page: readonly Message[], limit: number): History {
  const fetched = [...page].reverse();
  const first = fetched[0];
  const whole = page.length < limit;
  const own = history.messages.filter((m) => isOursAlone(m) && !fetched.some((f) => f.id === m.id || isSameSend(m, f)));
  const older =
    first && !whole ? history.messages.filter((m) => !isOursAlone(m) && compareSnowflakes(m.id, first.id) < 0) : [];
  const overlaps = first !== undefined && history.messages.some((m) => m.id === first.id);
  const kept = overlaps ? older : [];
  const newest = fetched.at(-1);
  const since = history.messages.filter(
    (m) =>
      !isOursAlone(m) &&
      (newest === undefined || isAfter(m.id, newest.id)) &&
      (!history.stale || isAfter(m.id, history.knownTo ?? "0")),
  );
  let merged: History = {
    messages: [...kept, ...fetched, ...since],
    loaded: true,
    stale: false,
    complete: whole || (overlaps && history.complete),
  };
  for (const message of own) merged = put(merged, message);
  return merged;
}

/** A new session: events may have been missed up to now; what is heard from here on is sure. */
export function markStale(history: History): History {
  return { ...history, stale: true, knownTo: newestStored(history)?.id };
}

/** A page from before the oldest known message (newest first). */
export function mergeOlder(history: History, page: readonly Message[], limit: number): History {
  const known = new Set(history.messages.map((m) => m.id));
  const older = [...page].reverse().filter((m) => !known.has(m.id));
  return { ...history, messages: [...older, ...history.messages], complete: page.length < limit };
}

/** The newest message the server has stored, whatever this browser adds to it. */
export function newestStored(history: History): Message | undefined {
  return history.messages.findLast((m) => m.local === undefined);
}

/** Changes one channel's history; the same history back means the same state back. */
export function inHistory(state: State, channelId: string, how: (history: History) => History): State {
  const before = state.history[channelId] ?? emptyHistory;
  const after = how(before);
  return after === before ? state : { ...state, history: { ...state.history, [channelId]: after } };
}

function isOursAlone(message: Message): boolean {
  return message.local !== undefined || has(message, FLAG.ephemeral);
}

function isAfter(id: string, other: string): boolean {
  return compareSnowflakes(id, other) > 0;
}

function isSameSend(one: Message, other: Message): boolean {
  return one.local !== undefined && one.nonce !== undefined && String(one.nonce) === String(other.nonce ?? "");
}

function lastIndexBefore(messages: readonly Message[], message: Message): number {
  if (message.local) return messages.length - 1;
  return messages.findLastIndex((m) => m.local === undefined && compareSnowflakes(m.id, message.id) < 0);
}
