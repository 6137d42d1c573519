/**
 * The bot's connection to the gateway: its state between runs, the check that detects a connection without events, and
 * what is read back when it is there.
 */
import { join } from "node:path";
import {
  GatewayIntentBits,
  type APIGatewayBotInfo,
  type APIInteraction,
  type GatewayMessageCreateDispatchData,
  type GatewayMessageDeleteBulkDispatchData,
  type GatewayMessageDeleteDispatchData,
} from "discord-api-types/v10";
import { nodeDisk } from "../base/disk.ts";
import type { BotContext } from "./api/bot-context.ts";
import { Gateway } from "./api/gateway/gateway.ts";
import { openGatewayFile, type GatewayFile } from "./api/gateway/gateway-file.ts";
import { openLiveness } from "./api/gateway/liveness.ts";
import type { Rest } from "./api/rest.ts";
import { incomingMessage, withoutNulls } from "./intake/incoming.ts";
import type { Hints, Intake } from "./intake/intake.ts";
import { isSnowflake } from "../base/ids.ts";
import type { BotPosts } from "./bot-posts.ts";
import { authorize } from "./intake/authorize.ts";
import { carries, handleInteraction, refuseHere, refuseStranger } from "./interactions/interaction.ts";
import type { CommandContext } from "./interactions/command.ts";
import type { Edit } from "./intake/listener.ts";

/** Includes direct messages, because the owner may answer open decisions there. */
const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;
const PROBE_MS = 30_000;
/**
 * By then the daemon has said that it is ready. Looking for agents starts programs, which would delay that by 10 ms.
 */
const LOOK_MS = 100;

interface Hearing {
  /** Without the prefix `Bot `. */
  token: string;
  intake: Intake;
  gatewayInfo(): Promise<APIGatewayBotInfo>;
  dispatch(t: string, d: unknown): void;
}

export interface DiscordConnection {
  gateway: Gateway;
  memory: GatewayFile;
  /** Resolves when it is live for the first time. */
  ready: Promise<void>;
  ends: { close(): void }[];
}

export async function openConnection(
  context: BotContext,
  { token, intake, gatewayInfo, dispatch }: Hearing,
): Promise<DiscordConnection> {
  const { rest, clock, log, stateDir, botId, guildId } = context;
  const live = Promise.withResolvers<void>();
  const memory = await openGatewayFile({
    disk: nodeDisk,
    path: join(stateDir, `gateway-${botId}.json`),
    clock,
    log,
  });
  // Whatever the gateway replays, what was written while no daemon ran is read back.
  let begun = false;
  let forgetLook = (): void => undefined;
  const gateway = new Gateway(context, {
    token,
    intents: INTENTS,
    info: gatewayInfo,
    memory,
    random: Math.random,
    onLive(resumed) {
      intake.connected({ missed: !resumed || !begun });
      if (!begun) forgetLook = clock.after(LOOK_MS, () => void look(context));
      begun = true;
      live.resolve();
    },
    dispatch(t, d) {
      liveness.onServerEvent(t, d);
      // A replayed interaction of an earlier daemon's time: that one answered it, or Discord reported it failed.
      if (!begun && t === "INTERACTION_CREATE") return;
      dispatch(t, d);
    },
  });
  const liveness = openLiveness({
    clock,
    log,
    beatMs: () => gateway.beatMs,
    isLive: () => gateway.phase === "live",
    threads: () =>
      rest.call({
        method: "GET",
        path: `/guilds/${guildId}/threads/active`,
        priority: "cosmetic",
        repeatMs: PROBE_MS,
      }),
    onSilence: () => gateway.startNewSession({ because: "why_no_events" }),
  });
  return {
    gateway,
    memory,
    ready: live.promise,
    ends: [liveness, intake.poll(() => gateway.phase === "live"), { close: () => forgetLook() }],
  };
}

/**
 * Loads what the start left for later, since an update may take its file away while the daemon runs, and looks for
 * agents.
 */
async function look({ agents, log }: BotContext): Promise<void> {
  await import("./text/markdown.ts").catch((error: unknown) =>
    log.failure("what renders answers cannot be loaded", error),
  );
  await agents.lastFound();
}

/** Asks for the gateway's address while the identity is being asked for, which saves a round trip. */
export function askedAhead(rest: Rest): () => Promise<APIGatewayBotInfo> {
  const ask = (): Promise<APIGatewayBotInfo> =>
    rest.call({ method: "GET", path: "/gateway/bot", priority: "decision" });
  let asked: Promise<APIGatewayBotInfo> | null = ask();
  asked.catch(() => undefined);
  return () => {
    const info = asked ?? ask();
    asked = null;
    return info;
  };
}

/*
 * Routes the gateway's events: messages, edits and deletions to the listener, interactions to the commands, events
 * about threads and servers to the channel events. Each kind is authorized first.
 */

interface DispatchTargets {
  intake: Intake;
  /** What follows the server itself. */
  server: readonly { onServerEvent(t: string, d: unknown): void }[];
  commandContext: CommandContext;
  /** Only for the bot that has commands. */
  hints?: Hints | undefined;
  posts: BotPosts;
}

/** Handles one gateway event. The owner's interactions are handled; a stranger's are refused with a message. */
export function dispatch(
  t: string,
  d: unknown,
  { intake, server, commandContext, hints, posts }: DispatchTargets,
): void {
  const { listener, direct } = intake;
  // An event without an object carries no information.
  if (typeof d !== "object" || d === null) return;
  switch (t) {
    case "MESSAGE_CREATE": {
      const message = incomingMessage(d as GatewayMessageCreateDispatchData);
      const { channel_id, id } = message;
      if (isSnowflake(channel_id) && isSnowflake(id)) posts.onMessagePosted(channel_id, id);
      direct.message(message);
      hints?.message(message);
      return listener.message(message);
    }
    case "MESSAGE_UPDATE":
      return listener.edited(withoutNulls(d as Edit));
    case "MESSAGE_DELETE": {
      const gone = d as GatewayMessageDeleteDispatchData;
      posts.onMessagesDeleted([gone.id]);
      return listener.deleted(gone.channel_id, [gone.id], gone);
    }
    case "MESSAGE_DELETE_BULK": {
      const gone = d as GatewayMessageDeleteBulkDispatchData;
      if (Array.isArray(gone.ids)) posts.onMessagesDeleted(gone.ids);
      return listener.deleted(gone.channel_id, gone.ids, gone);
    }
    case "INTERACTION_CREATE": {
      const interaction = d as APIInteraction;
      // Without an id and a token an interaction cannot be answered, so it must not be obeyed.
      if (!isSnowflake(interaction?.id) || typeof interaction.token !== "string") return;
      if (!authorize(commandContext, { kind: "interaction", interaction }))
        return void refuseStranger(interaction, commandContext);
      return void (carries(interaction, commandContext)
        ? handleInteraction(interaction, commandContext)
        : refuseHere(interaction, commandContext));
    }
    default:
      intake.onGatewayEvent(t, d);
      hints?.onThreadEvent(t, d);
      if (t.startsWith("GUILD_")) for (const one of server) one.onServerEvent(t, d);
  }
}
