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
import { type DesiredPost, colours, systemBody, button, ROW_BUTTONS, nameOf } from "../views/message.ts";
import { type ThreadFacts, openChannelEvents, type ChannelEvents, lookAtChannel, watchChannel } from "./channels.ts";
import { openReceipts } from "../delivery/reactions.ts";
import { failureKind } from "../api/transport.ts";
import type { Rest, RestCaller } from "../api/rest.ts";
import { ProjectChannels, type ProjectChannelsOptions } from "./project-channels.ts";
import type { State } from "../../core/state.ts";
import { REMOVED } from "../../core/posts/post.ts";
import { firstThread, threadsOf, type BotRole } from "../../core/sessions/thread.ts";
import type { UnreadThreads } from "./catch-up.ts";
import type { Log } from "../../base/log.ts";
import { authorize, type MessagePayload, type AccessPolicy } from "./authorize.ts";
import { customId } from "../views/custom-id.ts";
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

function takeUploads({ files, api, clock, log, locale, rest }: IntakeOptions): Uploads {
  const again = (channelId: string, id: string): Promise<APIMessage> =>
    rest.call({ method: "GET", path: `/channels/${channelId}/messages/${id}`, priority: "result" });
  return openUploads({ files, api, clock, log, locale, refetchMessage: again });
}

function listen(
  { engine, clock, log, config, rest, policy, botId, role, locale, leftChanged }: IntakeOptions,
  uploads: Uploads,
  watches: ReadonlySet<string>,
): Listener {
  return new Listener({
    engine,
    policy,
    botId,
    role,
    watches,
    inboxFrom: () => config().inbox_from,
    whyNoFiles: say(locale, "file_why_session"),
    whyUnused: say(locale, "file_why_option"),
    accepted: openReceipts({ rest, log }),
    clock,
    log,
    uploads,
    leftChanged,
    read: (channelId, after) =>
      rest
        .call<APIMessage[]>({
          method: "GET",
          path: `/channels/${channelId}/messages?after=${after}&limit=100`,
          priority: "result",
        })
        .then((page) => page.map(incomingMessage)),
    one: (channelId, id) =>
      rest
        .call<APIMessage>({ method: "GET", path: `/channels/${channelId}/messages/${id}`, priority: "result" })
        .then(incomingMessage, (error: unknown) => {
          if (failureKind(error) === "message_gone") return null;
          throw error;
        }),
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
 * Answers what the owner writes where nothing takes it: in a channel where sessions were opened, or with a mention of
 * the bot in any other. The answer has a button per project that opens a session there. Only live messages are
 * answered, once; in a watched channel the message goes into the inbox, which reports it.
 */

interface HintsOptions {
  engine: { readonly state: State };
  rest: RestCaller;
  policy: AccessPolicy;
  botId: string;
  locale: Locale;
  log: Log;
}

/** The handler of gateway messages; it never throws. */
export function openHints(options: HintsOptions): { message(message: MessagePayload): void } {
  const { engine, rest, policy, botId, log } = options;
  return {
    message(message) {
      const { channel_id, id } = message;
      if (
        channel_id === undefined ||
        id === undefined ||
        !authorize(policy, { kind: "message", message, direct: false })
      )
        return;
      if (
        isTaken(engine.state, channel_id) ||
        !(isNamed(message, botId) || hasSessions(engine.state, channel_id, botId))
      )
        return;
      sendOnce(rest, {
        channelId: channel_id,
        body: hint(engine.state, options.locale),
        nonce: `h${id}`,
        replyTo: id,
        priority: "cosmetic",
      }).catch((error: unknown) => {
        log.info("a message outside a session could not be answered", { message_id: id, reason: String(error) });
      });
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

function hint({ projects, active_project }: State, locale: Locale): object {
  const all = Object.values(projects).toSorted(
    (a, b) => Number(b.name === active_project) - Number(a.name === active_project) || a.number - b.number,
  );
  const buttons = all
    .slice(0, ROW_BUTTONS)
    .map(({ name }) =>
      button(customId("open_session", { project: name }), say(locale, "hint_open", { project: name })),
    );
  const description =
    all.length === 0
      ? `${say(locale, "hint_no_project")}\n\`/project create name:my-app path:/home/me/my-app\``
      : say(locale, "hint");
  return systemBody({ color: colours.quiet, description }, buttons);
}
