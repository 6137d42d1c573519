/**
 * Everything for agents' clients and watchers, put together: their methods, the files that mirror questions and the
 * inbox, and the import from an earlier installation. Methods that need Discord wait until there is a bot.
 */
import { inTime, type Clock } from "../base/clock.ts";
import { nodeDisk } from "../base/disk.ts";
import type { Settings } from "../config/settings.ts";
import { openInboxFile, openInboxMirror } from "./mirrors/inbox-file.ts";
import { openPendingFiles, openMirrors } from "./mirrors/question-files.ts";
import type { ClientMethods } from "./daemon.ts";
import { importEarlierQuestions } from "./mirrors/import-questions.ts";
import type { HeldBot, McpContext } from "./mcp/scope.ts";
import { inboxMethods, openMcpMethods } from "./mcp/methods.ts";
import { watchMethod, type WatchContext } from "./watch.ts";

export interface ClientsOptions extends Omit<McpContext, "settings" | "imported" | "hold"> {
  settings: Pick<Settings, "locale" | "pendingDir" | "inboxFile" | "stateDir" | "channelId">;
  /** See `McpContext`. */
  hold(whose: string | null | { botId: string }, channelId: string | null): Promise<ClientBot>;
}

export interface ClientBot extends HeldBot {
  /** Puts what is written in the channel into the inbox from now on. */
  watch(channelId: string): Promise<boolean>;
  /** A channel's name; null if Discord does not let us see it. */
  look(channelId: string): Promise<{ name: string } | null>;
  /** The state of the gateway connection. */
  phase(): string;
}

export interface Clients {
  readonly methods: ClientMethods;
  /** Called once the daemon's own bot is known. Never rejects. */
  importEarlier(botId: string): Promise<void>;
  /** Resolves when everything about callers who left is written, and the mirrors are up to date. */
  close(): Promise<void>;
}

export function openClients(options: ClientsOptions): Clients {
  const { engine, clock, log, settings, redact, hold } = options;
  const { pendingDir, stateDir, channelId } = settings;
  const files = openPendingFiles(nodeDisk, redact);
  const imported = Promise.withResolvers<void>();
  const context: McpContext = {
    ...options,
    imported: imported.promise,
    async hold(whose, named) {
      const held = await hold(whose, named);
      if (named !== null) void held.watch(named);
      return held;
    },
  };
  const mcp = openMcpMethods(context);
  const inbox = openInboxMirror({ engine, clock, file: openInboxFile(nodeDisk, settings.inboxFile, redact), log });
  const mirrors = openMirrors({ engine, clock, files, log });
  return {
    methods: {
      ...mcp.methods,
      ...inboxMethods(context),
      watch_status: watchMethod({ engine, clock, watch: watching(hold, clock, channelId) }),
    },
    async importEarlier(botId) {
      await importEarlierQuestions({ engine, files, disk: nodeDisk, log, stateDir, pendingDir, channelId, botId });
      imported.resolve();
    },
    async close() {
      await mcp.settled();
      await inbox.close();
      await mirrors.close();
    },
  };
}

const LOOK_MS = 3_000;

/** Watches channels under a bot; if none is named, the daemon's own. */
function watching(hold: ClientsOptions["hold"], clock: Clock, own: string | undefined): WatchContext["watch"] {
  return async (token, named) => {
    const { watch, look, phase, release } = await hold(token, named[0] ?? null);
    const channels = named.length > 0 || token !== null || own === undefined ? named : [own];
    const watches = channels.map((id) => watch(id));
    const seen = new Map<string, { name: string } | null>();
    const looks = channels.map(async (id) => void seen.set(id, await look(id)));
    // The first part includes the names and whether they are readable, unless Discord is slow.
    await inTime(clock, LOOK_MS, Promise.allSettled([...looks, ...watches]));
    return { channels, seen: (id) => seen.get(id), phase, release };
  };
}
