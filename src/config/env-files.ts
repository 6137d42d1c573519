/**
 * Which `.env` files are read: the one in Bellhop's own checkout when it is started there, and the one in the user's
 * configuration directory; or, instead of both, the one the owner names. A file that is merely in the working directory
 * is never read: agents' repositories are there too, and anyone who can write to one could choose where the token goes.
 */
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "../base/disk.ts";
import { localeFrom, locales } from "../base/words/say.ts";
import { configHome, homeOf, TOKEN_NAMES, underHome, type Environment } from "./homes.ts";
import { invalidSetting } from "./invalid.ts";

export interface EnvFile {
  /** Absolute. */
  path: string;
  values: ReadonlyMap<string, string>;
  /** Numbers of lines of unknown form, from 1. */
  strange: readonly number[];
}

export interface EnvPlaces {
  env: Environment;
  cwd: string;
  /** Bellhop's own directory. */
  checkout: string;
  /** The value of `--env-file`. */
  named?: string | undefined;
}

/**
 * The files that exist, the strongest first.
 * @throws E_CONFIG_INVALID for one that exists but cannot be read, and for a named one that does not exist
 */
export function readEnvFiles({ env, cwd, checkout, named }: EnvPlaces): EnvFile[] {
  if (named !== undefined) return [read(env, resolve(cwd, underHome(named, homeOf(env)))) ?? missing(env, named)];
  const own = isSame(cwd, checkout) ? [join(checkout, ".env")] : [];
  return [...new Set([...own, join(configHome(env), "bellhop", ".env")])].flatMap((path) => read(env, path) ?? []);
}

/** `.env` in the working directory if it is not one of those that are read; one that cannot be read is ignored. */
export function unreadEnvFile({ env, cwd }: EnvPlaces, files: readonly EnvFile[]): EnvFile | undefined {
  const path = join(cwd, ".env");
  if (files.some((file) => isSame(file.path, path))) return undefined;
  try {
    return read(env, path);
  } catch {
    return undefined;
  }
}

/** What such a file seems meant to set and no other place sets: a token's name, `STATE_DIR`. */
export function valuesUnread(
  { values }: EnvFile,
  env: Environment,
  files: readonly EnvFile[],
): { token?: string; stateDir?: string } {
  const isGiven = (name: string): boolean =>
    [env[name], ...files.map((file) => file.values.get(name))].some((value) => value?.trim());
  const token = TOKEN_NAMES.some(isGiven) ? undefined : TOKEN_NAMES.find((name) => values.get(name)?.trim());
  const stateDir = !isGiven("STATE_DIR") && values.get("STATE_DIR")?.trim() ? "STATE_DIR" : undefined;
  return { ...(token && { token }), ...(stateDir && { stateDir }) };
}

/** The folder against which relative paths in the file are resolved. */
export function folderOf({ path }: EnvFile): string {
  return dirname(path);
}

function read(env: Environment, path: string): EnvFile | undefined {
  try {
    return { path, ...parseDotenv(readFileSync(path, "utf8")) };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return undefined;
    throw unreadable(env, path, `${path}: ${errnoOf(error)}`);
  }
}

function missing(env: Environment, named: string): never {
  throw unreadable(env, named, undefined);
}

function unreadable(env: Environment, path: string, found: string | undefined): Error {
  const [want, mend] = ["config.want.readable_file", "config.mend.readable_file"] as const;
  return invalidSetting(localeFrom(env["BELLHOP_LOCALE"]), {
    where: found === undefined ? "--env-file" : ".env",
    found: found ?? path,
    want,
    mend,
    args: { path },
  });
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/*
 * Reads and changes the text of a `.env` file. Its values are returned to the caller and never put into the process's
 * own environment, where every child could read them.
 */

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

/**
 * Names and values; later lines win. Takes `NAME=value`, `export NAME=value`, comments, single quotes (literal), double
 * quotes (with \n, \t, \" and \\) and unquoted values up to ` #`. A value is on one line; lines of any other form are
 * returned by number, from 1.
 */
export function parseDotenv(text: string): { values: Map<string, string>; strange: number[] } {
  const values = new Map<string, string>();
  const strange: number[] = [];
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, rest] = LINE.exec(line) ?? [];
    const value = rest === undefined ? undefined : unquoted(rest.trimStart());
    if (name === undefined || value === undefined) strange.push(index + 1);
    else values.set(name, value);
  }
  return { values, strange };
}

const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

/** The value, or undefined if a quote is not closed or something follows it. */
function unquoted(rest: string): string | undefined {
  const quote = rest[0];
  if (quote === "'") return /^'([^']*)'\s*(?:#.*)?$/.exec(rest)?.[1];
  if (quote === '"') {
    const inner = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(rest)?.[1];
    return inner?.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter);
  }
  return rest.replace(/(?:^|\s)#.*$/s, "").trimEnd();
}

