/**
 * What a verb uses instead of the process itself: where it writes, and the environment. Tests pass their own and read
 * what would have been printed.
 */
import { localeFrom, type Locale } from "../base/words/say.ts";

export interface Io {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  env: Readonly<Record<string, string | undefined>>;
  /** The value of `--env-file`: a settings file that is read instead of the usual ones. */
  envFile?: string;
}

/** The locale that the environment asks for. */
export function localeOf(env: Io["env"]): Locale {
  return localeFrom(env["BELLHOP_LOCALE"] || env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"]);
}

/** Prints whole lines to standard output. */
export function print(io: Io, lines: readonly string[]): void {
  if (lines.length > 0) io.stdout.write(`${lines.join("\n")}\n`);
}
