/**
 * Everything one bot does on Discord: its identity, what it receives, and what it posts. Opened once per token; two
 * bots share nothing. It accepts messages only once the owner is known, and is ready when the gateway is; messages
 * written before that are read back.
 */
import { join } from "node:path";
import { GatewayIntentBits, type APIGatewayBotInfo } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import { nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Redaction } from "../base/redact.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { Config } from "../config/config-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live-events.ts";
import type { DecisionFiles } from "../host/files/decision-files.ts";
import type { Files } from "../host/files/files.ts";
import type { Results } from "../host/files/results.ts";
import { openAgentPosts, type AgentPosts } from "./delivery/agent-posts.ts";
import { adoptionCards } from "./views/adoption.ts";
import { announcements } from "./views/decisions/announcement.ts";
import { openCalls } from "./views/mention.ts";
import { openArchives, stillDesired } from "./threads/archive-threads.ts";
import type { AccessPolicy } from "./intake/authorize.ts";
import { noticeChannel } from "./intake/catch-up/catch-up-notice.ts";
import { registerCommands } from "./interactions/registry.ts";
import type { CommandContext } from "./interactions/command.ts";
import { openDesired, type Desired, type DesiredOptions } from "./delivery/desired.ts";
import { dispatch } from "./dispatch.ts";
import { openIntake, type Intake } from "./intake/intake.ts";
import { openFileLimit, type FileLimit } from "./api/file-limit.ts";
import { askedAhead } from "./api/gateway/asked-ahead.ts";
import { Gateway, type Condition } from "./api/gateway/gateway.ts";
import { openGatewayFile, type GatewayFile } from "./api/gateway/gateway-file.ts";
import { welcome, type FoundAgent } from "./views/welcome.ts";
import { openHints } from "./intake/hints.ts";
import { identify, invitation, type Identity } from "./identity.ts";
import type { SchedulerStatus } from "./api/request-scheduler.ts";
import { openLiveness } from "./api/gateway/liveness.ts";
import { openPanel } from "./delivery/panel.ts";
import { openPostSync, type PostSync } from "./delivery/sync-posts.ts";
import { sayLast } from "./last-words.ts";
import { openPresence, type Presence } from "./presence.ts";
import { questionNotices } from "./views/decisions/expired-question.ts";
import { openQuestionThreads } from "./threads/question-threads.ts";
import { openReactions } from "./delivery/reactions.ts";
import { reminderPosts } from "./views/decisions/reminder-posts.ts";
import { openReminders } from "./threads/reminders.ts";
import { openRest, type Rest } from "./api/rest.ts";
import { keepSentFiles } from "./delivery/sent-files.ts";
import { openStarts } from "./threads/session-starts.ts";
import { openStream, type Stream } from "./delivery/live-stream.ts";
import { openTyping } from "./delivery/typing.ts";
import { orphans } from "./views/worktrees.ts";
import { openThreadNames } from "./threads/rename-threads.ts";

export interface BotOptions extends Pick<DesiredOptions, "readDifference" | "statusLine"> {
  engine: Engine;
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  /** The exact requests that the owner is asked to allow. */
  decisionFiles: Pick<DecisionFiles, "read">;
  /** Where files that come with messages are put. */
  files: Files;
  clock: Clock;
  log: Log;
  /** Without the prefix `Bot `. */
  token: string;
  /** A bot of the daemon's own: it posts the greeting and has the commands. */
  own: boolean;
  /** It does what one bot does for all: keeps the files that were uploaded or sent, and tells what belongs to no session. */
  main: boolean;
  /** Each bot's: whether a message's files are being fetched. */
  underWay: Set<(messageId: string) => boolean>;
  /** Base address of the REST API. */
  api: string;
  /** Directory of the gateway's state file. */
  stateDir: string;
  /** Passes on `condition` before the first request, which may be long before the bot is open. */
  opening(condition: Bot["condition"]): void;
  locale: Locale;
  /** What the owner has configured; the rest is asked of Discord. */
  guildId: string | undefined;
  channelId: string | undefined;
  /** Where the control panel stands. */
  panelId?: string | undefined;
  /** The application that the token must belong to. */
  appId: string | undefined;
  /** How often everything is polled while the gateway is away. */
  pollIntervalMs: number;
  config(): Config;
  /** `known`: the agents found by the last search; `now`: a new search. */
  agents: { known(): Promise<FoundAgent[]>; now(): Promise<FoundAgent[]> };
  /** What commands know about this machine. */
  machine: { /** The thread of a requested session is made, or null: could not be made. */ adopt(requestId: string, threadId: string | null): Promise<void> } & Pick<CommandContext, "home" | "living" | "sessionAgents" | "startWindow" | "ready" | "takeClaude" | "speaksAcp" | "config" | "keyNameIn" | "attachCommand" | "tools" | "refusesArgument" | "checkDirectory" | "see" | "access">;
  /** Removes secrets from everything that leaves. */
  redactor: Redaction;
}

