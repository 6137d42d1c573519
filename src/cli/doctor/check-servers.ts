/** Each further server of config.json: its token, and its bot as Discord has it. */
import { chmod } from "node:fs/promises";
import { statSync } from "node:fs";
import { BellhopError } from "../../base/errors.ts";
import { failed, type Finding } from "../../base/finding.ts";
import type { Config } from "../../config/config-file.ts";
import { readServers, type OtherServer } from "../../config/servers.ts";
import type { Settings } from "../../config/settings.ts";
import { checkBot } from "../../discord/check-bot.ts";

export async function checkServers(config: Config, settings: Settings): Promise<Finding[]> {
  try {
    const { others } = readServers(config, settings, settings.token?.value ?? null);
    const groups = await Promise.all(others.map(async (server) => [heading(server), ...(await checkServer(config, settings, server))]));
    return groups.flat();
  } catch (error) {
    return [failed("servers", error)];
  }
}

function heading({ name, guildId }: OtherServer): Finding {
  return { check: `server ${name}`, verdict: "idle", says: "doctor.own_server", args: { server: name, guild: guildId } };
}

async function checkServer(config: Config, settings: Settings, server: OtherServer): Promise<Finding[]> {
  const { name, guildId, panelId } = server;
  if (server.error !== undefined) return [{ ...failed(`server ${name}`, server.error), ...privateFix(server.error, config.servers[name]?.token_file) }];
  const findings = await checkBot({ token: server.token, api: settings.discordApi, locale: settings.locale, appId: undefined, guildId, channelId: undefined, panelId });
  return findings.map((finding) => ({ ...finding, check: `server ${name}: ${finding.check}` }));
}

/** A token file of ours that others may read can be made private. */
function privateFix(error: unknown, path: string | undefined): Pick<Finding, "fix"> {
  const stats = path === undefined || !(error instanceof BellhopError) ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || !stats?.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0) return {};
  return { fix: () => chmod(path, 0o600) };
}
