/**
 * One bot's whole side of Discord: who it is, what it hears, what it owes and says. Opened once per token, with
 * nothing shared between two of them. It hears only after it knows whom to obey, and it is ready when the gateway
 * is; whatever was written before that is read back.
 */
import { join } from "node:path";
import { GatewayIntentBits, type APIGatewayBotInfo } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { Config } from "../config/config-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";
import type { DecisionFiles } from "../host/decision-files.ts";
import type { Files } from "../host/files.ts";
import type { Results } from "../host/results.ts";
import { openAgentPosts, type AgentPosts } from "./agent-posts.ts";
import { openArchives, stillOwed } from "./archives.ts";
import type { Wall } from "./authorize.ts";
import { noticeChannel } from "./catch-up-notice.ts";
import { registerCommands } from "./commands/registry.ts";
import type { CommandRoom } from "./commands/room.ts";
import { openDebts } from "./debts.ts";
import { hear } from "./dispatches.ts";
import { openEar, type Ear } from "./ear.ts";
import { Gateway, type Condition } from "./gateway.ts";
import { openGatewayMemory, type GatewayMemory } from "./gateway-memory.ts";
import { greeting, type FoundAgent } from "./greeting.ts";
import { identify, type Identity } from "./identity.ts";
import type { LanesStatus } from "./lanes.ts";
import { openLiveness } from "./liveness.ts";
import { openOutbox, type Outbox } from "./outbox.ts";
import { questionNotices } from "./question-notices.ts";
import { openQuestionThreads } from "./question-threads.ts";
import { openReactions } from "./reactions.ts";
import { reminderPosts } from "./reminder-posts.ts";
import { openReminders } from "./reminders.ts";
import { openRest, type Rest } from "./rest.ts";
import { sentence } from "./sentence.ts";
import { openStarts } from "./starts.ts";
import { openStream } from "./stream.ts";

export interface RoomOptions {
  engine: Engine;
  signals: Signals<JobSignal>;
  results: Results;
  /** What exactly would be done by what is asked. */
  decisionFiles: Pick<DecisionFiles, "read">;
  /** Where files that come with messages are put. */
  files: Files;
  clock: Clock;
  log: Log;
  /** Without `Bot `. */
  token: string;
  /** The daemon's own bot, which greets and has the commands. */
  own: boolean;
  /** Base address of the REST API. */
  api: string;
  /** Where the gateway's own small file is kept. */
  stateDir: string;
  /** How the connections stand from the first request on, which may be long before the room is open. */
  opening(condition: Room["condition"]): void;
  locale: Locale;
  /** What the owner has set; Discord is asked for the rest. */
  ownerId: string | undefined;
  guildId: string | undefined;
  channelId: string | undefined;
  /** How often everything is read while the gateway is away. */
  pollIntervalMs: number;
  config(): Config;
  /** The agents as they were found at the start. */
  agents(): Promise<FoundAgent[]>;
  /** Every tool a project may name. */
  tools: readonly string[];
  refusesArgument(tool: string, args: readonly string[]): string | null;
  checkDirectory: CommandRoom["checkDirectory"];
  /** Takes secrets out of what agents say. */
  redact(text: string): string;
}

export interface Room {
  readonly botId: string;
  readonly guildId: string;
  /** What agents say through their tools. */
  readonly says: AgentPosts;
  /** Resolves when messages are accepted. */
  readonly ready: Promise<{ bot_id: string; guild_id: string; owner_id: string }>;
  /** How the connections stand now, the gateway's and that of the requests. */
  condition(): Condition & { rest: LanesStatus };
  /** What is written in this channel goes into the inbox from now on; resolves with whether Discord lets us. */
  watch(channelId: string): Promise<boolean>;
  /** Resolves when Discord will not have us: the token or the intents are refused. */
  readonly refused: Promise<BellhopError>;
  /** The last thing said before the daemon goes, in the threads that wait for something; short, and at most once each. */
  lastWords(error: BellhopError): Promise<void>;
  close(): Promise<void>;
}