/**
 * The text with these values set: lines that would not change stay as they are, comments too.
 * @param values none of them with a line break or a single quote
 * @param gone names whose lines are removed
 */
export function withVariables(text: string, values: Readonly<Record<string, string>>, gone: readonly string[]): string {
  const left = new Map(Object.entries(values));
  const known = parseDotenv(text).values;
  const kept = text
    .replace(/\n$/, "")
    .split("\n")
    .flatMap((line) => {
      const name = LINE.exec(line.trim())?.[1] ?? "";
      if (gone.includes(name)) return [];
      const value = left.get(name);
      left.delete(name);
      return value === undefined || known.get(name) === value ? [line] : [`${name}='${value}'`];
    });
  return `${[...kept, ...[...left].map(([name, value]) => `${name}='${value}'`)].join("\n")}\n`;
}

/** Whether systemd, Node and Bellhop all read it the same: between single quotes, on one line. */
export function fitsInQuotes(value: string): boolean {
  return !/['\0-\x1f\x7f]/.test(value);
}

/*
 * Every variable Bellhop reads from the environment or `.env`, with its default and a sentence. No other variable is
 * read; `docs/settings.md` is generated from it.
 */

interface Variable {
  /** What it sets, in one sentence. */
  sentence: string;
  /** The default, in words. */
  otherwise: string;
}

const table = {
  DISCORD_BOT_TOKEN: { sentence: "The bot's token, with or without `Bot ` before it.", otherwise: "none" },
  DISCORD_TOKEN: { sentence: "Another name for the bot's token.", otherwise: "none" },
  DISCORD_TOKEN_FILE: {
    sentence: "A file with the bot's token that only you may read (mode 0600). The safest of the three.",
    otherwise: "none",
  },
  DISCORD_APP_ID: {
    sentence: "The id of the bot's application. With the token of another one, Bellhop does not start.",
    otherwise: "read from Discord",
  },
  DISCORD_OWNER_ID: {
    sentence: "The user id of the owner, the one person Bellhop obeys.",
    otherwise: "`owner_id` of config.json, else the application's owner",
  },
  DISCORD_ALLOWED_USER_ID: { sentence: "Another name for the owner's user id.", otherwise: "none" },
  DISCORD_GUILD_ID: {
    sentence: "The server (guild) to serve.",
    otherwise: "the guild of DISCORD_CHANNEL_ID, else the only one the bot is in",
  },
  DISCORD_CHANNEL_ID: {
    sentence: "The channel for questions that belong to no thread. What you write there goes into the inbox.",
    otherwise: "none",
  },
  PROJECT_NAME: { sentence: "The project named in questions asked over MCP.", otherwise: "none" },
  PENDING_DIR: { sentence: "Where open questions are mirrored as files.", otherwise: "`~/.claude/pending_decisions`" },
  POLL_INTERVAL_SECONDS: {
    sentence: "Seconds between two checks for messages and answers while the gateway is disconnected.",
    otherwise: "5",
  },
  STATE_DIR: {
    sentence: "The directory where Bellhop keeps everything: journal, config.json, results.",
    otherwise: "`bellhop` in the platform's state directory",
  },
  LOG_DIR: { sentence: "Where the logs go.", otherwise: "`logs` in STATE_DIR" },
  AGENT_COMMAND: {
    sentence: "The command of the tool `acp`, as a JSON array of strings.",
    otherwise: "`claude-agent-acp`, else `claude-code-acp`; in the sandbox, without either, a demo agent",
  },
  PROJECTS: {
    sentence:
      "Directories to register as projects, as a JSON array of absolute paths, numbered in order. One that is " +
      "missing is registered too, and unavailable; an entry that is no absolute path is left out.",
    otherwise: "none",
  },
  PROJECT_ROOTS: {
    sentence:
      "Directories whose repositories are registered as projects at each start, by path: as a JSON array of " +
      "absolute paths. Two levels deep, 200 repositories at most.",
    otherwise: "none",
  },
  BELLHOP_LOCALE: {
    sentence:
      `The language of Bellhop's messages: ${locales.map((locale) => `\`${locale}\``).join(", ")}. ` +
      "What only one person sees is in the language of their Discord.",
    otherwise: "the system's, else `en`",
  },
  BELLHOP_DISCORD_API: {
    sentence: "The base address of a Discord-compatible REST API, to which `/v10/…` is appended.",
    otherwise: "`https://discord.com/api`",
  },
} as const satisfies Record<string, Variable>;

export type VariableName = keyof typeof table;

export const variables: Readonly<Record<VariableName, Variable>> = table;

export function isVariable(name: string): name is VariableName {
  return Object.hasOwn(variables, name);
}
