/**
 * All that hears, put together: the ear itself, what fetches the files that come with messages and what removes
 * them again, and what becomes of the places we write in. Nothing is heard before the files a crash left are gone.
 */
import type { APIMessage } from "discord-api-types/v10";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { Config } from "../config/config-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { Files } from "../host/files.ts";
import type { Wall } from "./authorize.ts";
import { catchUpNotice, noticeChannel } from "./catch-up-notice.ts";
import { Inbox } from "./inbox.ts";
import { keepUploads } from "./leftovers.ts";
import type { Owed } from "./owed.ts";
import { openPlaces, type Places } from "./places.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";
import { openUploads, type Uploads } from "./uploads.ts";

export interface EarOptions {
  engine: Engine;
  files: Files;
  clock: Clock;
  log: Log;
  api: string;
  locale: Locale;
  channelId: string | undefined;
  config(): Config;
  rest: Rest;
  wall: Wall;
  botId: string;
  /** What the reading back still has to do is not what it was. */
  leftChanged(): void;
}

export interface Ear {
  readonly inbox: Inbox;
  readonly places: Places;
  /** What is owed to a channel about the reading back, where it is the channel for that. */
  owed(channelId: string): Owed[];
  close(): void;
}

export async function openEar(options: EarOptions): Promise<Ear> {
  const { engine, files, clock, log, wall, botId, locale } = options;
  const since = clock.now();
  const uploads = takeUploads(options);
  const inbox = listen(options, uploads);
  const leftovers = await keepUploads({ engine, files, isUnderWay: (id) => inbox.isUnderWay(id), clock, log });
  const places = openPlaces({
    engine,
    log,
    botId,
    guildId: wall.guildId,
    found: (threadId) => inbox.found(threadId),
    back: () => inbox.catchUp(),
  });
  return {
    inbox,
    places,
    owed: (channelId) =>
      channelId === noticeChannel(engine.state, options.channelId)
        ? catchUpNotice(engine.state, inbox.left, { locale, channelId, since })
        : [],
    close() {
      for (const one of [uploads, inbox, leftovers]) one.close();
    },
  };
}

function takeUploads({ files, api, clock, log, locale, rest }: EarOptions): Uploads {
  const again = (channelId: string, id: string): Promise<APIMessage> =>
    rest.call({ method: "GET", path: `/channels/${channelId}/messages/${id}`, lane: "result" });
  return openUploads({ files, api, clock, log, locale, again });
}

function listen({ engine, clock, log, config, rest, wall, leftChanged }: EarOptions, uploads: Uploads): Inbox {
  return new Inbox({
    engine,
    wall,
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
