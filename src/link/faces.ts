/**
 * All that is there for agents' faces and watchers, put together: what they are answered, the files that mirror what
 * they ask and are written, and what an earlier installation left. Where an answer takes Discord they wait until
 * there is a room for it.
 */
import type { Clock } from "../base/clock.ts";
import { nodeDisk } from "../base/disk.ts";
import type { Log } from "../base/log.ts";
import type { Settings } from "../config/settings.ts";
import type { Engine } from "../engine/engine.ts";
import { openInboxFile } from "../host/inbox-file.ts";
import { openPendingFiles } from "../host/pending-files.ts";
import type { FaceMethods } from "./daemon.ts";
import { importEarlierQuestions } from "./earlier-questions.ts";
import { openInboxMirror } from "./inbox-mirror.ts";
import type { HeldBot, McpHouse } from "./mcp-house.ts";
import { inboxMethods } from "./mcp-inbox.ts";
import { openMcpMethods } from "./mcp-methods.ts";
import { openMirrors } from "./mirrors.ts";
import { watchMethod, type WatchHouse } from "./watch.ts";

export interface FacesOptions {
  engine: Engine;
  clock: Clock;
  log: Log;
  settings: Pick<Settings, "locale" | "pendingDir" | "inboxFile" | "stateDir" | "channelId">;
  /** See `McpHouse`. */
  lapseSeconds(): number | undefined;
  /** The room of a token, null for the daemon's own, held until it is released. @throws E_TOKEN_REFUSED, E_CONFIG_INVALID */
  hold(token: string | null, channelId: string | null): Promise<HeldFaceRoom>;
}

export interface HeldFaceRoom extends HeldBot {
  /** What is written in the channel goes into the inbox from now on. */
  watch(channelId: string): Promise<boolean>;
  /** How the gateway's connection stands. */
  phase(): string;
}

export interface Faces {
  readonly methods: FaceMethods;
  /** Once the daemon's own bot is known. Never rejects. */
  importEarlier(botId: string): Promise<void>;
  /** Resolves when all that is to be written of callers who left, and into the mirrors, has been. */
  close(): Promise<void>;
}

export function openFaces({ engine, clock, log, settings, lapseSeconds, hold }: FacesOptions): Faces {
  const { locale, pendingDir, stateDir, channelId } = settings;
  const files = openPendingFiles(nodeDisk);
  const house: McpHouse = {
    engine,
    clock,
    log,
    locale,
    pendingDir,
    lapseSeconds,
    async hold(token, named) {
      const held = await hold(token, named);
      if (named !== null) void held.watch(named);
      return held;
    },
  };
  const mcp = openMcpMethods(house);
  const inbox = openInboxMirror({ engine, file: openInboxFile(nodeDisk, settings.inboxFile), log });
  const mirrors = openMirrors({ engine, files, log });
  return {
    methods: { ...mcp.methods, ...inboxMethods(house), watch_status: watchMethod({ engine, clock, watch: watching(hold, channelId) }) },
    importEarlier: (botId) => importEarlierQuestions({ engine, files, disk: nodeDisk, log, stateDir, pendingDir, channelId, botId }),
    async close() {
      await mcp.settled();
      await inbox.close();
      await mirrors.close();
    },
  };
}

/** Channels under a bot; where none is named, the daemon's own. */
function watching(hold: FacesOptions["hold"], own: string | undefined): WatchHouse["watch"] {
  return async (token, named) => {
    const { watch, phase, release } = await hold(token, named[0] ?? null);
    const channels = named.length > 0 || token !== null || own === undefined ? named : [own];
    for (const id of channels) void watch(id);
    return { channels, phase, release };
  };
}
