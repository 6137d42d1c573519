/**
 * Where the bot token comes from: the environment, or a file that only its owner can read. Errors contain no part of
 * the token.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { errnoOf } from "../base/disk.ts";
import type { Locale, WordKey } from "../base/words/say.ts";
import { TOKEN_NAMES } from "./homes.ts";
import { FoundSecret, invalidSetting } from "./invalid.ts";

export interface Token {
  /** Without the prefix `Bot `. */
  value: string;
  /** The variable that set it. */
  from: string;
}

/** The value of each; for the file, its absolute path. */
export type TokenSources = Readonly<Record<(typeof TOKEN_NAMES)[number], string | undefined>>;

/** A Discord bot token: the bot's id in base64, a time, a signature. */
const SHAPE = /^[\w-]{22,40}\.[\w-]{4,12}\.[\w-]{25,110}$/;
const LONGEST_FILE = 4096;

/**
 * The token, or undefined if no variable names one. The first of the three that is set is used.
 * @param ownServer true if a Discord other than the real one is configured, whose tokens may have any form
 * @throws E_CONFIG_INVALID for a malformed token and for a file that is not private
 */
export function readToken(locale: Locale, sources: TokenSources, ownServer: boolean): Token | undefined {
  for (const from of TOKEN_NAMES) {
    const given = sources[from];
    if (given === undefined) continue;
    const text = from === "DISCORD_TOKEN_FILE" ? readPrivate(locale, from, given) : given;
    return { value: tokenIn(locale, text, { from, name: from, ownServer }), from };
  }
  return undefined;
}

/**
 * The token in a private file. @param from the setting that names it
 * @throws E_CONFIG_INVALID as `readToken`
 */
export function readTokenFile(
  locale: Locale,
  { from, path }: { from: string; path: string },
  ownServer: boolean,
): string {
  return tokenIn(locale, readPrivate(locale, from, path), { from, name: path, ownServer });
}

/** @param name of what the token is to be put into */
function tokenIn(
  locale: Locale,
  text: string,
  { from, name, ownServer }: { from: string; name: string; ownServer: boolean },
): string {
  const value = text.trim().replace(/^Bot\s+/i, "");
  if (isTokenShaped(value, ownServer)) return value;
  throw invalidSetting(locale, {
    where: from,
    found: value === "" ? undefined : new FoundSecret(value),
    want: "config.want.token",
    mend: "config.mend.token",
    args: { name },
  });
}

/** Whether this may be a bot token. @param ownServer as for `readToken` */
export function isTokenShaped(value: string, ownServer: boolean): boolean {
  return (ownServer ? /^[\x21-\x7e]+$/ : SHAPE).test(value);
}

/** The error for a missing token, for commands that need one. */
export function tokenMissing(locale: Locale): Error {
  return invalidSetting(locale, {
    where: "DISCORD_BOT_TOKEN",
    found: undefined,
    want: "config.want.token",
    mend: "config.mend.token_missing",
  });
}

function readPrivate(locale: Locale, from: string, path: string): string {
  const refuse = (found: unknown, mend: WordKey = "config.mend.private_file"): Error =>
    invalidSetting(locale, { where: from, found, want: "config.want.private_file", mend, args: { path } });
  let fd: number;
  try {
    // Without O_NONBLOCK a named pipe would block the start forever.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === "ENOENT" ? refuse(undefined, "config.mend.no_file") : refuse(`${path}: ${errno}`);
  }
  try {
    const file = fstatSync(fd);
    if (!file.isFile() || file.size > LONGEST_FILE) throw refuse(path);
    if (process.platform !== "win32") {
      if (file.uid !== process.getuid?.()) throw refuse(`${path} (uid ${file.uid})`);
      if ((file.mode & 0o077) !== 0) throw refuse(`${path} (mode ${(file.mode & 0o777).toString(8).padStart(4, "0")})`);
    }
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

const others: readonly [RegExp, WordKey][] = [
  [/^\d{17,20}$/, "cli.init.is_id"],
  [/^[0-9a-f]{64}$/i, "cli.init.is_public_key"],
  [/^https?:\/\/\S*\/webhooks\//i, "cli.init.is_webhook"],
  [/^https?:\/\//i, "cli.init.is_link"],
  [/^mfa\./, "cli.init.is_person"],
  [/^[\w-]{32}$/, "cli.init.is_secret"],
];

/**
 * Why this is no bot token; undefined if it may be one. Recognizes what people copy from Discord's pages by mistake.
 * @param ownServer as for `readToken`
 */
export function notAToken(typed: string, ownServer: boolean): WordKey | undefined {
  const text = typed.trim().replace(/^Bot\s+/i, "");
  if (text === "") return "cli.init.is_empty";
  return (
    others.find(([pattern]) => pattern.test(text))?.[1] ??
    (isTokenShaped(text, ownServer) ? undefined : "cli.init.is_other")
  );
}