/** Seed B 7.2, and the owner's direct messages, which may answer what is open. */
const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages | GatewayIntentBits.MessageContent;
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const LAST_WORDS_MS = 3_000;
const PROBE_MS = 30_000;
const LAST_WORDS_THREADS = 5;

/** Before Discord has told us who we are. */
const UNKNOWN: Condition = { phase: "down", heard_ms: 0, dispatch_ms: null, healthy: true, next_try_ms: null, why: "asking Discord who we are" };

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
  options.opening(() => ({ ...UNKNOWN, rest: rest.status }));
  const gatewayInfo = askedAhead(rest);
  const identity = await identify(rest, options, log);
  const wall: Wall = { ownerId: identity.ownerId, guildId: identity.guildId };
  const ear = await openEar({ ...options, rest, wall, botId: identity.botId, leftChanged: () => posts.leftChanged() });
  const posts = openPosts(options, rest, identity, ear);
  const { botId, guildId, ownerId } = identity;
  const starts = openStarts({ engine, rest, locale, ownerId, botId, log });
  starts.start();
  const questions = openQuestionThreads({ engine, rest, locale, ownerId, botId, guildId, log });
  questions.start();
  const reminders = openReminders({ engine, clock, log, botId, config: options.config });
  const commandRoom: CommandRoom = {
    engine,
    rest,
    starts,
    results: options.results,
    decisionFiles: options.decisionFiles,
    locale,
    checkDirectory: options.checkDirectory,
    agents: options.agents,
    ownerId: identity.ownerId,
    now: () => clock.now(),
    botId: identity.botId,
    guildId: identity.guildId,
    tools: options.tools,
    refusesArgument: options.refusesArgument,
    log,
  };
  const { gateway, memory, ready, ends } = await openGateway(options, { rest, identity, ear, gatewayInfo, hear: (t, d) => hear(t, d, { ...ear, wall, commandRoom }) });
  if (options.own) {
    const registered = registerCommands({ rest, applicationId: identity.applicationId, guildId, log });
    registered.catch((error: unknown) => log.failure("the slash commands could not be written", error));
  }
  return {
    botId,
    guildId,
    says: openAgentPosts({ rest, clock, log, locale, botId, guildId, redact: options.redact }),
    ready: ready.then(() => ({
      bot_id: identity.botId,
      guild_id: identity.guildId,
      owner_id: identity.ownerId,
    })),
    condition: () => ({ ...gateway.condition, rest: rest.status }),
    watch: ear.watch,
    refused: Promise.race([gateway.refused, unauthorized.promise]),
    lastWords: (error) => sayLast(options, rest, error),
    close: () => closeAll({ gateway, ends: [...ends, ear, starts, questions, reminders], posts, rest, memory }),
  };
}

/** Where the gateway is. Asked for beside the identity: one round trip less until we hear. */
function askedAhead(rest: Rest): () => Promise<APIGatewayBotInfo> {
  const ask = (): Promise<APIGatewayBotInfo> => rest.call({ method: "GET", path: "/gateway/bot", lane: "decision" });
  let asked: Promise<APIGatewayBotInfo> | null = ask();
  asked.catch(() => undefined);
  return () => {
    const info = asked ?? ask();
    asked = null;
    return info;
  };
}

interface Hearing {
  rest: Rest;
  identity: Identity;
  ear: Ear;
  gatewayInfo(): Promise<APIGatewayBotInfo>;
  hear(t: string, d: unknown): void;
}

interface Hears {
  gateway: Gateway;
  memory: GatewayMemory;
  /** Resolves when it is live for the first time. */
  ready: Promise<void>;
  ends: { close(): void }[];
}

