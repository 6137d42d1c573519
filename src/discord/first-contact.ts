/**
 * What `bellhop init` and `bellhop doctor` ask Discord about the bot: who it is, which servers it is in, what it may do
 * in their channels, and the first message. Each question is asked once and fails at once; no daemon is needed.
 */
import type {
  APIApplication,
  APIGatewayBotInfo,
  APIGuild,
  APIGuildMember,
  APIMessage,
  APITextChannel,
  APIUser,
  RESTAPIPartialCurrentUserGuild,
} from "discord-api-types/v10";
import { systemClock } from "../base/clock.ts";
import { silentLog, type Log } from "../base/log.ts";
import { Redactor } from "../base/redact.ts";
import type { WordKey } from "../base/words/say.ts";
import { openRest, type Rest } from "./api/rest.ts";
import { allRights, missingOf, permissionsIn, TEXT_CHANNELS } from "./api/rights.ts";
import type { ApiPath } from "./api/transport.ts";
import { sendOnce } from "./delivery/send-once.ts";

export interface AboutBot {
  botId: string;
  botName: string;
  applicationId: string;
  /** For a team's application the team's owner; null if Discord names none. */
  ownerId: string | null;
  /** Whether Message Content Intent is switched on. */
  readsContent: boolean;
}

export interface NamedPlace {
  id: string;
  name: string;
}

export interface ChannelHere extends NamedPlace {
  /** The names of the permissions that the bot lacks there. */
  missing: WordKey[];
}

export interface Contact {
  /** @throws RestFailure */
  about(): Promise<AboutBot>;
  /** @throws RestFailure */
  servers(): Promise<NamedPlace[]>;
  /** The text channels of a server, as its list shows them. @throws RestFailure */
  channels(serverId: string, botId: string): Promise<ChannelHere[]>;
  /**
   * The bot's newest message among the last hundred of the channel; otherwise this one, posted now. @throws RestFailure
   */
  firstMessage(at: { channelId: string; botId: string; body: object }): Promise<{ id: string; posted: boolean }>;
  /** Where the gateway is, and how often one may still identify there today. @throws RestFailure */
  gateway(): Promise<{ url: string; left: number }>;
  /** Why the last request got no answer. */
  readonly reason: string;
  close(): Promise<void>;
}

/** Message Content Intent, for applications in few servers and in many. */
const CONTENT_FLAGS = (1 << 18) | (1 << 19);

export function openContact(token: string, api: string): Contact {
  let reason = "";
  const log: Log = { ...silentLog, info: (_text, fields) => void (reason = String(fields?.["reason"] ?? reason)) };
  const rest = openRest({
    token,
    api,
    clock: systemClock,
    log,
    redactor: new Redactor([token]),
    onUnauthorized: () => undefined,
  });
  return {
    about: () => about(rest),
    servers: async () =>
      (await ask<RESTAPIPartialCurrentUserGuild[]>(rest, "/users/@me/guilds")).map(({ id, name }) => ({ id, name })),
    channels: (serverId, botId) => channels(rest, serverId, botId),
    firstMessage: (at) => firstMessage(rest, at),
    async gateway() {
      const { url, session_start_limit } = await ask<APIGatewayBotInfo>(rest, "/gateway/bot");
      return { url, left: session_start_limit.remaining };
    },
    get reason() {
      return reason;
    },
    close: () => rest.close(),
  };
}

function ask<T>(rest: Rest, path: ApiPath): Promise<T> {
  return rest.call<T>({ method: "GET", path, priority: "decision", repeatMs: 0, limitTries: 2 });
}

async function about(rest: Rest): Promise<AboutBot> {
  const [bot, application] = await Promise.all([
    ask<APIUser>(rest, "/users/@me"),
    ask<APIApplication>(rest, "/applications/@me"),
  ]);
  return {
    botId: bot.id,
    botName: bot.username,
    applicationId: application.id,
    ownerId: application.team?.owner_user_id ?? application.owner?.id ?? null,
    readsContent: ((application.flags ?? 0) & CONTENT_FLAGS) !== 0,
  };
}

async function channels(rest: Rest, serverId: string, botId: string): Promise<ChannelHere[]> {
  const [guild, member, all] = await Promise.all([
    ask<APIGuild>(rest, `/guilds/${serverId}`),
    ask<APIGuildMember>(rest, `/guilds/${serverId}/members/${botId}`),
    ask<APITextChannel[]>(rest, `/guilds/${serverId}/channels`),
  ]);
  return all
    .filter(({ type }) => TEXT_CHANNELS.has(type))
    .toSorted((a, b) => a.position - b.position)
    .map(({ id, name, permission_overwrites: overwrites = [] }) => ({
      id,
      name,
      missing: missingOf(permissionsIn({ guild, member, userId: botId, overwrites }, systemClock.now()), allRights),
    }));
}

async function firstMessage(
  rest: Rest,
  { channelId, botId, body }: { channelId: string; botId: string; body: object },
): Promise<{ id: string; posted: boolean }> {
  const before = (await ask<APIMessage[]>(rest, `/channels/${channelId}/messages?limit=100`)).find(
    ({ author }) => author.id === botId,
  );
  if (before) return { id: before.id, posted: false };
  // The nonce depends on the channel alone, so that a set-up which is killed here and repeated posts it once.
  const { id } = await sendOnce(rest, {
    channelId,
    body,
    nonce: `i${channelId}`,
    priority: "decision",
    patienceMs: 15_000,
  });
  return { id, posted: true };
}
