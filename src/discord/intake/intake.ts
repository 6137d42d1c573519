/**
 * Composes the intake: the listener, the download and removal of files that come with messages, and the state of the
 * channels. Nothing is processed before the files left by a crash are gone.
 */
import type { APIMessage } from "discord-api-types/v10";
import { withTimeout } from "../../base/clock.ts";
import { say, type Locale } from "../../base/words/say.ts";
import { openDirect, type Direct } from "./direct-messages.ts";
import { directNotices } from "../views/decisions/settled.ts";
import { incomingMessage } from "./incoming.ts";
import { Listener } from "./listener.ts";
import { keepUploads, openUploads, type Uploads } from "./uploads.ts";
import { type DesiredPost, colours, systemBody, nameOf } from "../views/message.ts";
import { offerBody, sessionOffers } from "../views/session-offer.ts";
import { isKeptOut } from "../../core/jobs/lock.ts";
import { opensThreads, unnamedProject } from "../../core/projects/project.ts";
import { takingThread } from "../../core/sessions/session.ts";
import { openChannelEvents, lookAtChannel, watchChannel } from "./channels.ts";
import { openReceipts } from "../delivery/reactions.ts";
import { failureKind } from "../api/transport.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { Rest } from "../api/rest.ts";
import { ownThreadsIn, ProjectChannels } from "./project-channels.ts";
import type { State } from "../../core/state.ts";
import { REMOVED } from "../../core/posts/post.ts";
import { channelOf, firstThread, isInForum, isOnMessage, threadsOf } from "../../core/sessions/thread.ts";
import type { UnreadThreads } from "./catch-up.ts";
import { compareSnowflakes } from "../../base/ids.ts";
import { speakerOf, type MessagePayload } from "./authorize.ts";
import { sendOnce } from "../delivery/send-once.ts";

/** Each bot's: whether a message's files are being fetched. */
export type FetchesUnderWay = Set<(messageId: string) => boolean>;

export interface WatchedChannels {
  /** Messages in this channel go into the inbox from now on; resolves with whether Discord allows it. */
  watch(channelId: string): Promise<boolean>;
  /** The channel's name; null if Discord does not show it. */
  channelName(channelId: string): Promise<{ name: string } | null>;
}

