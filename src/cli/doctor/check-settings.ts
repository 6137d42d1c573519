/** The settings that are read here, the files with the tokens, and the bot of each further server of config.json. */
import { chmod } from "node:fs/promises";
import { statSync } from "node:fs";
import { join } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { failed, type Finding } from "../../base/finding.ts";
import type { Config } from "../../config/config-file.ts";
import { configHome, TOKEN_NAMES } from "../../config/homes.ts";
import { readServers, type OtherServer } from "../../config/servers.ts";
import { givenValues, type Settings } from "../../config/settings.ts";
import { checkBot } from "../../discord/check-bot.ts";
import { lookAtDirectory } from "../../host/files/directories.ts";
import type { Io } from "../io.ts";
import { envFilesHere, settingsHere } from "../start/settings-here.ts";

/** `settings`: null if they cannot be read even without the token. */
export function checkSettings(io: Io): { findings: Finding[]; settings: Settings | null } {
  try {
    const settings = settingsHere(io, "nothing");
    const warnings = [
      ...settings.warnings.map((text): Finding => ({
        check: "settings",
        verdict: "warn",
        says: "doctor.as_it_is",
        args: { text },
      })),
      ...openFiles(io),
    ];
    if (settings.token === undefined)
      return {
        findings: [
          ...warnings,
          { check: "token", verdict: "bad", says: "doctor.token.none", mend: { says: "doctor.token.none.mend" } },
        ],
        settings,
      };
    return {
      findings: [
        ...warnings,
        {
          check: "settings",
          verdict: "good",
          says: "doctor.settings",
          args: { name: settings.token.from, dir: settings.stateDir },
        },
      ],
      settings,
    };
  } catch (error) {
    const isToken = error instanceof BellhopError && error.details["where"] === "DISCORD_TOKEN_FILE";
    const path = isToken ? givenValues(io.env, process.cwd(), envFilesHere(io))["DISCORD_TOKEN_FILE"] : undefined;
    return { findings: [{ ...failed("settings", error), ...privateFix(path) }], settings: withoutToken(io) };
  }
}

/** Settings files with secrets in them that others can read. */
function openFiles(io: Io): Finding[] {
  const withToken = envFilesHere(io).filter(({ values }) =>
    ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"].some((name) => values.get(name)),
  );
  const service = join(configHome(io.env), "bellhop", "service.env");
  return [...new Set([...withToken.map(({ path }) => path), service])].flatMap((path): Finding[] => {
    const mended = privateFix(path);
    return mended.fix === undefined
      ? []
      : [{ check: "secrets", verdict: "bad", says: "doctor.open", args: { path }, ...mended }];
  });
}

function withoutToken(io: Io): Settings | null {
  try {
    return settingsHere(io, "nothing", TOKEN_NAMES);
  } catch {
    return null;
  }
}

/** The directories that the environment names, each that cannot be used. */
export async function checkNamed(io: Io, { projects, projectRoots, stateDir }: Settings): Promise<Finding[]> {
  const all = [
    ...projects.map((path) => ({ name: "PROJECTS", path })),
    ...projectRoots.map((path) => ({ name: "PROJECT_ROOTS", path })),
  ];
  const groups = all.map(async ({ name, path }): Promise<Finding[]> => {
    const { is } = await lookAtDirectory(path, { home: io.env["HOME"], stateDir });
    // Repositories beside the state directory may well be projects.
    const usable = is === "directory" || (is === "ours" && name === "PROJECT_ROOTS");
    return usable
      ? []
      : [{ check: "projects", verdict: "warn", says: "config.named_unreadable", args: { name, path } }];
  });
  return (await Promise.all(groups)).flat();
}

/** Each further server of config.json: its token, and its bot as Discord has it. */
export async function checkServers(config: Config, settings: Settings): Promise<Finding[]> {
  try {
    const { others } = readServers(config, settings, settings.token?.value ?? null);
    const groups = await Promise.all(
      others.map(async (server) => [heading(server), ...(await checkServer(config, settings, server))]),
    );
    return groups.flat();
  } catch (error) {
    return [failed("servers", error)];
  }
}

function heading({ name, guildId }: OtherServer): Finding {
  return {
    check: `server ${name}`,
    verdict: "idle",
    says: "doctor.own_server",
    args: { server: name, guild: guildId },
  };
}

async function checkServer(config: Config, settings: Settings, server: OtherServer): Promise<Finding[]> {
  const { name, guildId, panelId } = server;
  if (server.error !== undefined)
    return [{ ...failed(`server ${name}`, server.error), ...privateFix(config.servers[name]?.token_file) }];
  const findings = await checkBot({
    token: server.token,
    api: settings.discordApi,
    locale: settings.locale,
    appId: undefined,
    guildId,
    channelId: undefined,
    panelId,
  });
  return findings.map((finding) => ({ ...finding, check: `server ${name}: ${finding.check}` }));
}

/** A file of ours that others may read can be made private. */
function privateFix(path: string | undefined): Pick<Finding, "fix"> {
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || !stats?.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0)
    return {};
  return { fix: () => chmod(path, 0o600) };
}
