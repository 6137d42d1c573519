/**
 * Which channels the daemon listens in: threads of sessions and of questions, the owner's direct messages, watched
 * channels; each by the bot it belongs to.
 */
import { openDecisions } from "../../core/decisions/decision.ts";
import type { State } from "../../core/state.ts";
import { isThreadOfBot, type ThreadsOfBot } from "../views/threads-of-bot.ts";

/**
 * The listening bot. `watches`: channels that this bot was asked to watch too, though another bot watched them first.
 */
export interface ListensTo extends ThreadsOfBot {
  watches?: ReadonlySet<string>;
}

export function listensAt(state: State, id: string, listener: ListensTo): boolean {
  if (state.threads[id]) return isThreadOfBot(state, id, listener) && !isGivenUp(state, id);
  const { botId, watches } = listener;
  return state.channels[id]?.bot_id === botId || (state.channels[id]?.kind === "watched" && watches?.has(id) === true);
}

/** A channel that config.json does not name for its session's project any more: it is heard no more. */
export function isGivenUp({ threads, sessions, projects }: State, id: string): boolean {
  return threads[id]?.kind === "channel" && projects[sessions[id]?.project_name ?? ""]?.channel_id !== id;
}

/** All these channels: first those in which a decision is open, then the most active. */
export function placesToRead(state: State, listener: ListensTo): string[] {
  const asked = openDecisions(state).flatMap(({ thread_id }) => thread_id ?? []);
  const sessions = Object.values(state.sessions).toSorted((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  const direct = Object.values(state.channels).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  const all = [
    ...asked,
    ...direct.map(({ channel_id }) => channel_id),
    ...sessions.map(({ thread_id }) => thread_id),
    // Threads of closed questions, the newest first.
    ...Object.keys(state.threads).toReversed(),
  ];
  return [...new Set(all)].filter((id) => listensAt(state, id, listener));
}