export interface Bot {
  readonly botId: string;
  readonly guildId: string;
  /** What agents post through their tools. */
  readonly says: AgentPosts;
  /** Resolves when messages are accepted. */
  readonly ready: Promise<{ bot_id: string; guild_id: string; owner_id: string }>;
  /** The current state of the connections: the gateway's and the REST client's. */
  condition(): Condition & { rest: SchedulerStatus };
  watch: Intake["watch"];
  look: Intake["look"];
  /** Resolves with whether everything written in these channels so far is processed; false if it takes too long. */
  isCaughtUp(ids: readonly string[]): Promise<boolean>;
  /** Resolves when Discord refuses the token or the intents. */
  readonly refused: Promise<BellhopError>;
  /** Posts the last message before the daemon exits, in threads that wait for something; short, at most once each. */
  lastWords(error: BellhopError): Promise<void>;
  close(): Promise<void>;
}

/** Includes direct messages, because the owner may answer open decisions there. */
const INTENTS = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages | GatewayIntentBits.MessageContent;
const PROBE_MS = 30_000;

/** Used until Discord has told the bot's identity. */
const UNKNOWN: Condition = { phase: "down", heard_ms: 0, dispatch_ms: null, healthy: true, next_try_ms: null, why: "asking Discord for the bot's identity" };

/** @throws E_TOKEN_REFUSED, E_CONFIG_INVALID if the owner or the guild cannot be determined */
export async function openBot(options: BotOptions): Promise<Bot> {
  const { engine, clock, log, locale, redactor } = options;
  const unauthorized = Promise.withResolvers<BellhopError>();
  const rest = openRest({
    token: options.token,
    api: options.api,
    clock, log, redactor,
    onUnauthorized: () => unauthorized.resolve(new BellhopError("E_TOKEN_REFUSED")),
  });
  const ending = [engine.atEnd(() => rest.fallSilent())];
  options.opening(() => ({ ...UNKNOWN, rest: rest.status }));
  const gatewayInfo = askedAhead(rest);
  const identity = await settleOwner(options, await identify(rest, { ...options, ownerId: engine.state.owner?.owner_id }));
  const policy: AccessPolicy = { ownerId: identity.ownerId, guildId: identity.guildId };
  const intake = await openIntake({ ...options, rest, policy, botId: identity.botId, leftChanged: () => posts.leftChanged() });
  const fileLimit = openFileLimit(identity);
  const posts = openPosts(options, rest, { ...identity, fileLimit }, intake);
  const { botId, guildId, ownerId } = identity;
  const questionsOnly = !options.own;
  const starts = openStarts({ engine, clock, rest, locale, ownerId, botId, log, adopt: options.machine.adopt });
  if (options.own) starts.start();
  const questions = openQuestionThreads({ engine, clock, rest, locale, ownerId, botId, guildId, log });
  questions.start();
  const reminders = openReminders({ engine, clock, log, botId, questionsOnly, config: options.config });
  const commandContext: CommandContext = {
    engine,
    rest,
    starts,
    results: options.results,
    decisionFiles: options.decisionFiles,
    locale,
    ...options.machine,
    agents: options.agents.now,
    reopen: (threadId, messageId) => intake.inbox.reopen(threadId, messageId),
    ownerId: identity.ownerId,
    now: () => clock.now(),
    botId: identity.botId,
    panelId: options.panelId,
    questionsOnly,
    guildId: identity.guildId,
    log,
  };
  const hints = options.own ? openHints({ engine, rest, policy, botId, locale, log }) : undefined;
  const presence = openOwnPresence(options, identity, rest, intake);
  const { gateway, memory, ready, ends } = await openGateway(options, { rest, identity, intake, gatewayInfo, hear: (t, d) => (dispatch(t, d, { ...intake, policy, commandContext, hints, posted: posts.posted }), presence.hear(t, d), fileLimit.hear(t, d)) });
  const hearing = [...ends, intake, starts, questions, reminders];
  ending.push(engine.atEnd(() => [gateway, ...hearing].forEach((one) => one.close())));
  return {
    botId,
    guildId,
    says: openAgentPosts({ engine, rest, clock, log, locale, botId, guildId, redactor }),
    ready: Promise.all([ready, presence.here]).then(() => ({ bot_id: botId, guild_id: guildId, owner_id: ownerId })),
    condition: () => ({ ...gateway.condition, rest: rest.status }),
    watch: intake.watch,
    look: intake.look,
    isCaughtUp: (ids) => intake.isCaughtUp(ids, gateway.phase === "live"),
    refused: Promise.race([gateway.refused, unauthorized.promise]),
    lastWords: (error) => sayLast(options, botId, error),
    async close() {
      ending.forEach((forget) => forget());
      await closeAll({ gateway, ends: hearing, posts, rest, memory });
    },
  };
}

