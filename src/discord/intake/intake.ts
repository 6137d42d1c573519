/**
 * Composes the intake: the listener, the download and removal of files that come with messages, and the state of the
 * channels. Nothing is processed before the files left by a crash are gone.
 */
import type { APIMessage } from "discord-api-types/v10";
import { withTimeout, type Clock } from "../../base/clock.ts";
import { say, type Locale } from "../../base/words/say.ts";
import type { Files } from "../../host/files/files.ts";
import { openDirect, type Direct } from "./direct-messages.ts";
import { directNotices } from "../views/decisions/settled.ts";
import { incomingMessage } from "./incoming.ts";
import { Listener } from "./listener.ts";
import { keepUploads, openUploads, type Uploads } from "./uploads.ts";
import { type DesiredPost, colours, systemBody, nameOf } from "../views/message.ts";
import { offerBody, sessionOffers } from "../views/session-offer.ts";
import { unnamedProject } from "../../core/projects/project.ts";
import { takingThread } from "../../core/sessions/session.ts";
import type { Engine } from "../../engine/engine.ts";
import { type ThreadFacts, openChannelEvents, type ChannelEvents, lookAtChannel, watchChannel } from "./channels.ts";
import { openReceipts } from "../delivery/reactions.ts";
import { failureKind } from "../api/transport.ts";
import type { Rest, RestCaller } from "../api/rest.ts";
import { ownThreadsIn, ProjectChannels, type ProjectChannelsOptions } from "./project-channels.ts";
import type { State } from "../../core/state.ts";
import { REMOVED } from "../../core/posts/post.ts";
import { channelOf, firstThread, threadsOf, type BotRole } from "../../core/sessions/thread.ts";
import type { UnreadThreads } from "./catch-up.ts";
import { compareSnowflakes } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import { authorize, type MessagePayload, type AccessPolicy } from "./authorize.ts";
import { sendOnce } from "../delivery/send-once.ts";

export interface IntakeOptions extends Omit<ProjectChannelsOptions, "isWatched"> {
  role: BotRole;
  /**
   * It does what one bot does for all: keeps the files that were uploaded or sent, and tells what belongs to no
   * session.
   */
  main: boolean;
  /** Each bot's: whether a message's files are being fetched. */
  underWay: Set<(messageId: string) => boolean>;
  /** Where files that come with messages are put. */
  files: Files;
  /** Base address of the REST API. */
  api: string;
  channelId: string | undefined;
  /** Between two polls while the gateway is away, in milliseconds. */
  pollIntervalMs: number;
  rest: Rest;
  /** The list of what is still to be read back has changed. */
  leftChanged(): void;
}

export interface Intake {
  readonly listener: Listener;
  readonly channelEvents: Pick<ChannelEvents, "onGatewayEvent">;
  readonly direct: Direct;
  /** The gateway is connected: reads back what was written meanwhile; `missed`: edits may have been missed too. */
  connected(how: { missed: boolean }): void;
  /** Messages in this channel go into the inbox from now on; resolves with whether Discord allows it. */
  watch(channelId: string): Promise<boolean>;
  /** The channel's name; null if Discord does not show it. */
  channelName(channelId: string): Promise<{ name: string } | null>;
  /** Like `Listener.isAllProcessed`; false if that takes too long. */
  isCaughtUp(ids: readonly string[], live: boolean): Promise<boolean>;
  /** Polls all channels while the gateway is away. */
  poll(isLive: () => boolean): { close(): void };
  /** The notices due in a channel: about the catch-up, and about open direct messages. */
  desired(channelId: string): DesiredPost[];
  close(): void;
}

/** How long `isCaughtUp` waits for the reading back. */
const HEARD_MS = 8_000;

