/**
 * One bot's whole side of Discord: who it is, what it hears, what it owes and says. Opened once per token, with
 * nothing shared between two of them. It hears only after it knows whom to obey, and it is ready when the gateway
 * is; whatever was written before that is read back.
 */
import {
  GatewayIntentBits,
  type APIGatewayBotInfo,
  type APIInteraction,
  type APIMessage,
  type GatewayMessageCreateDispatchData,
} from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { Config } from "../config/config-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";
import type { Results } from "../host/results.ts";
import { isOwnersInteraction, type Wall } from "./authorize.ts";
import { handleInteraction, refuseStranger } from "./commands/interaction.ts";
import { registerCommands } from "./commands/registry.ts";
import type { CommandRoom } from "./commands/room.ts";
import { openDebts } from "./debts.ts";
import { Gateway } from "./gateway.ts";
import { greeting, type FoundAgent } from "./greeting.ts";
import { identify, type Identity } from "./identity.ts";
import { Inbox } from "./inbox.ts";
import { openOutbox, type Outbox } from "./outbox.ts";
import { openReactions } from "./reactions.ts";
import { failureKind } from "./rest-failure.ts";
import { openRest, type Rest } from "./rest.ts";
import { sentence } from "./sentence.ts";
import { openStarts } from "./starts.ts";
import { openStream } from "./stream.ts";

export interface RoomOptions {
  engine: Engine;
  signals: Signals<JobSignal>;
  results: Results;
  clock: Clock;
  log: Log;
  /** Without `Bot `. */
  token: string;
  /** Base address of the REST API. */
  api: string;
  locale: Locale;
  /** What the owner has set; Discord is asked for the rest. */
  ownerId: string | undefined;
  guildId: string | undefined;
  channelId: string | undefined;
  config(): Config;
  /** The agents as they were found at the start. */
  agents(): Promise<FoundAgent[]>;
  /** Every tool a project may name. */
  tools: readonly string[];
  refusesArgument(tool: string, args: readonly string[]): string | null;
  checkDirectory(path: string): Promise<"ok" | "absent" | "not_directory">;
}

export interface Room {
  /** Resolves when messages are accepted. */
  readonly ready: Promise<{ bot_id: string; guild_id: string; owner_id: string }>;
  /** Resolves when Discord will not have us: the token or the intents are refused. */
  readonly refused: Promise<BellhopError>;
  /** The last thing said before the daemon goes, in the threads that wait for something; short, and at most once each. */
  lastWords(error: BellhopError): Promise<void>;
  close(): Promise<void>;
}

/** Seed B 7.2. */
const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const LAST_WORDS_MS = 3_000;
const LAST_WORDS_THREADS = 5;

/** @throws E_TOKEN_REFUSED, E_CONFIG_INVALID where owner or guild cannot be told */
export async function openRoom(options: RoomOptions): Promise<Room> {
  const { engine, clock, log, locale } = options;
  const unauthorized = Promise.withResolvers<BellhopError>();
  const rest = openRest({
    token: options.token,
    api: options.api,
    clock,
    log,
    onUnauthorized: () => unauthorized.resolve(new BellhopError("E_TOKEN_REFUSED")),
  });
  const gatewayInfo = (): Promise<APIGatewayBotInfo> => rest.call({ method: "GET", path: "/gateway/bot", lane: "decision" });
  // Asked for beside the identity: one round trip less until we hear.
  let asked: Promise<APIGatewayBotInfo> | null = gatewayInfo();
  asked.catch(() => undefined);
  const identity = await identify(rest, options, log);
  const posts = openPosts(options, rest, identity);
  const wall: Wall = { ownerId: identity.ownerId, guildId: identity.guildId };
  const starts = openStarts({ engine, rest, locale, ownerId: identity.ownerId, log });
  starts.start();
  const inbox = openEar(options, rest, wall);
  const commandRoom: CommandRoom = {
    engine,
    rest,
    starts,
    locale,
    checkDirectory: options.checkDirectory,
    now: () => clock.now(),
    botId: identity.botId,
    guildId: identity.guildId,
    tools: options.tools,
    refusesArgument: options.refusesArgument,
    log,
  };
  const live = Promise.withResolvers<void>();
  const gateway = new Gateway({
    token: options.token,
    intents: INTENTS,
    info() {
      const info = asked ?? gatewayInfo();
      asked = null;
      return info;
    },
    clock,
    random: Math.random,
    log,
    live() {
      inbox.catchUp();
      live.resolve();
      // Only now: looking for agents starts them, and nobody should wait for that.
      void options.agents();
    },
    dispatch: (t, d) => hear(t, d, { inbox, wall, commandRoom }),
  });
  const registered = registerCommands({ rest, applicationId: identity.applicationId, guildId: identity.guildId, log });
  registered.catch((error: unknown) => log.failure("the slash commands could not be written", error));
  return {
    ready: live.promise.then(() => ({
      bot_id: identity.botId,
      guild_id: identity.guildId,
      owner_id: identity.ownerId,
    })),
    refused: Promise.race([gateway.refused, unauthorized.promise]),
    lastWords: (error) => sayLast(options, rest, error),
    close: () => closeAll({ gateway, inbox, starts, posts, rest }),
  };
}

