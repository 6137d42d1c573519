/**
 * The settings a service starts with, taken from this shell and from `.env` here: Bellhop's own, and what the agents'
 * vendors read. They stand in a file only its owner can read, never in the unit; the token stands in a third, so that
 * it is in no process's environment.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errnoOf } from "../../base/disk.ts";
import { parseDotenv } from "../../config/dotenv.ts";
import { isVariable } from "../../config/environment.ts";
import { loadSettings, type Environment, type Settings } from "../../config/settings.ts";
import { tokenMissing } from "../../config/token.ts";
import { scrubbedEnvironment } from "../../host/environment.ts";
import type { Machine } from "./machine.ts";

export interface ServiceSettings {
  settings: Settings;
  /** The file's new text. */
  text: string;
  /** What is in it, by name. */
  names: string[];
  /** Names of values that cannot stand in it. */
  omitted: string[];
  /** The token where it is to have a file of its own; undefined where the owner has made one. */
  token: string | undefined;
}

const CARRIERS = ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"];
/** Of what agents get, what is the session's and not the owner's, or comes to a service by itself. */
const OF_THE_SESSION = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|SSH_AUTH_SOCK|XDG_(?!CONFIG_HOME$|DATA_HOME$|STATE_HOME$|CACHE_HOME$).*)$/;
const PATHS = new Set(["STATE_DIR", "LOG_DIR", "PENDING_DIR"]);
const LINE = /^(?:export\s+)?([A-Za-z_]\w*)\s*=/;

/**
 * What is set here wins over what an earlier installation wrote; what is not set here stays as it was.
 * @param file where the settings stand, or will
 * @param tokenFile where the token is to stand
 * @throws E_CONFIG_INVALID for a wrong setting, and where there is no token
 */
export function serviceSettings(machine: Machine, file: string, tokenFile: string): ServiceSettings {
  const { env, cwd, locale } = machine;
  const before = textOf(file);
  const here = { ...Object.fromEntries(parseDotenv(textOf(join(cwd, ".env"))).values), ...filled(env) };
  const all: Environment = { ...Object.fromEntries(parseDotenv(before).values), ...withoutOldToken(here), HOME: machine.home };
  const named = all["DISCORD_TOKEN_FILE"] && resolve(cwd, all["DISCORD_TOKEN_FILE"]);
  const settings = loadSettings({ ...all, DISCORD_TOKEN_FILE: named }, cwd);
  if (settings.token === undefined) throw tokenMissing(locale);
  const { value, from } = settings.token;
  const own = from === "DISCORD_TOKEN_FILE" ? named : undefined;
  const values: Record<string, string> = { ...carried(here, value, cwd), STATE_DIR: settings.stateDir, DISCORD_TOKEN_FILE: own ?? tokenFile };
  const omitted = Object.keys(values).filter((name) => !fits(values[name] ?? ""));
  for (const name of omitted) delete values[name];
  const text = merged(before, values);
  const names = [...parseDotenv(text).values.keys()].sort();
  return { settings, text, names, omitted, token: own === undefined ? value : undefined };
}

/** Where a token is set here, a file that an earlier installation named is not what is meant. */
function withoutOldToken(here: Environment): Environment {
  return CARRIERS.some((name) => here[name]) ? { DISCORD_TOKEN_FILE: undefined, ...here } : here;
}

function carried(here: Environment, token: string, cwd: string): Record<string, string> {
  const ours = Object.entries(here).filter(([name]) => isVariable(name) && !CARRIERS.includes(name));
  const agents = Object.entries(scrubbedEnvironment({ from: here, passEnv: [], secrets: [token] })).filter(([name]) => !OF_THE_SESSION.test(name));
  const all = [...ours, ...agents].flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, PATHS.has(name) ? resolve(cwd, value) : value]]));
  return Object.fromEntries(all);
}

/** Lines that say the same stay as they are, comments and all. */
function merged(before: string, values: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(values));
  const known = parseDotenv(before).values;
  const lines = before === "" ? ["# Settings of the service, kept by `bellhop service install`; yours to edit."] : before.replace(/\n$/, "").split("\n");
  const kept = lines.flatMap((line) => {
    const name = LINE.exec(line.trim())?.[1] ?? "";
    if (CARRIERS.includes(name) && values["DISCORD_TOKEN_FILE"] !== undefined) return [];
    const value = left.get(name);
    left.delete(name);
    return value === undefined || known.get(name) === value ? [line] : [`${name}='${value}'`];
  });
  return `${[...kept, ...[...left].map(([name, value]) => `${name}='${value}'`)].join("\n")}\n`;
}

/** As systemd, Node and Bellhop itself all read it: between single quotes, on one line. */
function fits(value: string): boolean {
  return !/['\0-\x1f\x7f]/.test(value);
}

function filled(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // Something that is no directory in its way is told when it is written to.
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return "";
    throw error;
  }
}
