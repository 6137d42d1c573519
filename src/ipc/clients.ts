/**
 * Everything for agents' clients and watchers, put together: their methods, and the files that mirror questions and the
 * inbox. Methods that need Discord wait until there is a bot.
 */
import { withTimeout, type Clock } from "../base/clock.ts";
import { nodeDisk } from "../base/disk.ts";
import { openInboxFile, openInboxMirror } from "./mirrors/inbox-file.ts";
import { openPendingFiles, openMirrors } from "./mirrors/question-files.ts";
import type { ClientMethods } from "./daemon.ts";
import type { HeldBot, McpContext } from "./mcp/scope.ts";
import { inboxMethods, openMcpMethods, entriesFor } from "./mcp/methods.ts";
import { BellhopError } from "../base/errors.ts";
import { compareSnowflakes } from "../base/ids.ts";
import { lockedSince } from "../core/jobs/lock.ts";
import type { Engine } from "../engine/engine.ts";
import type { Call, Method } from "./connection.ts";
import { linkRefused } from "../protocol/frame.ts";
import { readVariables } from "../protocol/mcp.ts";
import { readWatch, type WatchPart } from "../protocol/watch.ts";

export interface ClientsOptions extends McpContext {
  /** See `McpContext`. */
  acquireBot(whose: string | null | { botId: string }, channelId: string | null): Promise<ClientBot>;
}

export interface ClientBot extends HeldBot {
  /** Puts what is written in the channel into the inbox from now on. */
  watch(channelId: string): Promise<boolean>;
  /** A channel's name; null if Discord does not let us see it. */
  channelName(channelId: string): Promise<{ name: string } | null>;
  /** The state of the gateway connection. */
  phase(): string;
}

export interface Clients {
  readonly methods: ClientMethods;
  /** Resolves when everything about callers who left is written, and the mirrors are up to date. */
  close(): Promise<void>;
}

export function openClients(options: ClientsOptions): Clients {
  const { engine, clock, log, settings, withoutSecrets: redact, acquireBot: hold } = options;
  const context: McpContext = {
    ...options,
    async acquireBot(whose, named) {
      const held = await hold(whose, named);
      if (named !== null) void held.watch(named);
      return held;
    },
  };
  const mcp = openMcpMethods(context);
  const inbox = openInboxMirror({ engine, clock, file: openInboxFile(nodeDisk, settings.inboxFile, redact), log });
  const mirrors = openMirrors({ engine, clock, files: openPendingFiles(nodeDisk, redact), log });
  return {
    methods: {
      ...unlessLocked(engine, { ...mcp.methods, ...inboxMethods(context) }),
      // What was answered before is only confirmed.
      mcp_delivered: mcp.methods.mcp_delivered,
      watch_status: watchMethod({ engine, clock, watch: watching(hold, clock, settings.channelId) }),
    },
    async close() {
      await mcp.whenDisconnectsRecorded();
      await inbox.close();
      await mirrors.close();
    },
  };
}

/** While it is locked, no agent learns, asks or posts anything. @throws BellhopError E_LOCKED */
function unlessLocked<Name extends string>({ state }: Engine, methods: Record<Name, Method>): Record<Name, Method> {
  const guarded = Object.entries<Method>(methods).map(([name, method]): [string, Method] => [
    name,
    async (call) => {
      if (lockedSince(state) !== null) throw new BellhopError("E_LOCKED");
      return method(call);
    },
  ]);
  return Object.fromEntries(guarded) as Record<Name, Method>;
}

const LOOK_MS = 3_000;

/** Watches channels under a bot; if none is named, the daemon's own. */
function watching(hold: ClientsOptions["acquireBot"], clock: Clock, own: string | undefined): WatchContext["watch"] {
  return async (token, named) => {
    const { watch, channelName: look, phase, release } = await hold(token, named[0] ?? null);
    const channels = named.length > 0 || token !== null || own === undefined ? named : [own];
    const watches = channels.map((id) => watch(id));
    const seen = new Map<string, { name: string } | null>();
    const looks = channels.map(async (id) => void seen.set(id, await look(id)));
    // The first part includes the names and whether they are readable, unless Discord is slow.
    await withTimeout(clock, LOOK_MS, Promise.allSettled([...looks, ...watches]));
    return { channels, knownChannel: (id) => seen.get(id), phase, stop: release };
  };
}

/*
 * `watch_status`: what a watcher shows of its channels, in parts: the state of the connection, the number of unread
 * messages, and each message as it arrives. It ends with its caller; the channels stay watched, and messages go into
 * the inbox whether anybody looks or not.
 */

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
  knownChannel(channelId: string): { name: string } | null | undefined;
  phase(): string;
  stop(): void;
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
      watched.stop();
      throw linkRefused("there is no channel to watch; set DISCORD_CHANNEL_ID, or name one with --channel");
    }
    const shown = (id: string): boolean => after === null || compareSnowflakes(id, after) <= 0;
    const known = new Set(Object.keys(engine.state.inbox).filter(shown));
    const look = (): void => call.part(partOf(engine, watched, known));
    const unwatch = engine.watch(["inbox", "place"], (topics) => {
      if (topics.has("inbox") || watched.channels.some((id) => topics.has(id))) look();
    });
    look();
    await untilCancelled(call, clock, interval_seconds * 1000, look);
    unwatch();
    watched.stop();
    return null;
  };
}

function partOf({ state }: Engine, { channels, knownChannel: seen, phase }: Watched, known: Set<string>): WatchPart {
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
