/**
 * All that hears, put together: the ear itself, what fetches the files that come with messages and what removes
 * them again, and what becomes of the places we write in. Nothing is heard before the files a crash left are gone.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { Config } from "../config/config-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { Files } from "../host/files.ts";
import type { Wall } from "./authorize.ts";
import { catchUpNotice, noticeChannel } from "./catch-up-notice.ts";
import { openDirect, type Direct } from "./direct.ts";
import { directNotices } from "./direct-notices.ts";
import { Inbox } from "./inbox.ts";
import { keepUploads } from "./leftovers.ts";
import type { Owed } from "./owed.ts";
import { openPlaces, type Places } from "./places.ts";
import { openPolling } from "./polling.ts";
import { openReceipts } from "./receipts.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";
import { openUploads, type Uploads } from "./uploads.ts";
import { watchChannel } from "./watching.ts";

export interface EarOptions {
  /** The daemon's own bot's. */
  own: boolean;
  engine: Engine;
  files: Files;
  clock: Clock;
  log: Log;
  api: string;
  locale: Locale;
  channelId: string | undefined;
  config(): Config;
  /** Between two looks while the gateway is away. */
  pollIntervalMs: number;
  rest: Rest;
  wall: Wall;
  botId: string;
  /** What the reading back still has to do is not what it was. */
  leftChanged(): void;
}

export interface Ear {
  readonly inbox: Inbox;
  readonly places: Places;
  readonly direct: Direct;
  /** What is written in this channel goes into the inbox from now on; resolves with whether Discord lets us. */
  watch(channelId: string): Promise<boolean>;
  /** Reads everything again and again while the gateway is away. */
  poll(isLive: () => boolean): { close(): void };
  /** What is owed to a channel about the reading back, where it is the channel for that. */
  owed(channelId: string): Owed[];
  close(): void;
}

export async function openEar(options: EarOptions): Promise<Ear> {
  const { engine, files, clock, log, wall, botId, locale, rest, channelId } = options;
  const since = clock.now();
  const uploads = takeUploads(options);
  const watches = new Set<string>();
  const inbox = listen(options, uploads, watches);
  // One room looks after the files of all: another would take away what is just being fetched here.
  const leftovers = options.own ? await keepUploads({ engine, files, isUnderWay: (id) => inbox.isUnderWay(id), clock, log }) : null;
  const places = openPlaces({
    engine,
    log,
    botId,
    guildId: wall.guildId,
    found: (threadId) => inbox.found(threadId),
    back: () => inbox.catchUp(),
  });
  const direct = openDirect(options);
  const watch = async (id: string): Promise<boolean> => {
    const isOurs = await watchChannel(options, id);
    if (isOurs) watches.add(id);
    return isOurs;
  };
  if (channelId !== undefined) void watch(channelId);
  return {
    inbox,
    places,
    direct,
    watch,
    poll: (isLive) => openPolling({ clock, log, everyMs: options.pollIntervalMs, isLive, read: () => readAll(inbox, rest) }),
    owed: (id) => [
      ...(id === noticeChannel(engine.state, channelId) ? catchUpNotice(engine.state, inbox.left, { locale, channelId: id, since }) : []),
      ...directNotices(engine.state, id, locale),
    ],
    close() {
      for (const one of [uploads, inbox, leftovers, direct]) one?.close();
    },
  };
}

/** Edits and deletions as well: no gateway tells of them. Resolves with whether Discord let us. */
async function readAll(inbox: Inbox, rest: Rest): Promise<boolean> {
  inbox.catchUp({ missed: true });
  await inbox.settled();
  return rest.status.connected !== false;
}

function takeUploads({ files, api, clock, log, locale, rest }: EarOptions): Uploads {
  const again = (channelId: string, id: string): Promise<APIMessage> =>
    rest.call({ method: "GET", path: `/channels/${channelId}/messages/${id}`, lane: "result" });
  return openUploads({ files, api, clock, log, locale, again });
}

function listen({ engine, clock, log, config, rest, wall, botId, locale, leftChanged }: EarOptions, uploads: Uploads, watches: ReadonlySet<string>): Inbox {
  return new Inbox({
    engine,
    wall,
    botId,
    watches,
    inboxFrom: () => config().inbox_from,
    whyNoFiles: say(locale, "file_why_session"),
    heard: openReceipts({ rest, log }),
    clock,
    log,
    uploads,
    leftChanged,
    read: (channelId, after) =>
      rest.call<APIMessage[]>({ method: "GET", path: `/channels/${channelId}/messages?after=${after}&limit=100`, lane: "result" }),
    one: (channelId, id) =>
      rest.call<APIMessage>({ method: "GET", path: `/channels/${channelId}/messages/${id}`, lane: "result" }).catch((error: unknown) => {
        if (failureKind(error) === "message_gone") return null;
        throw error;
      }),
    maxQueue: () => config().limits.max_queue_per_session,
    unreadable(_channelId, error) {
      const kind = failureKind(error);
      return kind === "channel_gone" || kind === "no_access" || kind === "closed" || kind === "unauthorized" ? "gone" : "try_again";
    },
  });
}
