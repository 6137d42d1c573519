/**
 * The settings from the environment and from `.env` files, checked as a whole before anything starts. The environment
 * wins over the files, and nothing from a file enters the process's own environment.
 */
import { join, resolve } from "node:path";
import type { ChannelId, GuildId, UserId } from "../base/ids.ts";
import { catalogues, localeFrom, say, type Locale } from "../base/words/say.ts";
import { folderOf, type EnvFile } from "./env-files.ts";
import { isVariable, variables, type VariableName } from "./environment.ts";
import { filled, homeOf, platformState, TOKEN_NAMES, underHome, type Environment } from "./homes.ts";
import { invalid } from "./invalid.ts";
import { nearest } from "./nearest.ts";
import { readToken, type Token } from "./token.ts";
import { Reader, type Given } from "./variable-reader.ts";

export type { Environment };

export interface Settings {
  token: Token | undefined;
  appId: string | undefined;
  /** Set if the variables name one; otherwise config.json or Discord does. */
  ownerId: UserId | undefined;
  guildId: GuildId | undefined;
  channelId: ChannelId | undefined;
  projectName: string | undefined;
  /** Absolute, like all paths here. */
  pendingDir: string;
  /** The mirrored inbox file, beside `pendingDir` and not in it. */
  inboxFile: string;
  pollIntervalMs: number;
  stateDir: string;
  logDir: string;
  agentCommand: string[] | undefined;
  projects: string[];
  projectRoots: string[];
  locale: Locale;
  /** Without a trailing slash. */
  discordApi: string;
  /** Whether `discordApi` is Discord itself. */
  realDiscord: boolean;
  /** Sentences for the owner; none of them prevents the start. */
  warnings: string[];
}

/** Variables whose value is a single path. */
const PATHS: ReadonlySet<VariableName> = new Set(["STATE_DIR", "LOG_DIR", "PENDING_DIR", "DISCORD_TOKEN_FILE"]);

export const DISCORD_API = "https://discord.com/api";

/**
 * @param env the process's environment; only read
 * @param cwd the base of relative paths in the environment
 * @param files from `readEnvFiles`, the strongest first
 * @throws E_CONFIG_INVALID for the first malformed setting
 */
export function loadSettings(env: Environment, cwd: string, files: readonly EnvFile[] = []): Settings {
  const reader = new Reader(lookUp(env, cwd, files), localeOf(env, files), homeOf(env));
  const { locale } = reader;
  const discordApi = reader.api("BELLHOP_DISCORD_API") ?? DISCORD_API;
  const stateDir = reader.path("STATE_DIR") ?? join(platformState(env), "bellhop");
  const ids = [reader.id("DISCORD_OWNER_ID"), reader.id("DISCORD_ALLOWED_USER_ID")];
  if (ids[0] !== undefined && ids[1] !== undefined && ids[0] !== ids[1]) {
    throw twoOwners(
      locale,
      { where: "DISCORD_ALLOWED_USER_ID", id: ids[1] },
      { where: "DISCORD_OWNER_ID", id: ids[0] },
    );
  }
  return {
    token: readToken(locale, reader.tokens(), discordApi !== DISCORD_API),
    appId: reader.id("DISCORD_APP_ID"),
    ownerId: (ids[0] ?? ids[1]) as UserId | undefined,
    guildId: reader.id("DISCORD_GUILD_ID") as GuildId | undefined,
    channelId: reader.id("DISCORD_CHANNEL_ID") as ChannelId | undefined,
    projectName: reader.text("PROJECT_NAME"),
    pendingDir: reader.path("PENDING_DIR") ?? join(homeOf(env), ".claude", "pending_decisions"),
    inboxFile: join(homeOf(env), ".claude", "discord_inbox.json"),
    pollIntervalMs: reader.seconds("POLL_INTERVAL_SECONDS", 5),
    stateDir,
    logDir: reader.path("LOG_DIR") ?? join(stateDir, "logs"),
    agentCommand: reader.texts("AGENT_COMMAND", '["claude-agent-acp"]', 1),
    projects: reader.paths("PROJECTS", '["/home/me/app"]'),
    projectRoots: reader.paths("PROJECT_ROOTS", '["/home/me/code"]'),
    locale,
    discordApi,
    realDiscord: discordApi === DISCORD_API,
    warnings: [...files.flatMap((file) => warningsOf(locale, file)), ...reader.warnings()],
  };
}

