/**
 * What a verb uses instead of the process itself: where it writes, the environment, and how commands are typed in it.
 * Tests pass their own and read what would have been printed.
 */
import { localeFrom, type Locale } from "../base/words/say.ts";

const COMMAND = /\bbellhop (doctor|hooks|init|journal|logs|mcp|sandbox|service|start|status|tail|watch)( -)?/g;
/** The names of the scripts of package.json that run it. */
const SCRIPTS = new Set(["start", "init", "bellhop"]);

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

/**
 * Bellhop's commands as the person at this shell types them: whoever runs them with npm in a checkout has no `bellhop`
 * in PATH, so `bellhop init` is `npm run init` there.
 */
export function asTyped({ env }: Pick<Io, "env">, text: string): string {
  if (env["npm_package_name"] !== "bellhop" || !SCRIPTS.has(env["npm_lifecycle_event"] ?? "")) return text;
  return text.replace(COMMAND, (_command, verb: string, option = "") => {
    if (verb !== "start" && verb !== "init") return `npm run bellhop -- ${verb}${option}`;
    return `npm ${verb === "init" ? "run " : ""}${verb}${option === "" ? "" : ` --${option}`}`;
  });
}