interface Ears {
  inbox: Inbox;
  wall: Wall;
  commandRoom: CommandRoom;
}

/** One event of the gateway. The owner's interactions are taken up; a stranger's are told that they are nobody's. */
function hear(t: string, d: unknown, { inbox, wall, commandRoom }: Ears): void {
  if (t === "MESSAGE_CREATE") inbox.message(d as GatewayMessageCreateDispatchData);
  if (t !== "INTERACTION_CREATE") return;
  const interaction = d as APIInteraction;
  const owners = isOwnersInteraction(wall, interaction);
  void (owners ? handleInteraction(interaction, commandRoom) : refuseStranger(interaction, commandRoom));
}

/** What is said: answers and cards by the outbox, their growth by the stream, states by the reactions. */
function openPosts(options: RoomOptions, rest: Rest, { botId, ownerId }: Identity): { close(): Promise<void> } {
  const { engine, signals, clock, log, locale } = options;
  const editIntervalMs = (): number => options.config().limits.status_edit_min_interval_ms;
  const changed = (threadId: string): void => outbox.look(threadId);
  const stream = openStream({ engine, signals, rest, clock, log, botId, editIntervalMs, changed });
  const debts = openDebts({
    engine,
    results: options.results,
    locale,
    live: (jobId) => stream.live(jobId),
    config: () => ({ long_answers: options.config().long_answers, max_file_bytes: MAX_FILE_BYTES }),
    unreadable: (jobId, error) => log.failure("an answer's file cannot be read", error, { job_id: jobId }),
  });
  const hello = openHello(options);
  const outbox: Outbox = openOutbox({
    engine,
    rest,
    clock,
    log,
    botId,
    ownerId,
    channelId: options.channelId,
    locale,
    owed: async (threadId) => (threadId === options.channelId ? [...(await hello()), ...(await debts(threadId))] : debts(threadId)),
    editIntervalMs,
  });
  const reactions = openReactions({ engine, rest, log, botId });
  if (options.channelId) outbox.look(options.channelId);
  return {
    async close() {
      await stream.close();
      await outbox.close();
      await reactions.close();
    },
  };
}

/** The greeting, where there is a channel for it. */
function openHello({ engine, clock, locale, channelId, agents }: RoomOptions): () => Promise<ReturnType<typeof greeting>[]> {
  const since = clock.now();
  return async () =>
    channelId === undefined ? [] : [greeting(engine.state, { locale, channelId, agents: await agents(), since })];
}

function openEar({ engine, clock, log, config }: RoomOptions, rest: Rest, wall: Wall): Inbox {
  return new Inbox({
    engine,
    wall,
    clock,
    log,
    read: (channelId, after) =>
      rest.call<APIMessage[]>({ method: "GET", path: `/channels/${channelId}/messages?after=${after}&limit=100`, lane: "result" }),
    maxQueue: () => config().limits.max_queue_per_session,
    unreadable(_channelId, error) {
      const kind = failureKind(error);
      return kind === "channel_gone" || kind === "no_access" || kind === "closed" || kind === "unauthorized"
        ? "gone"
        : "try_again";
    },
  });
}

async function sayLast({ engine, locale, clock, channelId }: RoomOptions, rest: Rest, error: BellhopError): Promise<void> {
  const sessions = Object.values(engine.state.sessions).sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  const waiting = sessions.filter((session) => session.running_job_id !== null || session.queue.length > 0);
  // Where nothing waits, the message that could not be kept most likely stands where somebody wrote last.
  const told = (waiting.length > 0 ? waiting : sessions.slice(0, 1)).map((session) => session.thread_id);
  const places = told.length > 0 ? told.slice(0, LAST_WORDS_THREADS) : channelId ? [channelId] : [];
  const content = `${sentence(locale, error.code, error.details)} \`${error.code}\``;
  const body = { content, allowed_mentions: { parse: [] } };
  const said = places.map((id) => rest.call({ method: "POST", path: `/channels/${id}/messages`, body, lane: "decision" }));
  const late = new Promise<void>((resolve) => clock.after(LAST_WORDS_MS, resolve));
  await Promise.race([Promise.allSettled(said), late]);
}

async function closeAll(room: {
  gateway: Gateway;
  inbox: Inbox;
  starts: { close(): void };
  posts: { close(): Promise<void> };
  rest: Rest;
}): Promise<void> {
  room.gateway.close();
  room.inbox.close();
  room.starts.close();
  // Together: what the posts wait for is let go by the rest.
  await Promise.all([room.posts.close(), room.rest.close()]);
}