export async function openIntake(options: IntakeOptions): Promise<Intake> {
  const { engine, files, clock, log, policy, botId, locale, rest, channelId } = options;
  const since = clock.now();
  const uploads = takeUploads(options);
  const watches = new Set<string>();
  const listener = listen(options, uploads, watches);
  const isUnderWay = (id: string): boolean => listener.isUnderWay(id);
  options.underWay.add(isUnderWay);
  const leftovers = options.main
    ? await keepUploads({ engine, files, isUnderWay: (id) => [...options.underWay].some((ask) => ask(id)), clock, log })
    : null;
  const channelEvents = openChannelEvents({
    engine,
    log,
    botId,
    role: options.role,
    guildId: policy.guildId,
    ownerId: policy.ownerId,
    rest,
    clock,
    onThreadVisible: (threadId, woke) => listener.onThreadVisible(threadId, woke),
    thread: (threadId) =>
      options.rest.call<ThreadFacts>({ method: "GET", path: `/channels/${threadId}`, priority: "cosmetic" }),
    onServerBack: () => listener.catchUp(),
  });
  const direct = openDirect(options);
  const watch = async (id: string): Promise<boolean> => {
    const isOurs = await watchChannel(options, id);
    if (isOurs) watches.add(id);
    return isOurs;
  };
  if (channelId !== undefined) void watch(channelId);
  const projectChannels =
    options.role === "serves"
      ? new ProjectChannels({ ...options, isWatched: (id) => id === channelId || watches.has(id) })
      : null;
  return {
    listener,
    channelEvents: {
      onGatewayEvent(t, d) {
        channelEvents.onGatewayEvent(t, d);
        projectChannels?.onGatewayEvent(t, d);
      },
    },
    direct,
    connected(how) {
      channelEvents.connected();
      listener.catchUp(how);
      projectChannels?.connected();
    },
    watch,
    channelName: (id) => lookAtChannel(options, id),
    isCaughtUp: (ids, live) =>
      withTimeout(clock, HEARD_MS, listener.isAllProcessed(ids, live)).then((isCaughtUp) => isCaughtUp === true),
    poll: (isLive) =>
      openPolling({ clock, log, everyMs: options.pollIntervalMs, isLive, read: () => readAll(listener, rest) }),
    desired: (id) => [
      ...(id === noticeChannel(engine.state, channelId, botId)
        ? catchUpNotice(engine.state, listener.left, { locale, channelId: id, since })
        : []),
      ...directNotices(engine.state, id, locale),
      ...(id === channelId ? sessionOffers(engine.state, id, locale) : []),
    ],
    close() {
      options.underWay.delete(isUnderWay);
      for (const one of [uploads, listener, leftovers, direct, projectChannels]) one?.close();
    },
  };
}

/** Checks for edits and deletions as well: no gateway reports them. Resolves with whether Discord allowed it. */
async function readAll(listener: Listener, rest: Rest): Promise<boolean> {
  listener.catchUp({ missed: true });
  await listener.whenCaughtUp();
  return rest.status.connected !== false;
}

function takeUploads({ files, api, clock, log, locale, rest, engine }: IntakeOptions): Uploads {
  const again = (threadId: string, id: string): Promise<APIMessage> => {
    const channelId = channelOf(engine.state, threadId, id);
    return rest.call({ method: "GET", path: `/channels/${channelId}/messages/${id}`, priority: "result" });
  };
  return openUploads({ files, api, clock, log, locale, refetchMessage: again });
}

function listen(
  { engine, clock, log, config, rest, policy, botId, role, locale, leftChanged, channelId: mainId }: IntakeOptions,
  uploads: Uploads,
  watches: ReadonlySet<string>,
): Listener {
  const one = (threadId: string, id: string): Promise<APIMessage | null> =>
    rest
      .call<APIMessage>({
        method: "GET",
        path: `/channels/${channelOf(engine.state, threadId, id)}/messages/${id}`,
        priority: "result",
      })
      .then(incomingMessage, (error: unknown) => {
        if (failureKind(error) === "message_gone") return null;
        throw error;
      });
  /** What a thread was opened on stands above its own messages. */
  const above = async (threadId: string, after: string): Promise<APIMessage[]> => {
    const isAbove = engine.state.threads[threadId]?.on_message && compareSnowflakes(after, threadId) < 0;
    const first = isAbove ? await one(threadId, threadId) : null;
    return first ? [first] : [];
  };
  return new Listener({
    engine,
    policy,
    botId,
    role,
    watches,
    inboxFrom: () => config().inbox_from,
    offers: (at, message) =>
      role === "serves" && at === mainId && (isNamed(message, botId) || engine.state.channels[at]?.inbox_read !== true),
    whyNoFiles: say(locale, "file_why_session"),
    whyUnused: say(locale, "file_why_option"),
    accepted: openReceipts({ rest, log }),
    clock,
    log,
    uploads,
    leftChanged,
    async read(channelId, after) {
      const first = await above(channelId, after);
      const page = await rest.call<APIMessage[]>({
        method: "GET",
        path: `/channels/${channelId}/messages?after=${after}&limit=100`,
        priority: "result",
      });
      return [...first, ...page.map(incomingMessage)];
    },
    one,
    maxQueue: () => config().limits.max_queue_per_session,
    unreadable(error) {
      const kind = failureKind(error);
      return kind === "channel_gone" || kind === "no_access" || kind === "closed" || kind === "unauthorized"
        ? "gone"
        : "try_again";
    },
  });
}