/** The value of each variable that is set, `~` and relative paths made absolute, for use by another process. */
export function givenValues(env: Environment, cwd: string, files: readonly EnvFile[] = []): Record<string, string> {
  const given = lookUp(env, cwd, files);
  const home = homeOf(env);
  const all = (Object.keys(variables) as VariableName[]).flatMap((name): [string, string][] => {
    const one = given(name);
    return one === undefined
      ? []
      : [[name, PATHS.has(name) ? resolve(one.folder, underHome(one.value, home)) : one.value]];
  });
  return Object.fromEntries(all);
}

/** If the environment and config.json both name the owner, they must name the same one. @throws E_CONFIG_INVALID */
export function agreedOwner(
  { ownerId, locale }: Pick<Settings, "ownerId" | "locale">,
  inConfig: string | undefined,
): string | undefined {
  if (ownerId !== undefined && inConfig !== undefined && ownerId !== inConfig) {
    throw twoOwners(
      locale,
      { where: "config.json owner_id", id: inConfig },
      { where: "DISCORD_OWNER_ID", id: ownerId },
    );
  }
  return ownerId ?? inConfig;
}

/**
 * What is written in DISCORD_CHANNEL_ID is for agents to read; in a project's channel it is a prompt. @throws
 * E_CONFIG_INVALID
 */
export function requireOwnChannel(
  { channelId, locale }: Pick<Settings, "channelId" | "locale">,
  projects: Readonly<Record<string, { channel_id?: string | undefined }>>,
): void {
  const [name] =
    Object.entries(projects).find(([, { channel_id }]) => channel_id !== undefined && channel_id === channelId) ?? [];
  if (name !== undefined)
    throw invalid(locale, {
      where: `config.json projects.${name}.channel_id`,
      found: channelId,
      want: "config.want.unwatched_channel",
      mend: "config.mend.config",
    });
}

/** An owner, and the setting that names him. */
interface NamedOwner {
  where: string;
  id: string;
}

function twoOwners(locale: Locale, { where, id: found }: NamedOwner, other: NamedOwner): Error {
  return invalid(locale, {
    where,
    found,
    want: "config.want.same_owner",
    mend: "config.mend.same_owner",
    args: { other: other.where, id: other.id },
  });
}

/**
 * Looks a variable up: the environment first, then the files. The three names of the token are one setting: a place
 * that sets one of them is not overruled by a weaker place that sets another.
 */
function lookUp(env: Environment, cwd: string, files: readonly EnvFile[]): (name: VariableName) => Given | undefined {
  const layers: { values: (name: string) => string | undefined; folder: string; file: string | null }[] = [
    { values: (name) => filled(env[name]), folder: cwd, file: null },
    ...files.map((file) => ({
      values: (name: string) => filled(file.values.get(name)),
      folder: folderOf(file),
      file: file.path,
    })),
  ];
  return (name) => {
    const together = (TOKEN_NAMES as readonly string[]).includes(name) ? TOKEN_NAMES : [name];
    const layer = layers.find(({ values }) => together.some(values));
    const value = layer?.values(name);
    return layer && value !== undefined ? { value, folder: layer.folder, file: layer.file } : undefined;
  };
}

function warningsOf(locale: Locale, { path, values, strange }: EnvFile): string[] {
  return [
    ...strange.map((line) => say(locale, "config.strange_line", { path, line })),
    ...misspelt(locale, path, values),
  ];
}

/** Names in the file that look like a misspelt variable of ours; other programs' variables are ignored. */
function misspelt(locale: Locale, path: string, values: ReadonlyMap<string, string>): string[] {
  return [...values.keys()].flatMap((name) => {
    if (isVariable(name)) return [];
    const near = nearest(name, Object.keys(variables));
    const ours = /^(DISCORD|BELLHOP)_/.test(name);
    if (!ours || near === undefined) return ours ? [say(locale, "config.unknown", { where: `${path} ${name}` })] : [];
    return [say(locale, "config.unknown_near", { where: `${path} ${name}`, near })];
  });
}

/** The locale the owner names, even an unknown one, else the system's. */
function localeOf(env: Environment, files: readonly EnvFile[]): string {
  const named = [env["BELLHOP_LOCALE"], ...files.map(({ values }) => values.get("BELLHOP_LOCALE"))]
    .map(filled)
    .find((value) => value !== undefined);
  if (named === undefined) return localeFrom(filled(env["LC_ALL"]) ?? filled(env["LC_MESSAGES"]) ?? env["LANG"]);
  return (
    Object.keys(catalogues).find((locale) => locale.toLowerCase() === named.toLowerCase().replace("_", "-")) ?? named
  );
}
