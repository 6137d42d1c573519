/**
 * Everything one bot does on Discord: its identity, what it receives, and what it posts. Opened once per token; two
 * bots share nothing. It accepts messages only once the owner is known, and is ready when the gateway is; messages
 * written before that are read back.
 */
import type { DiscordTime } from "../base/discord-time.ts";
import { BellhopError } from "../base/errors.ts";
import type { Redaction } from "../base/redact.ts";
import { say } from "../base/words/say.ts";
import { openAgentPosts, type AgentPosts } from "./delivery/agent-posts.ts";
import type { AccessPolicy } from "./intake/authorize.ts";
import { openRegistration, type Registration } from "./interactions/registration.ts";
import type { CommandContext, Machine } from "./interactions/command.ts";
import { openPosts, type PostsOptions } from "./bot-posts.ts";
import { askedAhead, openConnection, type Connection, type ConnectionOptions } from "./gateway-connection.ts";
import { dispatch } from "./dispatch.ts";
import { openIntake, type Intake, type IntakeOptions } from "./intake/intake.ts";
import { openFileLimit } from "./api/file-limit.ts";
import type { Condition } from "./api/gateway/handshake.ts";
import { openHints } from "./intake/hints.ts";
import { identify, invitation, type Identity } from "./identity.ts";
import type { SchedulerStatus } from "./api/request-scheduler.ts";
import { sayLast } from "./last-words.ts";
import { openPresence, type Presence } from "./presence.ts";
import { openQuestionThreads } from "./threads/question-threads.ts";
import { openReminders } from "./threads/reminders.ts";
import { openRest, type Rest } from "./api/rest.ts";
import { openStarts } from "./threads/session-starts.ts";

export interface BotOptions
  extends
    Omit<PostsOptions, "agents" | "machine">,
    Omit<IntakeOptions, "rest" | "policy" | "botId" | "leftChanged">,
    ConnectionOptions {
  /** Passes on `condition` before the first request, which may be long before the bot is open. */
  opening(condition: Bot["condition"]): void;
  /** The server that the owner has configured; else it is asked of Discord. */
  guildId: string | undefined;
  /** The application that the token must belong to. */
  appId: string | undefined;
  machine: Machine & {
    /** The thread of a requested session is made; null: it could not be made. */
    adopt(requestId: string, threadId: string | null): Promise<void>;
  };
  /** Removes secrets from everything that leaves. */
  redactor: Redaction;
  time: Pick<DiscordTime, "heard">;
}

export interface Bot extends Readonly<Pick<Identity, "botId" | "guildId">>, Pick<Intake, "watch" | "look"> {
  /** What agents post through their tools. */
  readonly says: AgentPosts;
  /** Resolves when messages are accepted. */
  readonly ready: Promise<{
    bot_id: string;
    guild_id: string;
    owner_id: string;
    /** Discord refuses the slash commands; absent: it does not. */ commands?: false;
  }>;
  /** The current state of the connections: the gateway's and the REST client's. */
  condition(): Condition & { rest: SchedulerStatus };
  /** Resolves with whether everything written in these channels so far is processed; false if it takes too long. */
  isCaughtUp(ids: readonly string[]): Promise<boolean>;
  /**
   * The same with the owner's direct messages, and without trust in a connection that only looks live: it has to
   * answer, or the channels are read.
   */
  hasHeard(ids: readonly string[]): Promise<boolean>;
  /** Resolves when Discord refuses the token or the intents. */
  readonly refused: Promise<BellhopError>;
  /** Posts the last message before the daemon exits, in threads that wait for something; short, at most once each. */
  lastWords(error: BellhopError): Promise<void>;
  close(): Promise<void>;
}

/** Used until Discord has told the bot's identity. */
const UNKNOWN: Condition = {
  phase: "down",
  heard_ms: 0,
  dispatch_ms: null,
  healthy: true,
  next_try_ms: null,
  why: "asking Discord for the bot's identity",
  why_said: { because: "why_identity" },
};

