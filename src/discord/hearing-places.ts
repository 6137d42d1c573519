/**
 * Where we listen: in the threads of sessions and of questions, in the owner's direct messages, in watched channels;
 * each by the bot it belongs to.
 */
import { isOpen } from "../core/decision.ts";
import type { State } from "../core/house.ts";

/** Whose ear it is. `watches`: channels that this bot was asked to watch too, though another one began. */
export interface Listener {
  botId: string;
  watches?: ReadonlySet<string>;
}

export function listensAt(state: State, id: string, { botId, watches }: Listener): boolean {
  if (state.threads[id]) return state.threads[id].bot_id === botId;
  return state.channels[id]?.bot_id === botId || (state.channels[id]?.kind === "watched" && watches?.has(id) === true);
}

/** Every such place, those first in which somebody waits for an answer, then the liveliest. */
export function placesToRead(state: State, listener: Listener): string[] {
  const asked = Object.values(state.decisions).flatMap((one) => (isOpen(one) && one.thread_id !== null ? [one.thread_id] : []));
  const sessions = Object.values(state.sessions).toSorted((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  const direct = Object.values(state.channels).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  const all = [
    ...asked,
    ...direct.map(({ channel_id }) => channel_id),
    ...sessions.map(({ thread_id }) => thread_id),
    // Questions that are over, the newest first.
    ...Object.keys(state.threads).toReversed(),
  ];
  return [...new Set(all)].filter((id) => listensAt(state, id, listener));
}
