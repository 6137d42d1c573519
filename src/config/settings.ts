/**
 * The settings from the environment and from `.env` files, checked as a whole before anything starts. The environment
 * wins over the files, and nothing from a file enters the process's own environment.
 */
import { join, resolve, isAbsolute } from "node:path";
import { type ChannelId, type GuildId, type UserId, isSnowflake } from "../base/ids.ts";
import { catalogues, localeFrom, say, type Locale } from "../base/words/say.ts";
import { folderOf, type EnvFile, isVariable, variables, type VariableName } from "./env-files.ts";
import {
  nonBlank,
  homeOf,
  platformState,
  TOKEN_NAMES,
  underHome,
  type Environment,
  isNear,
  isThisMachine,
} from "./homes.ts";
import { invalidSetting } from "./invalid.ts";
import { nearest } from "./config-file.ts";
import { readToken, type Token, type TokenSources } from "./token.ts";
import { terminalLine } from "../base/terminal-text.ts";

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

const DISCORD_API = "https://discord.com/api";

/**
 * @param env the process's environment; only read
 * @param cwd the base of relative paths in the environment
 * @param files from `readEnvFiles`, the strongest first
 * @throws E_CONFIG_INVALID for the first malformed setting
 */
export function loadSettings(env: Environment, cwd: string, files: readonly EnvFile[] = []): Settings {
  const reader = new SettingsReader(lookUp(env, cwd, files), localeOf(env, files), homeOf(env));
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
export function agreedOwner({ ownerId, locale }: Settings, inConfig: string | undefined): string | undefined {
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
  { channelId, locale }: Settings,
  projects: Readonly<Record<string, { channel_id?: string | undefined }>>,
): void {
  const [name] =
    Object.entries(projects).find(([, { channel_id }]) => channel_id !== undefined && channel_id === channelId) ?? [];
  if (name !== undefined)
    throw invalidSetting(locale, {
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
  return invalidSetting(locale, {
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
function lookUp(
  env: Environment,
  cwd: string,
  files: readonly EnvFile[],
): (name: VariableName) => SettingValue | undefined {
  const layers: { values: (name: string) => string | undefined; folder: string; file: string | null }[] = [
    { values: (name) => nonBlank(env[name]), folder: cwd, file: null },
    ...files.map((file) => ({
      values: (name: string) => nonBlank(file.values.get(name)),
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
    .map(nonBlank)
    .find((value) => value !== undefined);
  if (named === undefined) return localeFrom(nonBlank(env["LC_ALL"]) ?? nonBlank(env["LC_MESSAGES"]) ?? env["LANG"]);
  return (
    Object.keys(catalogues).find((locale) => locale.toLowerCase() === named.toLowerCase().replace("_", "-")) ?? named
  );
}

/*
 * Reads variables one by one, each in its format. The first malformed one is thrown as an error that says what was
 * found, what is expected, and how to fix it.
 */

const LONGEST_POLL_SECONDS = 3600;

/** The value of a variable and where it comes from. */
interface SettingValue {
  value: string;
  /** The base of relative paths in it. */
  folder: string;
  /** The file it is in; null for the environment. */
  file: string | null;
}

class SettingsReader {
  readonly locale: Locale;
  readonly #lookUp: (name: VariableName) => SettingValue | undefined;
  readonly #home: string;
  readonly #warnings: string[] = [];

  /**
   * @param home what `~` means
   * @throws E_CONFIG_INVALID if the locale is not supported
   */
  constructor(given: (name: VariableName) => SettingValue | undefined, locale: Locale | string, home: string) {
    this.#lookUp = given;
    this.#home = home;
    this.locale = isLocale(locale) ? locale : "en";
    if (!isLocale(locale)) {
      throw invalidSetting("en", {
        where: "BELLHOP_LOCALE",
        found: locale,
        want: "config.want.one_of",
        mend: "config.mend.variable",
        args: { names: Object.keys(catalogues).join(", "), name: "BELLHOP_LOCALE" },
      });
    }
  }

  text(name: VariableName): string | undefined {
    return this.#lookUp(name)?.value;
  }

  tokens(): TokenSources {
    return {
      DISCORD_BOT_TOKEN: this.text("DISCORD_BOT_TOKEN"),
      DISCORD_TOKEN: this.text("DISCORD_TOKEN"),
      DISCORD_TOKEN_FILE: this.path("DISCORD_TOKEN_FILE"),
    };
  }

  id(name: VariableName): string | undefined {
    const value = this.text(name);
    if (value === undefined || isSnowflake(value)) return value;
    const owner = name === "DISCORD_OWNER_ID" || name === "DISCORD_ALLOWED_USER_ID";
    throw invalidSetting(this.locale, {
      where: name,
      found: value,
      want: owner ? "config.want.user_id" : "config.want.snowflake",
      mend: owner ? "config.mend.user_id" : "config.mend.snowflake",
      args: { name },
    });
  }

  path(name: VariableName): string | undefined {
    const given = this.#lookUp(name);
    return given && resolve(given.folder, underHome(given.value, this.#home));
  }

  /**
   * A JSON array of directories. Each entry counts for itself: one that can be none is left out, and `warnings` names
   * it.
   */
  paths(name: VariableName, example: string): string[] {
    const value = this.text(name);
    const entries = value === undefined ? [] : parsedJson(value);
    if (!Array.isArray(entries)) throw this.#noTexts(name, example);
    return entries.flatMap((entry: unknown, at) => {
      const path = typeof entry === "string" ? underHome(entry, this.#home) : "";
      if (isAbsolute(path) && !path.includes("\0")) return [path];
      this.#warnings.push(
        say(this.locale, "config.entry_left_out", {
          name,
          number: at + 1,
          found: terminalLine(JSON.stringify(entry), 80),
        }),
      );
      return [];
    });
  }

  /** Whole or fractional seconds, as milliseconds. */
  seconds(name: VariableName, otherwise: number): number {
    const value = this.text(name);
    const seconds = value === undefined ? otherwise : /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
    if (seconds > 0 && seconds <= LONGEST_POLL_SECONDS) return Math.max(1, Math.round(seconds * 1000));
    throw invalidSetting(this.locale, {
      where: name,
      found: value,
      want: "config.want.seconds",
      mend: "config.mend.variable",
      args: { max: LONGEST_POLL_SECONDS, name },
    });
  }

  /** A JSON array of strings. */
  texts(name: VariableName, example: string, least: number): string[] | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const parsed = parsedJson(value);
    if (isTexts(parsed) && parsed.length >= least && parsed.every((text) => text !== "" && !text.includes("\0")))
      return parsed;
    throw this.#noTexts(name, example);
  }

  #noTexts(name: VariableName, example: string): Error {
    return invalidSetting(this.locale, {
      where: name,
      found: this.text(name),
      want: "config.want.texts",
      mend: "config.mend.variable",
      args: { example, name },
    });
  }

  /**
   * The address of a REST API. The token is sent there, so not unencrypted over a network; and because somebody else
   * may have written a file, a file may only name Discord or this machine.
   */
  api(name: VariableName): string | undefined {
    const { value, file } = this.#lookUp(name) ?? {};
    if (value === undefined) return undefined;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const safe = url !== undefined && (url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url)));
    const plain =
      url !== undefined && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (safe && plain && (file === null || isNear(value))) return value.replace(/(?<!\/)\/+$/, "");
    const [want, mend] =
      safe && plain
        ? (["config.want.api_in_file", "config.mend.api_in_file"] as const)
        : (["config.want.api", "config.mend.variable"] as const);
    throw invalidSetting(this.locale, { where: name, found: value, want, mend, args: { name, path: file ?? "" } });
  }

  /** Of what was read until now. */
  warnings(): string[] {
    const first = this.text("DISCORD_BOT_TOKEN");
    const second = this.text("DISCORD_TOKEN");
    const twoTokens = first !== undefined && second !== undefined && first !== second;
    return [
      ...(twoTokens
        ? [say(this.locale, "config.two_tokens", { first: "DISCORD_BOT_TOKEN", second: "DISCORD_TOKEN" })]
        : []),
      ...this.#warnings,
    ];
  }
}

function isLocale(text: string): text is Locale {
  return Object.hasOwn(catalogues, text);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}