/** The connection that hears, what it keeps between two lives, and what finds out that it has gone deaf. */
async function openGateway(options: RoomOptions, { rest, identity, ear, gatewayInfo, hear }: Hearing): Promise<Hears> {
  const { clock, log, token, stateDir } = options;
  const live = Promise.withResolvers<void>();
  const memory = await openGatewayMemory({ disk: nodeDisk, path: join(stateDir, `gateway-${identity.botId}.json`), clock, log });
  // Whatever the gateway replays, what was written while no daemon was there is read back.
  let begun = false;
  const gateway = new Gateway({
    token,
    intents: INTENTS,
    info: gatewayInfo,
    memory,
    clock,
    random: Math.random,
    log,
    live(resumed) {
      ear.inbox.catchUp({ missed: !resumed || !begun });
      begun = true;
      live.resolve();
      // Only now: looking for agents starts them, and nobody should wait for that.
      void options.agents();
    },
    dispatch(t, d) {
      liveness.hear(t, d);
      // Replayed from before this daemon's time: the one before has answered it, or the person has been told it failed.
      if (!begun && t === "INTERACTION_CREATE") return;
      hear(t, d);
    },
  });
  const liveness = openLiveness({
    clock,
    log,
    beatMs: () => gateway.beatMs,
    live: () => gateway.phase === "live",
    threads: () => rest.call({ method: "GET", path: `/guilds/${identity.guildId}/threads/active`, lane: "cosmetic", repeatMs: PROBE_MS }),
    deaf: () => gateway.anew("it answered and brought no events"),
  });
  return { gateway, memory, ready: live.promise, ends: [liveness, ear.poll(() => gateway.phase === "live")] };
}

/** What is said: answers and cards by the outbox, their growth by the stream, states by the reactions. */
function openPosts(options: RoomOptions, rest: Rest, { botId, ownerId }: Identity, ear: Ear): Posts {
  const { engine, signals, clock, log, locale } = options;
  const channelId = options.own ? options.channelId : undefined;
  const editIntervalMs = (): number => options.config().limits.status_edit_min_interval_ms;
  const changed = (threadId: string): void => outbox.look(threadId);
  const stream = openStream({ engine, signals, rest, clock, log, botId, editIntervalMs, changed });
  const debts = openDebts({
    engine,
    results: options.results,
    decisionFiles: options.decisionFiles,
    ownerId,
    locale,
    live: (jobId) => stream.live(jobId),
    config: () => ({ long_answers: options.config().long_answers, max_file_bytes: MAX_FILE_BYTES }),
    unreadable: (subject, error) => log.failure("the file of what is to be shown cannot be read", error, { subject }),
  });
  const hello = openHello(options);
  const outbox: Outbox = openOutbox({
    engine,
    rest,
    clock,
    log,
    botId,
    ownerId,
    channelId,
    locale,
    async owed(threadId) {
      const greeted = threadId === channelId ? await hello() : [];
      const all = [...greeted, ...ear.owed(threadId), ...(await debts(threadId)), ...questionNotices(engine.state, threadId, locale), ...reminderPosts(engine.state, threadId, { locale, ownerId })];
      return stillOwed(engine.state, threadId, all);
    },
    editIntervalMs,
  });
  const reactions = openReactions({ engine, rest, log, botId });
  const archives = openArchives({ engine, rest, outbox, reactions, log, botId });
  const leftChanged = (): void => {
    const place = options.own ? noticeChannel(engine.state, channelId) : options.channelId;
    if (place) outbox.look(place);
  };
  leftChanged();
  return {
    leftChanged,
    async close() {
      archives.close();
      await stream.close();
      await outbox.close();
      await reactions.close();
    },
  };
}

interface Posts {
  /** What the reading back still has to do is not what it was. */
  leftChanged(): void;
  close(): Promise<void>;
}

/** The greeting, where there is a channel for it. */
function openHello({ engine, clock, locale, channelId, agents }: RoomOptions): () => Promise<ReturnType<typeof greeting>[]> {
  const since = clock.now();
  return async () =>
    channelId === undefined ? [] : [greeting(engine.state, { locale, channelId, agents: await agents(), since })];
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

interface Opened {
  gateway: Gateway;
  ends: { close(): void }[];
  posts: { close(): Promise<void> };
  rest: Rest;
  memory: GatewayMemory;
}

async function closeAll(room: Opened): Promise<void> {
  room.gateway.close();
  for (const one of room.ends) one.close();
  // Together: what the posts wait for is let go by the rest.
  await Promise.all([room.posts.close(), room.rest.close(), room.memory.close()]);
}
