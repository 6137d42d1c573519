/**
 * The settings from the environment and from `.env` in the working directory, checked as a whole before anything
 * starts. The environment wins over the file, and nothing of the file enters the process's own environment.
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errnoOf } from "../base/disk.ts";
import type { ChannelId, GuildId, UserId } from "../base/ids.ts";
import { catalogues, localeFrom, say, type Locale } from "../base/words/say.ts";
import { parseDotenv } from "./dotenv.ts";
import { isVariable, variables } from "./environment.ts";
import { invalid } from "./invalid.ts";
import { nearest } from "./nearest.ts";
import { readToken, type Token } from "./token.ts";
import { Reader } from "./variable-reader.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  token: Token | undefined;
  appId: string | undefined;
  /** Where the variables name one; else config.json or Discord does. */
  ownerId: UserId | undefined;
  guildId: GuildId | undefined;
  channelId: ChannelId | undefined;
  projectName: string | undefined;
  /** Absolute, as are all paths here. */
  pendingDir: string;
  /** Seed A's inbox, beside that and not in it. */
  inboxFile: string;
  pollIntervalMs: number;
  stateDir: string;
  logDir: string;
  agentCommand: string[] | undefined;
  projects: string[];
  projectRoots: string[];
  locale: Locale;
  /** Without a slash at its end. */
  discordApi: string;
  /** Whether that is Discord itself. */
  realDiscord: boolean;
  /** Sentences for the owner; none of them stops the start. */
  warnings: string[];
}

export const DISCORD_API = "https://discord.com/api";

/**
 * @param env the process's environment; only read
 * @param cwd where `.env` may stand
 * @throws E_CONFIG_INVALID for the first setting that is malformed
 */
export function loadSettings(env: Environment, cwd: string): Settings {
  const file = readDotenv(env, cwd);
  const reader = new Reader((name) => filled(env[name]) ?? filled(file.values.get(name)), localeOf(env, file.values));
  const { locale } = reader;
  const discordApi = reader.api("BELLHOP_DISCORD_API") ?? DISCORD_API;
  const stateDir = reader.path("STATE_DIR", cwd) ?? join(platformState(env), "bellhop");
  const ids = [reader.id("DISCORD_OWNER_ID"), reader.id("DISCORD_ALLOWED_USER_ID")];
  if (ids[0] !== undefined && ids[1] !== undefined && ids[0] !== ids[1]) {
    throw twoOwners(locale, "DISCORD_ALLOWED_USER_ID", ids[1], "DISCORD_OWNER_ID", ids[0]);
  }
  return {
    token: readToken(locale, reader.tokens(), discordApi !== DISCORD_API),
    appId: reader.id("DISCORD_APP_ID"),
    ownerId: (ids[0] ?? ids[1]) as UserId | undefined,
    guildId: reader.id("DISCORD_GUILD_ID") as GuildId | undefined,
    channelId: reader.id("DISCORD_CHANNEL_ID") as ChannelId | undefined,
    projectName: reader.text("PROJECT_NAME"),
    pendingDir: reader.path("PENDING_DIR", cwd) ?? join(homeOf(env), ".claude", "pending_decisions"),
    inboxFile: join(homeOf(env), ".claude", "discord_inbox.json"),
    pollIntervalMs: reader.seconds("POLL_INTERVAL_SECONDS", 5),
    stateDir,
    logDir: reader.path("LOG_DIR", cwd) ?? join(stateDir, "logs"),
    agentCommand: reader.texts("AGENT_COMMAND", '["claude-agent-acp"]', 1),
    projects: reader.texts("PROJECTS", '["/home/me/app"]', 0) ?? [],
    projectRoots: reader.texts("PROJECT_ROOTS", '["/home/me/code"]', 0) ?? [],
    locale,
    discordApi,
    realDiscord: discordApi === DISCORD_API,
    warnings: [...file.warnings(locale), ...reader.warnings()],
  };
}

/** Environment and config.json may both name the owner, and then they must name the same. @throws E_CONFIG_INVALID */
export function agreedOwner({ ownerId, locale }: Pick<Settings, "ownerId" | "locale">, inConfig: string | undefined): string | undefined {
  if (ownerId !== undefined && inConfig !== undefined && ownerId !== inConfig) {
    throw twoOwners(locale, "config.json owner_id", inConfig, "DISCORD_OWNER_ID", ownerId);
  }
  return ownerId ?? inConfig;
}

/** The error for two places that name different owners. */
function twoOwners(locale: Locale, where: string, found: string, other: string, otherId: string): Error {
  return invalid(locale, { where, found, want: "config.want.same_owner", mend: "config.mend.same_owner", args: { other, id: otherId } });
}

interface Dotenv {
  values: Map<string, string>;
  warnings(locale: Locale): string[];
}

/** `.env`, or nothing where there is none. @throws E_CONFIG_INVALID when it is there and cannot be read */
function readDotenv(env: Environment, cwd: string): Dotenv {
  const path = join(cwd, ".env");
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") {
      throw invalid(localeFrom(env["BELLHOP_LOCALE"]), {
        where: ".env",
        found: `${path}: ${errnoOf(error)}`,
        want: "config.want.readable_file",
        mend: "config.mend.readable_file",
        args: { path },
      });
    }
  }
  const { values, strange } = parseDotenv(text);
  return { values, warnings: (locale) => [...strange.map((line) => say(locale, "config.strange_line", { line })), ...misspelt(locale, values)] };
}

/** Names in `.env` that look like one of ours and are not; others' variables are no business of ours. */
function misspelt(locale: Locale, values: Map<string, string>): string[] {
  return [...values.keys()].flatMap((name) => {
    if (isVariable(name)) return [];
    const near = nearest(name, Object.keys(variables));
    const ours = /^(DISCORD|BELLHOP)_/.test(name);
    if (!ours || near === undefined) return ours ? [say(locale, "config.unknown", { where: `.env ${name}` })] : [];
    return [say(locale, "config.unknown_near", { where: `.env ${name}`, near })];
  });
}

/** The locale the owner names, whatever it is, else the system's. */
function localeOf(env: Environment, file: Map<string, string>): string {
  const named = filled(env["BELLHOP_LOCALE"]) ?? filled(file.get("BELLHOP_LOCALE"));
  if (named === undefined) return localeFrom(filled(env["LC_ALL"]) ?? filled(env["LC_MESSAGES"]) ?? env["LANG"]);
  return Object.keys(catalogues).find((locale) => locale.toLowerCase() === named.toLowerCase().replace("_", "-")) ?? named;
}

function platformState(env: Environment): string {
  if (process.platform === "darwin") return join(homeOf(env), "Library", "Application Support");
  if (process.platform === "win32") return filled(env["LOCALAPPDATA"]) ?? join(homeOf(env), "AppData", "Local");
  const named = filled(env["XDG_STATE_HOME"]);
  // The XDG specification has relative values ignored.
  return named?.startsWith("/") ? named : join(homeOf(env), ".local", "state");
}

function homeOf(env: Environment): string {
  return filled(env["HOME"]) ?? homedir();
}

/** A variable set to nothing is not set: that is what an empty line of `.env.example` means. */
function filled(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}