export interface Intake extends WatchedChannels {
  readonly listener: Listener;
  readonly direct: Direct;
  /** One gateway event about channels, threads or servers; events of other kinds are ignored. */
  onGatewayEvent(t: string, d: unknown): void;
  /** The gateway is connected: reads back what was written meanwhile; `missed`: edits may have been missed too. */
  connected(how: { missed: boolean }): void;
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

/** @param leftChanged the list of what is still to be read back has changed */
export async function openIntake(
  context: BotContext,
  underWay: FetchesUnderWay,
  leftChanged: () => void,
): Promise<Intake> {
  const { engine, clock, botId, locale, rest, channelId } = context;
  const since = clock.now();
  const uploads = takeUploads(context);
  const watches = new Set<string>();
  const listener = listen(context, uploads, watches, leftChanged);
  const isUnderWay = (id: string): boolean => listener.isUnderWay(id);
  underWay.add(isUnderWay);
  const leftovers = context.main
    ? await keepUploads({ ...context, isUnderWay: (id) => [...underWay].some((ask) => ask(id)) })
    : null;
  const channelEvents = openChannelEvents(context, {
    onThreadVisible: (threadId, woke) => listener.onThreadVisible(threadId, woke),
    onServerBack: () => listener.catchUp(),
  });
  const direct = openDirect(context);
  const watch = async (id: string): Promise<boolean> => {
    const isOurs = await watchChannel(context, id);
    if (isOurs) watches.add(id);
    return isOurs;
  };
  if (channelId !== undefined) void watch(channelId);
  const projectChannels =
    context.role === "serves" ? new ProjectChannels(context, (id) => id === channelId || watches.has(id)) : null;
  return {
    listener,
    direct,
    onGatewayEvent(t, d) {
      channelEvents.onGatewayEvent(t, d);
      projectChannels?.onGatewayEvent(t, d);
    },
    connected(how) {
      channelEvents.connected();
      listener.catchUp(how);
      projectChannels?.connected();
    },
    watch,
    channelName: (id) => lookAtChannel(context, id),
    isCaughtUp: (ids, live) =>
      withTimeout(clock, HEARD_MS, listener.isAllProcessed(ids, live)).then((isCaughtUp) => isCaughtUp === true),
    poll: (isLive) => openPolling(context, isLive, () => readAll(listener, rest)),
    desired: (id) => [
      ...(id === noticeChannel(engine.state, channelId, botId)
        ? catchUpNotice(engine.state, listener.left, { locale, channelId: id, since })
        : []),
      ...directNotices(engine.state, id, locale),
      ...(id === channelId ? sessionOffers(engine.state, id, locale) : []),
    ],
    close() {
      underWay.delete(isUnderWay);
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

function takeUploads(context: BotContext): Uploads {
  const { rest, engine } = context;
  const again = (threadId: string, id: string): Promise<APIMessage> => {
    const channelId = channelOf(engine.state, threadId, id);
    return rest.call({ method: "GET", path: `/channels/${channelId}/messages/${id}`, priority: "result" });
  };
  return openUploads({ ...context, refetchMessage: again });
}

function listen(
  context: BotContext,
  uploads: Uploads,
  watches: ReadonlySet<string>,
  leftChanged: () => void,
): Listener {
  const { engine, rest, botId, role, channelId } = context;
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
    const isAbove = isOnMessage(engine.state.threads[threadId]) && compareSnowflakes(after, threadId) < 0;
    const first = isAbove ? await one(threadId, threadId) : null;
    return first ? [first] : [];
  };
  return new Listener(context, {
    uploads,
    watches,
    leftChanged,
    offers: (at, message) =>
      role === "serves" &&
      at === channelId &&
      (isNamed(message, botId) || engine.state.channels[at]?.inbox_read !== true),
    accepted: openReceipts(context),
    async read(id, after) {
      const first = await above(id, after);
      const page = await rest.call<APIMessage[]>({
        method: "GET",
        path: `/channels/${id}/messages?after=${after}&limit=100`,
        priority: "result",
      });
      return [...first, ...page.map(incomingMessage)];
    },
    one,
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

/**
 * The channel for that notice: the owner's, else the one in which this bot's first session was opened; in a forum its
 * post.
 */
export function noticeChannel(state: State, channelId: string | undefined, botId: string): string | undefined {
  const first = firstThread(state, botId);
  return channelId ?? (isInForum(state, first) ? first?.thread_id : first?.channel_id);
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

/** While reading fails too, each wait doubles, up to this. */
export const LONGEST_WAIT_MS = 60_000;

/**
 * Starts polling; the result stops it. @param isLive whether the gateway sends events
 * @param read reads every channel; resolves with whether Discord allowed it
 */
export function openPolling(
  { clock, log, pollIntervalMs: everyMs }: BotContext,
  isLive: () => boolean,
  read: () => Promise<boolean>,
): { close(): void } {
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
 * once; in a watched channel the message goes into the inbox, which reports it. A forward goes nowhere but into a
 * session, so it is answered wherever else the bot listens.
 */

export interface Hints {
  /** Handles a message from the gateway. Never throws. */
  message(message: MessagePayload): void;
  /** Handles one gateway event; events of other kinds are ignored. */
  onThreadEvent(t: string, d: unknown): void;
}

export function openHints(context: BotContext): Hints {
  const { engine, rest, guildId, botId, locale, log } = context;
  /** The channels of threads that the owner has made, by thread. */
  const made = new Map<string, string>();
  /** Those of them in which a session was offered. */
  const answered = new Set<string>();

  function answer(channelId: string, replyTo: string, body: object): void {
    sendOnce(rest, { channelId, body, nonce: `h${replyTo}`, replyTo, priority: "cosmetic" }).catch((error: unknown) => {
      log.info("a message outside a session could not be answered", { message_id: replyTo, reason: String(error) });
    });
  }

  /** Whether a session of the project that needs no name is opened in the owner's thread. */
  function opensIn(threadId: string, messageId: string): boolean {
    const channel_id = made.get(threadId);
    const project_name = unnamedProject(engine.state);
    if (channel_id === undefined || project_name === null) return false;
    const place = { thread_id: threadId, channel_id, guild_id: guildId, bot_id: botId, project_name };
    engine
      .submit(takingThread(place, messageId))
      .catch((error: unknown) =>
        log.failure("a thread of the owner's could not become a session", error, { thread_id: threadId }),
      );
    return true;
  }

  /** Whether sessions are opened in this channel. */
  function isOurs(channelId: string): boolean {
    return channelId === context.channelId || hasSessions(engine.state, channelId, botId);
  }

  /** The owner's own words where nothing takes them. */
  function hint(messageId: string, channelId: string, isCalled: boolean): void {
    // A new post in a project's forum becomes its session in a moment.
    if (messageId === channelId && opensThreads(engine.state, made.get(channelId) ?? "")) return;
    if (isCalled && opensIn(channelId, messageId)) return;
    if (!isCalled && (answered.has(channelId) || !isOurs(made.get(channelId) ?? channelId))) return;
    const isThread = made.has(channelId);
    if (isThread) answered.add(channelId);
    answer(
      channelId,
      messageId,
      offerBody(engine.state, { messageId, place: isThread ? "thread" : "channel" }, locale),
    );
  }

  return {
    message(message) {
      const { channel_id, id } = message;
      if (channel_id === undefined || id === undefined || isKeptOut(engine.state, id)) return;
      const speaker = speakerOf(context, { kind: "message", message, direct: false });
      const isHeard = isTaken(engine.state, channel_id);
      const isCalled = isNamed(message, botId);
      if (speaker === "owner" && !isHeard) hint(id, channel_id, isCalled);
      const isListening = isHeard || isCalled || isOurs(made.get(channel_id) ?? channel_id);
      if (speaker === "forwarder" && !engine.state.sessions[channel_id] && isListening)
        answer(channel_id, id, systemBody({ color: colours.quiet, description: say(locale, "forward_nowhere") }));
    },
    onThreadEvent(t, d) {
      for (const { id, parent_id } of ownThreadsIn(t, d, context)) made.set(id, parent_id);
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
