/**
 * Which `.env` files are read: the one in Bellhop's own checkout when it is started there, and the one in the user's
 * configuration directory; or, instead of both, the one the owner names. A file that is merely in the working directory
 * is never read: agents' repositories are there too, and anyone who can write to one could choose where the token goes.
 */
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errnoOf } from "../base/disk.ts";
import { localeFrom } from "../base/words/say.ts";
import { parseDotenv } from "./dotenv.ts";
import { configHome, homeOf, TOKEN_NAMES, underHome, type Environment } from "./homes.ts";
import { invalid } from "./invalid.ts";

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
  return invalid(localeFrom(env["BELLHOP_LOCALE"]), {
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