/** @throws E_TOKEN_REFUSED, E_CONFIG_INVALID if the owner or the guild cannot be determined */
export async function openBot(options: BotOptions): Promise<Bot> {
  const { engine, clock, log, locale, redactor } = options;
  const unauthorized = Promise.withResolvers<BellhopError>();
  const rest = openRest({
    token: options.token,
    api: options.api,
    clock,
    log,
    redactor,
    time: options.time,
    onUnauthorized: () => unauthorized.resolve(new BellhopError("E_TOKEN_REFUSED")),
  });
  const ending = [engine.atEnd(() => rest.fallSilent())];
  options.opening(() => ({ ...UNKNOWN, rest: rest.status }));
  const gatewayInfo = askedAhead(rest);
  const identity = await settleOwner(
    options,
    await identify(rest, { ...options, ownerId: engine.state.owner?.owner_id }),
  );
  const policy: AccessPolicy = { ownerId: identity.ownerId, guildId: identity.guildId };
  const intake = await openIntake({
    ...options,
    rest,
    policy,
    botId: identity.botId,
    leftChanged: () => posts.leftChanged(),
  });
  const fileLimit = openFileLimit(identity);
  const { botId, guildId, ownerId, applicationId } = identity;
  const who = { bot_id: botId, guild_id: guildId, owner_id: ownerId };
  const common = { engine, clock, rest, locale, ownerId, botId, guildId, log };
  const registration = openRegistration({ ...common, applicationId, link: invitation(applicationId) });
  const presence = openOwnPresence(options, identity, registration, intake);
  const posts = openPosts(options, rest, { ...identity, fileLimit, away: presence.away }, intake);
  const starts = openStarts({ ...common, adopt: options.machine.adopt, openDirect: intake.direct.open });
  const questions = openQuestionThreads(common);
  for (const one of options.own ? [starts, questions] : [questions]) one.start();
  const reminders = openReminders({ ...common, questionsOnly: !options.own, config: options.config });
  const commandContext = contextOf(options, { rest, starts, listener: intake.listener, ownerId, botId, guildId });
  const hints = options.own ? openHints({ ...common, policy }) : undefined;
  const { gateway, memory, ready, ends } = await openConnection(options, {
    rest,
    identity,
    intake,
    gatewayInfo,
    hear: (t, d) => dispatch(t, d, { ...intake, server: [presence, fileLimit], policy, commandContext, hints, posts }),
  });
  const hearing = [...ends, intake, starts, questions, reminders, registration];
  ending.push(engine.atEnd(() => [gateway, ...hearing].forEach((one) => one.close())));
  return {
    botId,
    guildId,
    says: openAgentPosts({ ...common, redactor }),
    ready: Promise.all([ready, presence.here]).then(() => ({
      ...who,
      ...(registration.isRefused && { commands: false as const }),
    })),
    condition: () => ({ ...gateway.condition, rest: rest.status }),
    watch: intake.watch,
    look: intake.look,
    isCaughtUp: (ids) => intake.isCaughtUp(ids, gateway.phase === "live"),
    async hasHeard(ids) {
      const direct = await intake.direct.open().catch(() => null);
      const places = direct === null ? ids : [...ids, direct];
      return intake.isCaughtUp(places, await gateway.answers());
    },
    refused: Promise.race([gateway.refused, unauthorized.promise]),
    lastWords: (error) =>
      sayLast({ ...options, botId, config: { ...options.config(), max_file_bytes: fileLimit.bytes() } }, error),
    async close() {
      ending.forEach((forget) => forget());
      await closeAll({ gateway, ends: hearing, posts, rest, memory });
    },
  };
}

/** What commands and buttons work with. */
function contextOf(
  options: BotOptions,
  {
    listener,
    ...parts
  }: Pick<CommandContext, "rest" | "starts" | "ownerId" | "botId" | "guildId"> & Pick<Intake, "listener">,
): CommandContext {
  const { engine, clock, log, locale, results, decisionFiles, machine, agents, panelId, own } = options;
  return {
    ...parts,
    engine,
    results,
    decisionFiles,
    locale,
    ...machine,
    agents: agents.now,
    reopen: (threadId, messageId) => listener.reopen(threadId, messageId),
    sendHeld: (threadId, messageId) => listener.sendHeld(threadId, messageId),
    wordsNow: (threadId, messageId) => listener.wordsNow(threadId, messageId),
    now: () => clock.now(),
    panelId,
    questionsOnly: !own,
    log,
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
    log.warn(
      "the application has another owner now; Bellhop obeys the first one until DISCORD_OWNER_ID names another",
      { owner_id: owner.owner_id, application_owner_id: applicationOwnerId },
    );
  }
  if (owner === undefined && !own)
    log.info("no owner is known: the owner of this bot's application may answer its questions", {
      bot_id: botId,
      owner_id,
    });
  if (owner === undefined && own) {
    const first = await engine.submit({ type: "know_owner", owner_id, from: "discovered" });
    if (first.length > 0) log.info("no owner is set: obeying the application's owner from now on", { owner_id });
  }
  // Another bot may have determined him meanwhile.
  return { ...identity, ownerId: engine.state.owner?.owner_id ?? owner_id };
}

/** Registers the own bot's commands whenever it is in its server. */
function openOwnPresence(
  { own, locale, log }: BotOptions,
  { applicationId, guildId, isMember }: Identity,
  registration: Registration,
  intake: Intake,
): Presence {
  if (own && !isMember) log.warn(say(locale, "not_in_server", { guild: guildId, link: invitation(applicationId) }));
  return openPresence({
    guildId,
    isMember: isMember || !own,
    arrived(late) {
      if (!own) return;
      void registration.register();
      if (!late) return;
      log.info("the bot is in the server now", { guild_id: guildId });
      intake.listener.catchUp();
    },
  });
}

interface Opened extends Pick<Connection, "gateway" | "memory"> {
  ends: { close(): void }[];
  posts: { close(): Promise<void> };
  rest: Rest;
}

async function closeAll(bot: Opened): Promise<void> {
  bot.gateway.close();
  for (const one of bot.ends) one.close();
  // Concurrently: closing the REST client releases what the posts wait for.
  await Promise.all([bot.posts.close(), bot.rest.close(), bot.memory.close()]);
}
