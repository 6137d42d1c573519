/**
 * The settings of a verb: from the environment and from the `.env` files that are read. A start is refused if an `.env`
 * that is not read seems to be meant: otherwise a second, empty daemon would start.
 */
import { join } from "node:path";
import type { BellhopError } from "../../base/errors.ts";
import { say } from "../../base/words/say.ts";
import { valuesUnread, readEnvFiles, unreadEnvFile, type EnvFile, type EnvPlaces } from "../../config/env-files.ts";
import { configHome } from "../../config/homes.ts";
import { invalidSetting } from "../../config/invalid.ts";
import { loadSettings, type Environment, type Settings } from "../../config/settings.ts";
import { localeOf, type Io } from "../io.ts";

/** What the settings start: a daemon with a bot, one with a Discord of its own, or nothing. */
export type Begins = "bot" | "sandbox" | "nothing";

/** Who was already told about an unread file. */
const warned = new WeakSet<Io>();

/**
 * @param ignored variables that count as not set, wherever they are
 * @throws E_CONFIG_INVALID for a wrong setting, and for a start that needs a file which is not read
 */
export function settingsHere(io: Io, begins: Begins, ignored: readonly string[] = []): Settings {
  const env = without(io.env, ignored);
  const at = placesOf(io, env);
  const files = readEnvFiles(at).map((file) => ({
    ...file,
    values: new Map([...file.values].filter(([name]) => !ignored.includes(name))),
  }));
  const settings = loadSettings(env, at.cwd, files);
  heedUnread(io, at, files, begins);
  return settings;
}

/** The `.env` files that a verb reads here, the strongest first. */
export function envFilesHere(io: Io): EnvFile[] {
  return readEnvFiles(placesOf(io, io.env));
}

function placesOf(io: Io, env: Environment): EnvPlaces {
  return { env, cwd: process.cwd(), checkout: join(import.meta.dirname, ".."), named: io.envFile };
}

function heedUnread(io: Io, at: EnvPlaces, files: readonly EnvFile[], begins: Begins): void {
  if (at.named !== undefined) return;
  if (begins === "nothing") return void noteUnread(io, at, files);
  const refusal = unreadRefusal(at, files, begins);
  if (refusal !== undefined) throw refusal;
}

/** The error if an unread file seems to be meant for this start; else undefined. */
export function unreadRefusal(
  at: EnvPlaces,
  files: readonly EnvFile[],
  begins: Exclude<Begins, "nothing">,
): BellhopError | undefined {
  const unread = unreadEnvFile(at, files);
  if (unread === undefined) return undefined;
  const { token, stateDir } = valuesUnread(unread, at.env, files);
  const found = (begins === "bot" ? token : undefined) ?? stateDir;
  if (found === undefined) return undefined;
  const args = { path: unread.path, config: join(configHome(at.env), "bellhop", ".env") };
  return invalidSetting(localeOf(at.env), {
    where: unread.path,
    found,
    want: "config.want.unread",
    mend: "config.mend.unread",
    args,
  });
}

/** Warns once, for verbs that only look, that this may be another daemon than expected. */
function noteUnread(io: Io, at: EnvPlaces, files: readonly EnvFile[]): void {
  const unread = unreadEnvFile(at, files);
  if (unread === undefined || valuesUnread(unread, at.env, files).stateDir === undefined || warned.has(io)) return;
  warned.add(io);
  io.stderr.write(`${say(localeOf(at.env), "cli.unread", { path: unread.path })}\n`);
}

function without(env: Environment, names: readonly string[]): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
