/**
 * Who we are on Discord, whom we obey and where: asked of Discord once, before anything is heard. What the owner
 * has set wins; what he left open is taken from Discord only where there is exactly one answer.
 */
import type { APIApplication, APIChannel, APIUser, RESTAPIPartialCurrentUserGuild } from "discord-api-types/v10";
import { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import { invalid } from "../config/invalid.ts";
import { failureKind } from "./rest-failure.ts";
import type { Rest } from "./rest.ts";

export interface Identity {
  botId: string;
  applicationId: string;
  ownerId: string;
  guildId: string;
}

export interface Wanted {
  ownerId: string | undefined;
  guildId: string | undefined;
  channelId: string | undefined;
  locale: Locale;
}

/** @throws E_TOKEN_REFUSED, E_CONFIG_INVALID where owner or guild cannot be told */
export async function identify(rest: Rest, wanted: Wanted, log: Log): Promise<Identity> {
  try {
    const [bot, application] = await Promise.all([
      rest.call<APIUser>({ method: "GET", path: "/users/@me", lane: "decision" }),
      rest.call<APIApplication>({ method: "GET", path: "/applications/@me", lane: "decision" }),
    ]);
    const ownerId = wanted.ownerId ?? ownerOf(application, wanted.locale, log);
    return { botId: bot.id, applicationId: application.id, ownerId, guildId: await guildOf(rest, wanted) };
  } catch (error) {
    if (failureKind(error) === "unauthorized") throw new BellhopError("E_TOKEN_REFUSED", {}, { cause: error });
    throw error;
  }
}

/** The application's owner; for a team, the team's. */
function ownerOf(application: APIApplication, locale: Locale, log: Log): string {
  const owner = application.team?.owner_user_id ?? application.owner?.id;
  if (!owner) {
    throw invalid(locale, {
      where: "DISCORD_OWNER_ID",
      found: undefined,
      want: "config.want.owner",
      mend: "config.mend.user_id",
      args: { name: "DISCORD_OWNER_ID" },
    });
  }
  log.info("no owner is set: obeying the application's owner", { owner_id: owner });
  return owner;
}

async function guildOf(rest: Rest, wanted: Wanted): Promise<string> {
  if (wanted.guildId) return wanted.guildId;
  const named = wanted.channelId ? await guildOfChannel(rest, wanted.channelId, wanted.locale) : undefined;
  if (named) return named;
  const guilds = await rest.call<RESTAPIPartialCurrentUserGuild[]>({ method: "GET", path: "/users/@me/guilds", lane: "decision" });
  const [only] = guilds;
  if (only && guilds.length === 1) return only.id;
  throw invalid(wanted.locale, {
    where: "DISCORD_GUILD_ID",
    found: guilds.map(({ name }) => name),
    want: "config.want.one_guild",
    mend: "config.mend.one_guild",
  });
}

/** Undefined for direct messages. */
async function guildOfChannel(rest: Rest, channelId: string, locale: Locale): Promise<string | undefined> {
  const name = "DISCORD_CHANNEL_ID";
  const refused = invalid(locale, { where: name, found: channelId, want: "config.want.channel", mend: "config.mend.snowflake", args: { name } });
  const channel = await rest.call<APIChannel>({ method: "GET", path: `/channels/${channelId}`, lane: "decision" }).catch((error: unknown) => {
    const kind = failureKind(error);
    throw kind === "channel_gone" || kind === "no_access" || kind === "rejected" ? refused : error;
  });
  return "guild_id" in channel ? channel.guild_id : undefined;
}
