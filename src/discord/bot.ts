/**
 * Everything one bot does on Discord: its identity, what it receives, and what it posts. Opened once per token; two
 * bots share nothing. It accepts messages only once the owner is known, and is ready when the gateway is; messages
 * written before that are read back.
 */
import { withTimeout } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import type { BotRole } from "../core/sessions/thread.ts";
import type { BotContext, DaemonContext } from "./api/bot-context.ts";
import { openFileLimit } from "./api/file-limit.ts";
import type { Condition } from "./api/gateway/handshake.ts";
import type { SchedulerStatus } from "./api/request-scheduler.ts";
import { openRest } from "./api/rest.ts";
import { openPosts } from "./bot-posts.ts";
import { askedAhead, dispatch, openConnection } from "./connection.ts";
import { openAgentPosts, type AgentPosts } from "./delivery/agent-posts.ts";
import { postUnsaved } from "./delivery/unsaved-answers.ts";
import { identify, invitation, type Identity } from "./identity.ts";
import { openHints, openIntake, type FetchesUnderWay, type Intake, type WatchedChannels } from "./intake/intake.ts";
import type { CommandContext } from "./interactions/command.ts";
import { openRegistration, type Registration } from "./interactions/registry.ts";
import { openQuestionThreads } from "./threads/question-threads.ts";
import { openReminders } from "./threads/reminders.ts";
import { openStarts } from "./threads/session-starts.ts";
import { sentence } from "./views/message.ts";

/** A bot, and where it is to be. */
export interface ServedBot {
  /** Without the prefix `Bot `. */
  token: string;
  /** The server that the owner has configured; else it is asked of Discord. */
  guildId?: string | undefined;
  /** The owner's channel, if one is configured. */
  channelId?: string | undefined;
  panelId?: string | undefined;
  /** The application that the token must belong to. */
  appId?: string | undefined;
  /** Given `condition` before the first request, which may be long before the bot is open, and again when it is. */
  onCondition?(condition: Bot["condition"]): void;
}

export interface BotOptions extends ServedBot {
  role: BotRole;
  main: boolean;
  underWay: FetchesUnderWay;
}

/** Who accepts messages, and from whom. */
export type Who = {
  bot_id: string;
  guild_id: string;
  owner_id: string;
  /** Discord refuses the slash commands; absent: it does not. */
  commands?: false;
};

/** What a bot reads, and how far it has. */
export interface BotReading extends WatchedChannels {
  /** Resolves with whether everything written in these channels so far is processed; false if it takes too long. */
  isCaughtUp(ids: readonly string[]): Promise<boolean>;
  /**
   * The same with the owner's direct messages, and without trust in a connection that only looks live: it has to
   * answer, or the channels are read.
   */
  hasHeard(ids: readonly string[]): Promise<boolean>;
}

