/**
 * Composes the intake: the listener, the download and removal of files that come with messages, and the state of the
 * channels. Nothing is processed before the files left by a crash are gone.
 */
import type { APIMessage } from "discord-api-types/v10";
import { inTime } from "../../base/clock.ts";
import { say } from "../../base/words/say.ts";
import type { Files } from "../../host/files/files.ts";
import { catchUpNotice, noticeChannel } from "./catch-up/catch-up-notice.ts";
import { openDirect, type Direct } from "./direct-messages.ts";
import { directNotices } from "../views/decisions/notices.ts";
import { Listener } from "./listener.ts";
import { keepUploads } from "./uploads/remove-uploads.ts";
import type { DesiredPost } from "../views/desired-posts.ts";
import type { ThreadFacts } from "./archived-threads.ts";
import { openChannelEvents, type ChannelEvents } from "./channel-events.ts";
import { openPolling } from "./catch-up/polling.ts";
import { openReceipts } from "../delivery/reactions.ts";
import { failureKind } from "../api/rest-failure.ts";
import type { Rest } from "../api/rest.ts";
import { openUploads, type Uploads } from "./uploads/uploads.ts";
import { ProjectChannels, type ProjectChannelsOptions } from "./project-channels.ts";
import { lookAtChannel, watchChannel } from "./watched-channel.ts";

export interface IntakeOptions extends Omit<ProjectChannelsOptions, "isWatched"> {
  /** A bot of the daemon's own: it posts the greeting and has the commands. */
  own: boolean;
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
  readonly channelEvents: Pick<ChannelEvents, "hear">;
  readonly direct: Direct;
  /** The gateway is connected: reads back what was written meanwhile; `missed`: edits may have been missed too. */
  connected(how: { missed: boolean }): void;
  /** Messages in this channel go into the inbox from now on; resolves with whether Discord allows it. */
  watch(channelId: string): Promise<boolean>;
  /** The channel's name; null if Discord does not show it. */
  look(channelId: string): Promise<{ name: string } | null>;
  /** Like `Listener.isCaughtUp`; false if that takes too long. */
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
    questionsOnly: !options.own,
    guildId: policy.guildId,
    ownerId: policy.ownerId,
    rest,
    clock,
    found: (threadId) => listener.found(threadId),
    thread: (threadId) =>
      options.rest.call<ThreadFacts>({ method: "GET", path: `/channels/${threadId}`, priority: "cosmetic" }),
    back: () => listener.catchUp(),
  });
  const direct = openDirect(options);
  const watch = async (id: string): Promise<boolean> => {
    const isOurs = await watchChannel(options, id);
    if (isOurs) watches.add(id);
    return isOurs;
  };
  if (channelId !== undefined) void watch(channelId);
  const projectChannels = options.own
    ? new ProjectChannels({ ...options, isWatched: (id) => id === channelId || watches.has(id) })
    : null;
  return {
    listener,
    channelEvents: {
      hear(t, d) {
        channelEvents.hear(t, d);
        projectChannels?.hear(t, d);
      },
    },
    direct,
    connected(how) {
      channelEvents.connected();
      listener.catchUp(how);
      projectChannels?.connected();
    },
    watch,
    look: (id) => lookAtChannel(options, id),
    isCaughtUp: (ids, live) =>
      inTime(clock, HEARD_MS, listener.isCaughtUp(ids, live)).then((isCaughtUp) => isCaughtUp === true),
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
  await listener.settled();
  return rest.status.connected !== false;
}

function takeUploads({ files, api, clock, log, locale, rest }: IntakeOptions): Uploads {
  const again = (channelId: string, id: string): Promise<APIMessage> =>
    rest.call({ method: "GET", path: `/channels/${channelId}/messages/${id}`, priority: "result" });
  return openUploads({ files, api, clock, log, locale, again });
}

function listen(
  { engine, clock, log, config, rest, policy, botId, own, locale, leftChanged }: IntakeOptions,
  uploads: Uploads,
  watches: ReadonlySet<string>,
): Listener {
  return new Listener({
    engine,
    policy,
    botId,
    questionsOnly: !own,
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
      rest.call<APIMessage[]>({
        method: "GET",
        path: `/channels/${channelId}/messages?after=${after}&limit=100`,
        priority: "result",
      }),
    one: (channelId, id) =>
      rest
        .call<APIMessage>({ method: "GET", path: `/channels/${channelId}/messages/${id}`, priority: "result" })
        .catch((error: unknown) => {
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
