/**
 * What a verb uses instead of the process itself: where it writes, the environment, and how commands are typed in it.
 * Tests pass their own and read what would have been printed.
 */
import { once } from "node:events";
import { forTerminal } from "../base/terminal-text.ts";
import { localeFrom, type Locale, type WordArgs, type WordKey } from "../base/words/say.ts";

const COMMAND =
  /\bbellhop (backup|doctor|forget|hooks|init|journal|lock|logs|mcp|sandbox|service|start|status|tail|unlock|watch)( -)?/g;
/** The names of the scripts of package.json that run it. */
const SCRIPTS = new Set(["start", "init", "bellhop"]);

export interface Output {
  /** False: it takes more only when it is drained. */
  write(text: string): unknown;
  drained?(): Promise<unknown>;
}

/** The terminal that standard output is. */
export interface StdoutScreen {
  readonly columns: number;
  /** Writes as it is: for our own colours and cursor movements, and for no word from anywhere else. */
  draw(ours: string): void;
}

export interface Io {
  stdout: Output;
  stderr: Output;
  /** Undefined where standard output is no terminal. */
  screen?: StdoutScreen;
  env: Readonly<Record<string, string | undefined>>;
  /** The value of `--env-file`: a settings file that is read instead of the usual ones. */
  envFile?: string;
  /** Where compiled code would be kept between starts, if something is there that others may have put there. */
  unsafe?: string | undefined;
}

/** Prints a sentence of ours, in the locale. */
export type Tell = (key: WordKey, args?: WordArgs) => void;

/** The locale that the environment asks for. */
export function localeOf(env: Io["env"]): Locale {
  return localeFrom(env["BELLHOP_LOCALE"] || env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"]);
}

/** The same, but nothing that is printed can make a terminal do anything. */
export function withoutControlSequences(io: Io): Io {
  const { stdout } = process;
  const isTerminal = io.stdout === stdout && stdout.isTTY === true;
  const screen: StdoutScreen = {
    get columns() {
      return stdout.columns ?? 80;
    },
    draw: (ours) => void stdout.write(ours),
  };
  return { ...io, stdout: guardedOutput(io.stdout), stderr: guardedOutput(io.stderr), ...(isTerminal && { screen }) };
}

function guardedOutput(output: Output): Output {
  const stream = [process.stdout, process.stderr].find((one) => one === output);
  return {
    write: (text) => output.write(forTerminal(text)),
    drained: async () => stream?.writableNeedDrain && once(stream, "drain"),
  };
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
