/**
 * What a verb is given instead of the process itself: where it may write and what the environment says. A test
 * hands in its own and reads what would have been printed.
 */
import { localeFrom, type Locale } from "../base/words/say.ts";

export interface Io {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
}

/** The language the environment asks for. */
export function localeOf(env: Io["env"]): Locale {
  return localeFrom(env["BELLHOP_LOCALE"] || env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"]);
}

/** Whole lines to standard output. */
export function print(io: Io, lines: readonly string[]): void {
  if (lines.length > 0) io.stdout.write(`${lines.join("\n")}\n`);
}