/*
 * The notice of a catch-up that takes longer than a moment, and of threads that cannot be read although something waits
 * in them: one message in the owner's channel, edited as it changes and deleted when nothing is left.
 */

const PART = "left";
const NAMED = 10;

/** The channel for that notice: the owner's, else the one in which this bot's first session was opened. */
export function noticeChannel(state: State, channelId: string | undefined, botId: string): string | undefined {
  return channelId ?? firstThread(state, botId)?.channel_id;
}

/** The posts due in that channel; none if nothing is left and nothing was posted. `since`: ms since the epoch. */
export function catchUpNotice(
  state: State,
  left: UnreadThreads,
  { locale, channelId, since }: { locale: Locale; channelId: string; since: number },
): DesiredPost[] {
  const subject = `left:${channelId}`;
  const lines = [
    ...(left.waiting.length > 0
      ? [say(locale, "catch_up_left", { count: left.waiting.length, threads: named(left.waiting) })]
      : []),
    ...(left.unreadable.length > 0 ? [say(locale, "catch_up_unreadable", { threads: named(left.unreadable) })] : []),
  ];
  if (lines.length === 0 && !state.posts[subject]?.[PART]?.message_id) return [];
  const body = systemBody({
    color: colours.waits,
    title: say(locale, "catch_up_title"),
    description: lines.join("\n"),
  });
  const want: DesiredPost["want"] = lines.length === 0 ? { kind: "remove" } : { kind: "show", body };
  return [
    {
      subject,
      part: PART,
      thread_id: channelId,
      priority: "result",
      want,
      is: lines.length === 0 ? REMOVED : nameOf(left),
      since,
    },
  ];
}

function named(threads: readonly string[]): string {
  const shown = threads.slice(0, NAMED).map((id) => `<#${id}>`);
  return threads.length > NAMED ? `${shown.join(" ")} …` : shown.join(" ");
}

/*
 * While the gateway is away, all channels are polled, so that messages do not wait for it: later than live, and no more
 * often than configured. A message is processed once, whether it is read or sent by the gateway.
 */

interface PollingOptions {
  clock: Clock;
  log: Log;
  /** Between two polls, in milliseconds (`POLL_INTERVAL_SECONDS`). */
  everyMs: number;
  /** Whether the gateway sends events. */
  isLive(): boolean;
  /** Reads every channel; resolves with whether Discord allowed it. */
  read(): Promise<boolean>;
}

/** While reading fails too, each wait doubles, up to this. */
export const LONGEST_WAIT_MS = 60_000;

/** Starts polling; the result stops it. */
export function openPolling({ clock, log, everyMs, isLive, read }: PollingOptions): { close(): void } {
  let state: "live" | "away" | "polling" = "live";
  let failed = 0;
  let closed = false;
  let stop = clock.after(everyMs, tick);

  function tick(): void {
    if (isLive()) {
      state = "live";
      failed = 0;
      return next();
    }
    // A connection is often back soon: polling starts at the second check.
    if (state === "live") {
      state = "away";
      return next();
    }
    if (state === "away")
      log.info("the gateway is disconnected; messages are polled until it is back", { every_ms: everyMs });
    state = "polling";
    void look();
  }

  async function look(): Promise<void> {
    const ok = await read().catch((error: unknown) => {
      log.failure("messages could not be polled while the gateway is disconnected", error);
      return false;
    });
    failed = ok ? 0 : failed + 1;
    next();
  }

  function next(): void {
    if (!closed) stop = clock.after(Math.max(everyMs, Math.min(LONGEST_WAIT_MS, everyMs * 2 ** failed)), tick);
  }

  return {
    close() {
      closed = true;
      stop();
    },
  };
}

