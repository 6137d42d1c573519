/**
 * `watch_status`: what a watcher shows of its channels while it looks at them, part by part: how the connection
 * stands, how much waits to be read, and each message as it comes in. It ends when its caller does, and watching goes
 * on without it: what is written is kept in the inbox whether anybody looks or not.
 */
import { compareSnowflakes, isSnowflake } from "../base/ids.ts";
import type { InboxMessage } from "../core/inbox.ts";
import type { Engine } from "../engine/engine.ts";
import type { Clock } from "../base/clock.ts";
import type { Call, Method } from "./connection.ts";
import { refused } from "./frame.ts";
import { lettersFor } from "./mcp-inbox.ts";
import { readVariables } from "./mcp-protocol.ts";

export interface WatchPart {
  /** How the gateway's connection stands; `live`: messages come at once, else they are read every so often. */
  phase: string;
  channels: { channel_id: string; /** Discord lets us read it, and has been asked. */ watched: boolean; messages: number; unread: number }[];
  /** Received since the part before; in the first one since `after`. */
  fresh: InboxMessage[];
  /** The newest of these channels' messages; to be sent as `after` when it is asked anew. */
  last_message_id: string | null;
}

export interface WatchHouse {
  engine: Engine;
  clock: Clock;
  /**
   * Watches these under the token's bot (null: the daemon's own) until it is released; with none of them the bot's own
   * channel is meant.
   * @throws E_TOKEN_REFUSED, E_CONFIG_INVALID
   */
  watch(token: string | null, channelIds: readonly string[]): Promise<Watched>;
}

export interface Watched {
  channels: readonly string[];
  phase(): string;
  release(): void;
}

const MOST_CHANNELS = 50;
const MOST_SECONDS = 3_600;
/** Of fresh messages in one part; a watcher that needs more of them reads the inbox. */
const MOST_FRESH = 100;

/** Params: `{channels, interval_seconds, after}` (the last message that was shown, or null for none); it resolves only when it is cancelled. */
export function watchMethod({ engine, clock, watch }: WatchHouse): Method {
  return async (call) => {
    const { channels, everyMs, after } = readParams(call);
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
    await untilCancelled(call, clock, everyMs, look);
    unwatch();
    watched.release();
    return null;
  };
}

function partOf({ state }: Pick<Engine, "state">, { channels, phase }: Watched, known: Set<string>): WatchPart {
  const all = channels.map((channel_id) => {
    const letters = lettersFor(state.inbox, channel_id);
    return { channel: { channel_id, watched: state.channels[channel_id]?.kind === "watched", messages: letters.length, unread: letters.filter(({ read }) => !read).length }, letters };
  });
  const fresh = all.flatMap(({ letters }) => letters.filter(({ message_id }) => !known.has(message_id)));
  known.clear();
  for (const id of Object.keys(state.inbox)) known.add(id);
  const last = all.flatMap(({ letters }) => letters.map(({ message_id }) => message_id)).sort(compareSnowflakes).at(-1);
  return { phase: phase(), channels: all.map(({ channel }) => channel), fresh: fresh.slice(-MOST_FRESH), last_message_id: last ?? null };
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

function readParams({ params }: Call): { channels: string[]; everyMs: number; after: string | null } {
  const given: { channels?: unknown; interval_seconds?: unknown; after?: unknown } = typeof params === "object" && params !== null ? params : {};
  const { channels = [], interval_seconds: seconds, after = null } = given;
  if (!Array.isArray(channels) || channels.length > MOST_CHANNELS || !channels.every(isSnowflake)) {
    throw refused(`channels has to be a list of up to ${MOST_CHANNELS} channel ids, each 17 to 20 digits`);
  }
  if (typeof seconds !== "number" || !(seconds >= 1 && seconds <= MOST_SECONDS)) throw refused(`interval_seconds has to be a number from 1 to ${MOST_SECONDS}`);
  if (after !== null && !isSnowflake(after)) throw refused("after has to be a message's id, or null");
  return { channels: [...new Set<string>(channels)], everyMs: seconds * 1000, after };
}