export interface Bot extends BotReading {
  readonly botId: string;
  readonly guildId: string;
  /** What agents post through their tools. */
  readonly says: AgentPosts;
  /** Resolves when messages are accepted. */
  readonly ready: Promise<Who>;
  /** The current state of the connections: the gateway's and the REST client's. */
  condition(): Condition & { rest: SchedulerStatus };
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
export async function openBot(daemon: DaemonContext, options: BotOptions): Promise<Bot> {
  const { engine } = daemon;
  const unauthorized = Promise.withResolvers<BellhopError>();
  const rest = openRest({
    ...daemon,
    token: options.token,
    onUnauthorized: () => unauthorized.resolve(new BellhopError("E_TOKEN_REFUSED")),
  });
  const ending = [engine.atEnd(() => rest.fallSilent())];
  options.onCondition?.(() => ({ ...UNKNOWN, rest: rest.status }));
  const gatewayInfo = askedAhead(rest);
  const { role, main, guildId: wanted, channelId, panelId, appId } = options;
  const known = { ownerId: engine.state.owner?.owner_id, guildId: wanted, channelId, appId, locale: daemon.locale };
  const identity = await settleOwner(daemon, role, await identify(rest, known));
  const { botId, guildId, ownerId, applicationId } = identity;
  const context: BotContext = {
    ...daemon,
    rest,
    role,
    main,
    botId,
    guildId,
    ownerId,
    channelId,
    panelId,
    commandIds: new Map(),
  };
  const intake = await openIntake(context, options.underWay, () => posts.leftChanged());
  const fileLimit = openFileLimit(identity);
  const registration = openRegistration(context, applicationId, invitation(applicationId));
  const presence = openOwnPresence(context, identity, registration, intake);
  const posts = openPosts(context, intake, { fileLimit, whenPresent: presence.whenPresent });
  const starts = openStarts(context, intake.direct.open);
  const questions = openQuestionThreads(context);
  for (const one of role === "serves" ? [starts, questions] : [questions]) one.start();
  const reminders = openReminders(context);
  const commandContext: CommandContext = { ...context, starts, listener: intake.listener };
  const hints = role === "serves" ? openHints(context) : undefined;
  const { gateway, memory, ready, ends } = await openConnection(context, {
    token: options.token,
    intake,
    gatewayInfo,
    dispatch: (t, d) => dispatch(t, d, { intake, server: [presence, fileLimit], commandContext, hints, posts }),
  });
  const condition = (): ReturnType<Bot["condition"]> => ({ ...gateway.condition, rest: rest.status });
  options.onCondition?.(condition);
  const hearing = [...ends, intake, starts, questions, reminders, registration];
  ending.push(engine.atEnd(() => [gateway, ...hearing].forEach((one) => one.close())));
  return {
    botId,
    guildId,
    says: openAgentPosts(context),
    ready: Promise.all([ready, presence.here]).then(() => ({
      bot_id: botId,
      guild_id: guildId,
      owner_id: ownerId,
      ...(registration.isRefused && { commands: false as const }),
    })),
    condition,
    watch: intake.watch,
    channelName: intake.channelName,
    isCaughtUp: (ids) => intake.isCaughtUp(ids, gateway.phase === "live"),
    async hasHeard(ids) {
      const direct = await intake.direct.open().catch(() => null);
      const places = direct === null ? ids : [...ids, direct];
      return intake.isCaughtUp(places, await gateway.answers());
    },
    refused: Promise.race([gateway.refused, unauthorized.promise]),
    lastWords: (error) => sayLast(context, options.token, fileLimit.bytes(), error),
    async close() {
      ending.forEach((forget) => forget());
      gateway.close();
      for (const one of hearing) one.close();
      // Concurrently: closing the REST client releases what the posts wait for.
      await Promise.all([posts.close(), rest.close(), memory.close()]);
    },
  };
}

/**
 * Only a bot of the daemon's own determines the owner where none is configured, once and permanently. For a client's
 * bot, while no owner is known, its application's owner is used for what is asked under that bot, and is not stored.
 */
async function settleOwner({ engine, log }: DaemonContext, role: BotRole, identity: Identity): Promise<Identity> {
  const { botId, ownerId: owner_id, applicationOwnerId } = identity;
  const { owner } = engine.state;
  if (
    owner?.from === "discovered" &&
    role === "serves" &&
    applicationOwnerId !== null &&
    applicationOwnerId !== owner.owner_id
  ) {
    log.warn(
      "the application has another owner now; Bellhop obeys the first one until DISCORD_OWNER_ID names another",
      { owner_id: owner.owner_id, application_owner_id: applicationOwnerId },
    );
  }
  if (owner === undefined && role === "asks")
    log.info("no owner is known: the owner of this bot's application may answer its questions", {
      bot_id: botId,
      owner_id,
    });
  if (owner === undefined && role === "serves") {
    const first = await engine.submit({ type: "know_owner", owner_id, from: "discovered" });
    if (first.length > 0) log.info("no owner is set: obeying the application's owner from now on", { owner_id });
  }
  // Another bot may have determined him meanwhile.
  return { ...identity, ownerId: engine.state.owner?.owner_id ?? owner_id };
}

/** Registers the own bot's commands whenever it is in its server. */
function openOwnPresence(
  { role, locale, log }: BotContext,
  { applicationId, guildId, isMember }: Identity,
  registration: Registration,
  intake: Intake,
): Presence {
  if (role === "serves" && !isMember)
    log.warn(say(locale, "not_in_server", { guild: guildId, link: invitation(applicationId) }));
  return openPresence({
    guildId,
    isMember: isMember || role === "asks",
    arrived(late) {
      if (role === "asks") return;
      void registration.register();
      if (!late) return;
      log.info("the bot is in the server now", { guild_id: guildId });
      intake.listener.catchUp();
    },
  });
}

/*
 * The last messages before the daemon exits: the answers that only its memory has, and in threads that wait for
 * something why it ends; short, at most once each.
 */

const WITHIN_MS = 3_000;
/** A long answer takes several messages, of which Discord takes five in five seconds. */
const ANSWERS_WITHIN_MS = 20_000;
const THREADS = 5;

/** Uses its own REST client: the bot's is closed by then. */
async function sayLast(context: BotContext, token: string, maxFileBytes: number, error: BellhopError): Promise<void> {
  const { engine, locale, clock, channelId, api, log, redactor, botId } = context;
  const { sessions: all, threads: known } = engine.state;
  const sessions = Object.values(all)
    .filter(({ thread_id }) => known[thread_id]?.bot_id === botId)
    .sort((a, b) => (a.last_activity_at < b.last_activity_at ? 1 : -1));
  const waiting = sessions.filter((session) => session.running_job_id !== null || session.queue.length > 0);
  // If nothing waits, the message that could not be stored is most likely in the thread used last.
  const threads = (waiting.length > 0 ? waiting : sessions.slice(0, 1)).map((session) => session.thread_id);
  const places = threads.length > 0 ? threads.slice(0, THREADS) : channelId ? [channelId] : [];
  const content = `${sentence(locale, error.code, error.details)} \`${error.code}\``;
  const body = { content, allowed_mentions: { parse: [] } };
  const rest = openRest({ token, api, clock, log, redactor, onUnauthorized: () => undefined });
  await withTimeout(clock, ANSWERS_WITHIN_MS, postUnsaved(rest, context, maxFileBytes));
  const sent = places.map((id) =>
    rest.call({ method: "POST", path: `/channels/${id}/messages`, body, priority: "decision" }),
  );
  await withTimeout(clock, WITHIN_MS, Promise.allSettled(sent));
  void rest.close();
}

/*
 * Whether the bot is in its server. A bot can be started before it is invited, and removed and invited again: the
 * commands are written each time it joins, because they could not be written while it was away, and what is to be
 * posted waits for that.
 */

interface PresenceOptions {
  guildId: string;
  /** According to Discord at the start. */
  isMember: boolean;
  /** Called at once if it is in the server, and each time it joins. `late`: it was not in it before. */
  arrived(late: boolean): void;
}

export interface Presence {
  /** Resolves when it is in the server for the first time. */
  readonly here: Promise<void>;
  /** While it is not in its server: resolves when it is, or when the signal is aborted. Null: it is. */
  whenPresent(signal: AbortSignal): Promise<void> | null;
  /** One gateway event; only events about servers matter. */
  onServerEvent(t: string, d: unknown): void;
}

export function openPresence({ guildId, isMember, arrived }: PresenceOptions): Presence {
  const here = Promise.withResolvers<void>();
  const waiting = new Set<() => void>();
  let present = isMember;

  function arrive(late: boolean): void {
    present = true;
    here.resolve();
    arrived(late);
    for (const goOn of waiting) goOn();
  }

  if (isMember) arrive(false);
  return {
    here: here.promise,
    whenPresent(signal) {
      if (present) return null;
      return new Promise((resolve) => {
        const goOn = (): void => {
          waiting.delete(goOn);
          signal.removeEventListener("abort", goOn);
          resolve();
        };
        waiting.add(goOn);
        signal.addEventListener("abort", goOn);
        if (signal.aborted) goOn();
      });
    },
    onServerEvent(t, d) {
      const { id, unavailable } = (d ?? {}) as { id?: unknown; unavailable?: unknown };
      // The start of an outage is not a removal, and its end sends the same event as a join.
      if (id !== guildId || unavailable === true) return;
      if (t === "GUILD_DELETE") present = false;
      if (t === "GUILD_CREATE" && !present) arrive(true);
    },
  };
}
