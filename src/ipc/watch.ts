/**
 * `watch_status`: what a watcher shows of its channels, in parts: the state of the connection, the number of unread
 * messages, and each message as it arrives. It ends with its caller; the channels stay watched, and messages go into
 * the inbox whether anybody looks or not.
 */
import { compareSnowflakes } from "../base/ids.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../base/clock.ts";
import type { Call, Method } from "./connection.ts";
import { refused } from "../protocol/frame.ts";
import { entriesFor } from "./mcp/methods.ts";
import { readVariables } from "../protocol/mcp.ts";
import { readWatch, type WatchPart } from "../protocol/watch.ts";

export interface WatchContext {
  engine: Engine;
  clock: Clock;
  /**
   * Watches channels under the token's bot (null: the daemon's own) until released; an empty list means the bot's own
   * channel.
   * @throws E_TOKEN_REFUSED, E_CONFIG_INVALID
   */
  watch(token: string | null, channelIds: readonly string[]): Promise<Watched>;
}

export interface Watched {
  channels: readonly string[];
  /** What is known of a channel; null: Discord does not let us see it, undefined: nothing yet. */
  seen(channelId: string): { name: string } | null | undefined;
  phase(): string;
  release(): void;
}

/** The most fresh messages in one part; a watcher that needs more reads the inbox. */
const MOST_FRESH = 100;

/** Resolves only when it is cancelled. */
export function watchMethod({ engine, clock, watch }: WatchContext): Method {
  return async (call) => {
    const { channels, interval_seconds, after } = readWatch(call.params);
    const { token, channelId } = readVariables(call.variables);
    const wanted = channels.length > 0 ? channels : channelId === null ? [] : [channelId];
    const watched = await watch(token, wanted);
    if (watched.channels.length === 0) {
      watched.release();
      throw refused("there is no channel to watch; set DISCORD_CHANNEL_ID, or name one with --channel");
    }
    const shown = (id: string): boolean => after === null || compareSnowflakes(id, after) <= 0;
    const known = new Set(Object.keys(engine.state.inbox).filter(shown));
    const look = (): void => call.part(partOf(engine, watched, known));
    const unwatch = engine.watch((topics) => {
      if (topics.has("inbox") || watched.channels.some((id) => topics.has(id))) look();
    });
    look();
    await untilCancelled(call, clock, interval_seconds * 1000, look);
    unwatch();
    watched.release();
    return null;
  };
}

function partOf({ state }: Pick<Engine, "state">, { channels, seen, phase }: Watched, known: Set<string>): WatchPart {
  const all = channels.map((channel_id) => {
    const entries = entriesFor(state.inbox, channel_id);
    const watched = state.channels[channel_id]?.kind === "watched" && seen(channel_id) !== null;
    return {
      channel: {
        channel_id,
        name: seen(channel_id)?.name ?? null,
        watched,
        messages: entries.length,
        unread: entries.filter(({ read }) => !read).length,
      },
      entries,
    };
  });
  const fresh = all.flatMap(({ entries }) => entries.filter(({ message_id }) => !known.has(message_id)));
  known.clear();
  for (const id of Object.keys(state.inbox)) known.add(id);
  const last = all
    .flatMap(({ entries }) => entries.map(({ message_id }) => message_id))
    .sort(compareSnowflakes)
    .at(-1);
  return {
    phase: phase(),
    channels: all.map(({ channel }) => channel),
    fresh: fresh.slice(-MOST_FRESH),
    last_message_id: last ?? null,
  };
}

function untilCancelled({ cancelled }: Call, clock: Clock, everyMs: number, look: () => void): Promise<void> {
  return new Promise((resolve) => {
    let stop = clock.after(everyMs, again);
    const end = (): void => {
      stop();
      resolve();
    };
    if (cancelled.aborted) return end();
    cancelled.addEventListener("abort", end, { once: true });
    function again(): void {
      look();
      stop = clock.after(everyMs, again);
    }
  });
}