/**
 * Only a bot of the daemon's own determines the owner where none is configured, once and permanently. For a client's
 * bot, while no owner is known, its application's owner is used for what is asked under that bot, and is not stored.
 */
async function settleOwner({ engine, own, log }: BotOptions, identity: Identity): Promise<Identity> {
  const { botId, ownerId: owner_id, applicationOwnerId } = identity;
  const { owner } = engine.state;
  if (owner?.from === "discovered" && own && applicationOwnerId !== null && applicationOwnerId !== owner.owner_id) {
    log.warn("the application has another owner now; Bellhop obeys the first one until DISCORD_OWNER_ID names another", { owner_id: owner.owner_id, application_owner_id: applicationOwnerId });
  }
  if (owner === undefined && !own) log.info("no owner is known: the owner of this bot's application may answer its questions", { bot_id: botId, owner_id });
  if (owner === undefined && own) {
    const first = await engine.submit({ type: "know_owner", owner_id, from: "discovered" });
    if (first.length > 0) log.info("no owner is set: obeying the application's owner from now on", { owner_id });
  }
  // Another bot may have determined him meanwhile.
  return { ...identity, ownerId: engine.state.owner?.owner_id ?? owner_id };
}

/** Registers the own bot's commands whenever it is in its server. */
function openOwnPresence({ own, locale, log }: BotOptions, { applicationId, guildId, isMember }: Identity, rest: Rest, intake: Intake): Presence {
  if (own && !isMember) log.warn(say(locale, "not_in_server", { guild: guildId, link: invitation(applicationId) }));
  return openPresence({
    guildId,
    isMember: isMember || !own,
    arrived(late) {
      if (!own) return;
      const registered = registerCommands({ rest, applicationId, guildId, log });
      registered.catch((error: unknown) => log.failure("the slash commands could not be registered", error));
      if (!late) return;
      log.info("the bot is in the server now", { guild_id: guildId });
      intake.inbox.catchUp();
    },
  });
}

interface Hearing {
  rest: Rest;
  identity: Identity;
  intake: Intake;
  gatewayInfo(): Promise<APIGatewayBotInfo>;
  hear(t: string, d: unknown): void;
}

interface Hears {
  gateway: Gateway;
  memory: GatewayFile;
  /** Resolves when it is live for the first time. */
  ready: Promise<void>;
  ends: { close(): void }[];
}

/** The gateway connection, its state between runs, and the check that detects a connection without events. */
async function openGateway(options: BotOptions, { rest, identity, intake, gatewayInfo, hear: dispatch }: Hearing): Promise<Hears> {
  const { clock, log, token, stateDir } = options;
  const live = Promise.withResolvers<void>();
  const memory = await openGatewayFile({ disk: nodeDisk, path: join(stateDir, `gateway-${identity.botId}.json`), clock, log });
  // Whatever the gateway replays, what was written while no daemon ran is read back.
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
      intake.connected({ missed: !resumed || !begun });
      begun = true;
      live.resolve();
      // Not earlier: looking for agents starts them, and nothing should wait for that.
      void options.agents.known();
    },
    dispatch(t, d) {
      liveness.hear(t, d);
      // A replayed interaction of an earlier daemon's time: that one answered it, or Discord reported it failed.
      if (!begun && t === "INTERACTION_CREATE") return;
      dispatch(t, d);
    },
  });
  const liveness = openLiveness({
    clock,
    log,
    beatMs: () => gateway.beatMs,
    live: () => gateway.phase === "live",
    threads: () => rest.call({ method: "GET", path: `/guilds/${identity.guildId}/threads/active`, priority: "cosmetic", repeatMs: PROBE_MS }),
    onSilence: () => gateway.anew("it answered but sent no events"),
  });
  return { gateway, memory, ready: live.promise, ends: [liveness, intake.poll(() => gateway.phase === "live")] };
}

