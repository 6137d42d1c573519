/**
 * Who the bot is on Discord, who its owner is and which server it is in: asked of Discord once, before anything is
 * received. Settings win; what is not set is taken from Discord only if there is exactly one answer.
 */
import type {
  APIApplication,
  APIChannel,
  APIGuild,
  APIUser,
  RESTAPIPartialCurrentUserGuild,
} from "discord-api-types/v10";
import { BellhopError } from "../base/errors.ts";
import type { Locale } from "../base/words/say.ts";
import { invalidSetting } from "../config/invalid.ts";
import { failureKind } from "./api/transport.ts";
import type { Rest } from "./api/rest.ts";

export interface Identity {
  botId: string;
  applicationId: string;
  /** The owner. */
  ownerId: string;
  /** The application's owner according to Discord; null if Discord names none. */
  applicationOwnerId: string | null;
  guildId: string;
  /** Whether the bot is in that server; it may be invited later. */
  isMember: boolean;
  /** That server's boost level; 0 while the bot is not in it. */
  premiumTier: number;
}

/** The permissions the bot needs; the README lists them by name. */
const PERMISSIONS = "328565066752";

/** The URL with which the owner invites the bot. */
export function invitation(applicationId: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=bot+applications.commands&permissions=${PERMISSIONS}`;
}

export interface IdentityOptions {
  /** Set if already known, whoever the application belongs to. */
  ownerId: string | undefined;
  guildId: string | undefined;
  channelId: string | undefined;
  /** The application that the token must belong to; undefined: any. */
  appId?: string | undefined;
  locale: Locale;
}

/** @throws E_TOKEN_REFUSED, E_CONFIG_INVALID if the owner or the guild cannot be determined */
export async function identify(rest: Rest, wanted: IdentityOptions): Promise<Identity> {
  try {
    const [bot, application, named] = await Promise.all([
      rest.call<APIUser>({ method: "GET", path: "/users/@me", priority: "decision" }),
      rest.call<APIApplication>({ method: "GET", path: "/applications/@me", priority: "decision" }),
      wanted.guildId === undefined ? null : guildAt(rest, wanted.guildId),
    ]);
    if (wanted.appId !== undefined && wanted.appId !== application.id)
      throw otherApplication(wanted.appId, application.id, wanted.locale);
    const applicationOwnerId = application.team?.owner_user_id ?? application.owner?.id ?? null;
    const ownerId = wanted.ownerId ?? applicationOwnerId ?? throwUnknownOwner(wanted.locale);
    const guildId = await guildOf(rest, wanted, application.id);
    const guild = wanted.guildId === undefined ? await guildAt(rest, guildId) : named;
    return {
      botId: bot.id,
      applicationId: application.id,
      ownerId,
      applicationOwnerId,
      guildId,
      isMember: guild !== null,
      premiumTier: guild?.premium_tier ?? 0,
    };
  } catch (error) {
    if (failureKind(error) === "unauthorized") throw new BellhopError("E_TOKEN_REFUSED", {}, { cause: error });
    throw error;
  }
}

/** The error if nobody is known to be the owner: for a team's application Discord may name none. */
export function throwUnknownOwner(locale: Locale): never {
  const name = "DISCORD_OWNER_ID";
  throw invalidSetting(locale, {
    where: name,
    found: undefined,
    want: "config.want.owner",
    mend: "config.mend.user_id",
    args: { name },
  });
}

/** The server, or null if the bot is not in it: Discord shows a bot no other servers. */
async function guildAt(rest: Rest, guildId: string): Promise<APIGuild | null> {
  try {
    return await rest.call<APIGuild>({ method: "GET", path: `/guilds/${guildId}`, priority: "decision" });
  } catch (error) {
    if (["channel_gone", "no_access"].includes(failureKind(error) ?? "")) return null;
    throw error;
  }
}

/** The error for a token of another application than the one that is set. */
export function otherApplication(found: string, id: string, locale: Locale): Error {
  return invalidSetting(locale, {
    where: "DISCORD_APP_ID",
    found,
    want: "config.want.application",
    mend: "config.mend.application",
    args: { id },
  });
}

async function guildOf(rest: Rest, wanted: IdentityOptions, applicationId: string): Promise<string> {
  if (wanted.guildId) return wanted.guildId;
  const named = wanted.channelId ? await guildOfChannel(rest, wanted.channelId, wanted.locale) : undefined;
  if (named) return named;
  const guilds = await rest.call<RESTAPIPartialCurrentUserGuild[]>({
    method: "GET",
    path: "/users/@me/guilds",
    priority: "decision",
  });
  const [only] = guilds;
  if (only && guilds.length === 1) return only.id;
  throw invalidSetting(wanted.locale, {
    where: "DISCORD_GUILD_ID",
    found: guilds.map(({ name }) => name),
    want: "config.want.one_guild",
    mend: guilds.length === 0 ? "config.mend.no_guild" : "config.mend.one_guild",
    args: { link: invitation(applicationId) },
  });
}

/** Undefined for direct messages. */
async function guildOfChannel(rest: Rest, channelId: string, locale: Locale): Promise<string | undefined> {
  const name = "DISCORD_CHANNEL_ID";
  const refused = invalidSetting(locale, {
    where: name,
    found: channelId,
    want: "config.want.channel",
    mend: "config.mend.snowflake",
    args: { name },
  });
  const channel = await rest
    .call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, priority: "decision" })
    .catch((error: unknown) => {
      const kind = failureKind(error);
      throw kind === "channel_gone" || kind === "no_access" || kind === "rejected" ? refused : error;
    });
  return "guild_id" in channel ? channel.guild_id : undefined;
}
