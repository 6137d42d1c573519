/**
 * The settings a service starts with, from this shell and from the `.env` files that are read: Bellhop's own, and those
 * of the agents' vendors. They are in a file only its owner can read, never in the unit; the token is in a third file,
 * so that it is in no process's environment.
 */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../../base/disk.ts";
import { fitsInQuotes, parseDotenv, withVariables } from "../../config/dotenv.ts";
import { readEnvFiles } from "../../config/env-files.ts";
import { loadSettings, givenValues, type Environment, type Settings } from "../../config/settings.ts";
import { tokenMissing } from "../../config/token.ts";
import { scrubbedEnvironment } from "../../host/processes/environment.ts";
import { unreadRefusal } from "../start/settings-here.ts";
import type { Machine } from "./machine.ts";

export interface ServiceSettings {
  settings: Settings;
  /** The file's new content. */
  text: string;
  /** The names of the settings in it. */
  names: string[];
  /** Names of values that cannot be written to it. */
  omitted: string[];
  /** The token, if it is to get its own file; undefined if the owner has made one. */
  token: string | undefined;
}

const CARRIERS = ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"];
/** Variables for agents that belong to the session and not to the owner, or that a service gets anyway. */
const OF_THE_SESSION =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|SSH_AUTH_SOCK|XDG_(?!CONFIG_HOME$|DATA_HOME$|STATE_HOME$|CACHE_HOME$).*)$/;
const HEADING = "# Settings of the service, kept by `bellhop service install`; yours to edit.\n";

/**
 * A value set here wins over one that an earlier installation wrote; what is not set here stays.
 * @param file path of the settings file, which need not exist
 * @param tokenFile path of the token file
 * @throws E_CONFIG_INVALID for a wrong setting, or without a token
 */
export function serviceSettings(machine: Machine, file: string, tokenFile: string): ServiceSettings {
  const { cwd, locale } = machine;
  const env = { ...machine.env, HOME: machine.home };
  const at = { env, cwd, checkout: dirname(dirname(machine.program)), named: machine.envFile };
  const files = readEnvFiles(at);
  const unread = at.named === undefined ? unreadRefusal(at, files, "bot") : undefined;
  if (unread !== undefined) throw unread;
  // What is forbidden in a file must not reach the service through its environment either.
  loadSettings(env, cwd, files);
  const before = textOf(file);
  const here = givenValues(env, cwd, files);
  const all: Environment = { ...Object.fromEntries(parseDotenv(before).values), ...env, ...withoutOldToken(here) };
  const settings = loadSettings(all, cwd);
  if (settings.token === undefined) throw tokenMissing(locale);
  const { value, from } = settings.token;
  const own = from === "DISCORD_TOKEN_FILE" ? givenValues(all, cwd)["DISCORD_TOKEN_FILE"] : undefined;
  const values: Record<string, string> = {
    ...carried(here, env, value),
    STATE_DIR: settings.stateDir,
    DISCORD_TOKEN_FILE: own ?? tokenFile,
  };
  const omitted = Object.keys(values).filter((name) => !fitsInQuotes(values[name] ?? ""));
  for (const name of omitted) delete values[name];
  const text = withVariables(
    before === "" ? HEADING : before,
    values,
    values["DISCORD_TOKEN_FILE"] === undefined ? [] : CARRIERS,
  );
  const names = [...parseDotenv(text).values.keys()].sort();
  return { settings, text, names, omitted, token: own === undefined ? value : undefined };
}

/** If a token is set here, the token file named by an earlier installation is ignored. */
function withoutOldToken(here: Readonly<Record<string, string>>): Environment {
  return CARRIERS.some((name) => here[name]) ? { DISCORD_TOKEN_FILE: undefined, ...here } : here;
}

function carried(here: Readonly<Record<string, string>>, env: Environment, token: string): Record<string, string> {
  const ours = Object.entries(here).filter(([name]) => !CARRIERS.includes(name));
  const agents = Object.entries(scrubbedEnvironment({ from: filled(env), passEnv: [], secrets: [token] })).filter(
    ([name]) => !OF_THE_SESSION.test(name),
  );
  return Object.fromEntries([...ours, ...agents]);
}

function filled(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // A path blocked by something that is not a directory is reported when it is written.
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return "";
    throw error;
  }
}