/** What the bot posts: answers and cards by the post sync, streamed text by the stream, states by the reactions. */
function openPosts(options: BotOptions, rest: Rest, { botId, ownerId, fileLimit }: Identity & { fileLimit: FileLimit }, intake: Intake): Posts {
  const { engine, liveEvents, clock, log, locale } = options;
  const channelId = options.own ? options.channelId : undefined;
  const editIntervalMs = (): number => options.config().limits.status_edit_min_interval_ms;
  const changed = (threadId: string): void => postSync.look(threadId);
  const questionsOnly = !options.own;
  const posted = (at: string, messageId: string): void => {
    stream.posted(at, messageId);
    panel.posted(at, messageId);
  };
  const panel = openPanel({ engine, rest, channelId: options.panelId, botId, locale, since: clock.now() }, changed);
  const stream = openStream({ engine, liveEvents, clock, log, botId, questionsOnly, editIntervalMs, changed });
  const typing = openTyping({ engine, rest, clock, botId, questionsOnly });
  const desiredPosts = openDesiredOf(options, stream, { ownerId, fileLimit });
  const hello = openHello(options);
  const since = clock.now();
  const place = (): string | undefined => (options.own ? noticeChannel(engine.state, channelId, botId) : options.channelId);
  const postSync: PostSync = openPostSync({
    engine,
    rest,
    clock,
    log,
    botId,
    questionsOnly,
    openDirect: intake.direct.open,
    channelId,
    panelId: options.panelId,
    locale,
    async desired(threadId) {
      const greeted = threadId === channelId ? await hello() : [];
      const left = options.main && threadId === place() ? orphans(engine.state, { channelId: threadId, locale, since }) : [];
      const all = [...greeted, ...(await panel.desired(threadId)), ...left, ...intake.desired(threadId), ...(await desiredPosts(threadId)), ...announcements(engine.state, threadId, locale), ...questionNotices(engine.state, threadId, locale), ...reminderPosts(engine.state, threadId, { locale, ownerId }), ...adoptionCards(engine.state, threadId, { locale, botId })];
      return stillDesired(engine.state, threadId, all);
    },
    editIntervalMs,
    posted,
  });
  const reactions = openReactions({ engine, rest, clock, log, botId, questionsOnly });
  const sent = options.main ? [keepSentFiles({ engine, results: options.results, clock, log })] : [];
  const reconcilers = [openArchives({ engine, clock, rest, postSync, reactions, log, botId }), openThreadNames({ engine, clock, rest, log, botId }), ...sent];
  const leftChanged = (): void => {
    const at = place();
    if (at) postSync.look(at);
  };
  leftChanged();
  const unwatch = engine.watch((topics) => void (topics.has("orphans") && leftChanged()));
  return {
    leftChanged,
    posted,
    async close() {
      unwatch();
      panel.close();
      for (const reconciler of reconcilers) reconciler.close();
      await stream.close();
      typing.close();
      await postSync.close();
      await reactions.close();
    },
  };
}

/** What is to stand about jobs, turns and decisions, with the bot's configuration. */
function openDesiredOf(options: BotOptions, stream: Stream, { ownerId, fileLimit }: Pick<Identity, "ownerId"> & { fileLimit: FileLimit }): Desired {
  const { engine, clock, locale, log } = options;
  return openDesired({
    engine,
    results: options.results,
    decisionFiles: options.decisionFiles,
    readDifference: options.readDifference,
    access: options.machine.access,
    ownerId,
    calls: openCalls({ ownerId, clock, config: options.config }),
    locale,
    live: (jobId) => stream.live(jobId),
    below: (jobId) => stream.below(jobId),
    config: () => ({ long_answers: options.config().long_answers, max_file_bytes: fileLimit.bytes(), resume_after_limit: options.config().limits.resume_after_limit, terminal_turns: options.config().terminal_turns, footer: options.config().footer }),
    statusLine: options.statusLine,
    unreadable: (subject, error) => log.failure("the file of a post cannot be read", error, { subject }),
    givenUp: (subject, error) => log.failure("a post cannot be rendered and is given up", error, { subject }),
  });
}

interface Posts {
  /** The list of what is still to be read back has changed. */
  leftChanged(): void;
  /** A message was posted in a channel, by anyone. */
  posted(channelId: string, messageId: string): void;
  close(): Promise<void>;
}

/** The greeting, if there is a channel for it. */
function openHello({ engine, clock, locale, channelId, agents }: BotOptions): () => Promise<ReturnType<typeof welcome>[]> {
  const since = clock.now();
  return async () =>
    channelId === undefined ? [] : [welcome(engine.state, { locale, channelId, agents: await agents.known(), since })];
}

interface Opened {
  gateway: Gateway;
  ends: { close(): void }[];
  posts: { close(): Promise<void> };
  rest: Rest;
  memory: GatewayFile;
}

async function closeAll(bot: Opened): Promise<void> {
  bot.gateway.close();
  for (const one of bot.ends) one.close();
  // Concurrently: closing the REST client releases what the posts wait for.
  await Promise.all([bot.posts.close(), bot.rest.close(), bot.memory.close()]);
}
