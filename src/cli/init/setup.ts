/** What the steps of the set-up share: the settings as they are now, where they are written, and who is asked. */
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { nodeDisk, writeAtomically } from "../../base/disk.ts";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../../base/words/say.ts";
import { fitsInQuotes, withVariables } from "../../config/env-files.ts";
import { configHome, homeOf, TOKEN_NAMES, underHome } from "../../config/homes.ts";
import type { Settings } from "../../config/settings.ts";
import { asTyped, type Io } from "../io.ts";
import { envFilesHere, settingsHere } from "../start/settings-here.ts";
import type { Prompts } from "./prompts.ts";

/** What the command line answers. */
export interface Flags {
  tokenFile?: string | undefined;
  server?: string | undefined;
  channel?: string | undefined;
  projects: readonly string[];
  run?: string | undefined;
}

export interface Setup {
  readonly io: Io;
  readonly locale: Locale;
  readonly flags: Flags;
  readonly prompts: Prompts;
  /** As they are now; read again after each change. */
  settings: Settings;
  /** Whether anything was changed that a running daemon reads only at its start. */
  changed: boolean;
  /** The files that the person was already told about. */
  readonly written: Set<string>;
}

/** Where a token is kept that has no file of its own yet. */
export function ownTokenFile({ io }: Setup): string {
  return join(configHome(io.env), "bellhop", "token");
}

/** The settings; without a token, and with the reason, if the one that is set cannot be read. */
export function readSettings(io: Io): { settings: Settings; broken?: BellhopError } {
  try {
    return { settings: settingsHere(io, "nothing") };
  } catch (error) {
    const mine =
      error instanceof BellhopError && (TOKEN_NAMES as readonly string[]).includes(String(error.details["where"]));
    // The environment wins over everything that could be written to a file.
    if (!mine || inEnvironment(io)) throw error;
    return { settings: settingsHere(io, "nothing", TOKEN_NAMES), broken: error };
  }
}

export function inEnvironment({ env }: Io): boolean {
  return TOKEN_NAMES.some((name) => env[name]?.trim());
}

/** The path that an owner typed. */
export function typedPath({ io }: Setup, path: string): string {
  return resolve(underHome(path, homeOf(io.env)));
}

/** Writes a file that only its owner can read. */
export async function writePrivate(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtomically(nodeDisk, path, Buffer.from(content));
}

/**
 * Sets these values in the `.env` file that is read here, the strongest of them, and reads the settings again.
 * @param gone names that must not be set there any more
 */
export async function save(
  setup: Setup,
  values: Readonly<Record<string, string>>,
  gone: readonly string[] = [],
): Promise<void> {
  const { io, prompts, locale } = setup;
  const wrong = Object.entries(values).find(([, value]) => !fitsInQuotes(value));
  if (wrong !== undefined)
    throw new BellhopError("E_CONFIG_INVALID", {
      where: wrong[0],
      found: wrong[1],
      expected: say(locale, "config.want.absolute_path"),
      mend: say(locale, "cli.init.plain_path"),
    });
  const path = envFilesHere(io)[0]?.path ?? join(configHome(io.env), "bellhop", ".env");
  const before = await readFile(path, "utf8").catch(() => "");
  const after = withVariables(before === "" ? `# ${say(locale, "cli.init.heading")}\n` : before, values, gone);
  if (after !== before) {
    await writePrivate(path, after);
    setup.changed = true;
    if (!setup.written.has(path)) prompts.done(say(locale, "cli.service.wrote", { path }));
    setup.written.add(path);
  }
  setup.settings = settingsHere(io, "nothing");
}

export function sayTo({ io, locale }: Setup): (key: WordKey, args?: WordArgs) => string {
  return (key, args) => asTyped(io, say(locale, key, args));
}