/*
 * Answers what the owner writes where nothing takes it: in a channel where sessions were opened, in a thread that he has
 * made there or in his own channel, or with a mention of the bot anywhere. The answer offers to open a session with the
 * message; a mention in his own thread opens it at once where the project is certain. Only live messages are answered,
 * once; in a watched channel the message goes into the inbox, which reports it.
 */

interface HintsOptions {
  engine: Engine;
  rest: RestCaller;
  policy: AccessPolicy;
  botId: string;
  /** The owner's channel, if there is one. */
  channelId: string | undefined;
  locale: Locale;
  log: Log;
}

export interface Hints {
  /** Handles a message from the gateway. Never throws. */
  message(message: MessagePayload): void;
  /** Handles one gateway event; events of other kinds are ignored. */
  onThreadEvent(t: string, d: unknown): void;
}

export function openHints(options: HintsOptions): Hints {
  const { engine, rest, policy, botId, locale, log } = options;
  /** The channels of threads that the owner has made, by thread. */
  const made = new Map<string, string>();
  /** Those of them in which a session was offered. */
  const answered = new Set<string>();

  function hint(messageId: string, channelId: string): void {
    sendOnce(rest, {
      channelId,
      body: offerBody(engine.state, { messageId, place: made.has(channelId) ? "thread" : "channel" }, locale),
      nonce: `h${messageId}`,
      replyTo: messageId,
      priority: "cosmetic",
    }).catch((error: unknown) => {
      log.info("a message outside a session could not be answered", { message_id: messageId, reason: String(error) });
    });
  }

  /** Whether a session of the project that needs no name is opened in the owner's thread. */
  function opensIn(threadId: string, messageId: string): boolean {
    const channel_id = made.get(threadId);
    const project_name = unnamedProject(engine.state);
    if (channel_id === undefined || project_name === null) return false;
    const place = { thread_id: threadId, channel_id, guild_id: policy.guildId, bot_id: botId, project_name };
    engine
      .submit(takingThread(place, messageId))
      .catch((error: unknown) =>
        log.failure("a thread of the owner's could not become a session", error, { thread_id: threadId }),
      );
    return true;
  }

  /** Whether sessions are opened in this channel. */
  function isOurs(channelId: string): boolean {
    return channelId === options.channelId || hasSessions(engine.state, channelId, botId);
  }

  return {
    message(message) {
      const { channel_id, id } = message;
      if (
        channel_id === undefined ||
        id === undefined ||
        !authorize(policy, { kind: "message", message, direct: false }) ||
        isTaken(engine.state, channel_id)
      )
        return;
      const isCalled = isNamed(message, botId);
      if (isCalled && opensIn(channel_id, id)) return;
      if (!isCalled && (answered.has(channel_id) || !isOurs(made.get(channel_id) ?? channel_id))) return;
      if (made.has(channel_id)) answered.add(channel_id);
      hint(id, channel_id);
    },
    onThreadEvent(t, d) {
      for (const { id, parent_id } of ownThreadsIn(t, d, policy)) made.set(id, parent_id);
    },
  };
}

/** Whether what is written there goes to a session, a question or the inbox. */
function isTaken({ threads, channels }: State, channelId: string): boolean {
  return threads[channelId] !== undefined || channels[channelId] !== undefined;
}

function isNamed({ mentions }: MessagePayload, botId: string): boolean {
  return Array.isArray(mentions) && mentions.some(({ id }: APIMessage["mentions"][number]) => id === botId);
}

function hasSessions(state: State, channelId: string, botId: string): boolean {
  return threadsOf(state, channelId).some(
    ({ thread_id, bot_id }) => bot_id === botId && state.sessions[thread_id] !== undefined,
  );
}
