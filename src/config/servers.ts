/**
 * The servers of config.json and their tokens. One server may be the main bot's, whose token the environment names, or
 * else the first that can be read. A server that is wrong by itself is returned with its error and does not stop the
 * others.
 */
import type { BellhopError } from "../base/errors.ts";
import type { GuildId } from "../base/ids.ts";
import type { Locale } from "../base/words/say.ts";
import type { Config } from "./config-file.ts";
import { invalid } from "./invalid.ts";
import { agreedOwner, type Settings } from "./settings.ts";
import { readTokenFile, tokenMissing } from "./token.ts";

const FILE = "config.json";

export interface Server {
  name: string;
  guildId: GuildId;
  ownerId: string | undefined;
  /** Where the control panel stands. */
  panelId: string | undefined;
}

/** A server with a bot of its own, or why it has none. */
export type OtherServer = Server & ({ token: string; error?: undefined } | { error: BellhopError });

export interface Servers {
  /** The main bot's server, if config.json has it. */
  main: Server | undefined;
  others: OtherServer[];
}

/**
 * @param token the main bot's; null: there is no bot, and so no servers
 * @throws E_CONFIG_INVALID for another owner, and for another server of the main bot than the environment names
 */
export function readServers(config: Config, settings: Settings, token: string | null): Servers {
  if (token === null) return { main: undefined, others: [] };
  const owner = agreedOwner(settings, config.owner_id);
  const { locale } = settings;
  const servers: Servers = { main: undefined, others: [] };
  const taken = new Set<string>();
  const ownToken = settings.token?.from.startsWith(FILE) ? (tokenMissing(locale) as BellhopError) : token;
  for (const [name, { token_file, guild_id, owner_id, general_channel_id }] of Object.entries(config.servers)) {
    const where = (key: string): string => `${FILE} servers.${name}.${key}`;
    const server = { name, guildId: guild_id as GuildId, ownerId: owner_id, panelId: general_channel_id };
    const wrong = otherOwner(server, owner, locale);
    if (wrong) throw wrong;
    const found = token_file === undefined ? ownToken : tokenOf(settings, where("token_file"), token_file);
    if (typeof found !== "string") servers.others.push({ ...server, error: found });
    else if (taken.has(found))
      servers.others.push({
        ...server,
        error: invalid(locale, {
          where: where("token_file"),
          found: token_file,
          want: "config.want.other_token",
          mend: "config.mend.restart",
        }),
      });
    else if (found !== token) servers.others.push({ ...server, token: found });
    else servers.main = server;
    if (typeof found === "string") taken.add(found);
  }
  const { main } = servers;
  if (main && settings.guildId !== undefined && settings.guildId !== main.guildId) {
    throw invalid(locale, {
      where: `${FILE} servers.${main.name}.guild_id`,
      found: main.guildId,
      want: "config.want.same_guild",
      mend: "config.mend.restart",
      args: { id: settings.guildId },
    });
  }
  return servers;
}

/** The error for a server that names another owner than the one who is obeyed. */
export function otherOwner(
  { name, ownerId }: Pick<Server, "name" | "ownerId">,
  owner: string | undefined,
  locale: Locale,
): BellhopError | null {
  if (ownerId === undefined || owner === undefined || ownerId === owner) return null;
  return invalid(locale, {
    where: `${FILE} servers.${name}.owner_id`,
    found: ownerId,
    want: "config.want.same_owner",
    mend: "config.mend.same_owner",
    args: { other: "owner_id", id: owner },
  });
}

/** The token of the first server that has a good one; for a daemon whose environment names none. */
export function firstToken({ servers }: Config, settings: Settings): Settings["token"] {
  for (const [name, { token_file }] of Object.entries(servers)) {
    if (token_file === undefined) continue;
    const from = `${FILE} servers.${name}.token_file`;
    const value = tokenOf(settings, from, token_file);
    if (typeof value === "string") return { value, from };
  }
  return undefined;
}

function tokenOf({ locale, realDiscord }: Settings, from: string, path: string): string | BellhopError {
  try {
    return readTokenFile(locale, { from, path }, !realDiscord);
  } catch (error) {
    return error as BellhopError;
  }
}
