/**
 * The command line: finds the verb, loads only what that verb needs, and turns whatever goes wrong into one
 * sentence and an exit code. The codes are those of the error table, and sysexits' 64 for a wrong call.
 */
import { BellhopError, codeOf, errors } from "../base/errors.ts";
import { localeFrom, say, type Locale, type WordKey } from "../base/words/say.ts";
import type { Io } from "./io.ts";

/** Runs to its end; resolves to the exit code. Reads no more of the command line than what follows its name. */
export type Verb = (argv: readonly string[], io: Io) => Promise<number>;

interface Entry {
  says: WordKey;
  load(): Promise<Verb>;
}

const verbs: Record<string, Entry> = {
  start: { says: "cli.start", load: async () => (await import("./start.ts")).start },
  sandbox: { says: "cli.sandbox", load: async () => (await import("./sandbox.ts")).sandbox },
  journal: { says: "cli.journal", load: async () => (await import("./journal.ts")).journal },
};

const EXIT_USAGE = 64;
const EXIT_INTERNAL = 70;

/**
 * Runs `bellhop <argv>`; resolves to the exit code and never rejects.
 * @param argv what follows the program's name
 */
export async function bellhop(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  const locale = localeFrom(io.env["BELLHOP_LOCALE"] || io.env["LC_ALL"] || io.env["LC_MESSAGES"] || io.env["LANG"]);
  if (name === "--help" || name === "-h" || name === "help") {
    io.stdout.write(usage(locale));
    return 0;
  }
  const verb = name !== undefined && Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    if (name !== undefined) io.stderr.write(`${say(locale, "cli.unknown_verb", { verb: name })}\n`);
    io.stderr.write(usage(locale));
    return EXIT_USAGE;
  }
  try {
    return await (await verb.load())(rest, io);
  } catch (error) {
    return failed(error, locale, io);
  }
}

function failed(error: unknown, locale: Locale, io: Io): number {
  const code = codeOf(error);
  const details = error instanceof BellhopError ? error.details : {};
  io.stderr.write(`${code}: ${say(locale, code, details)}\n`);
  // What nobody foresaw is of use only with its stack.
  if (!(error instanceof BellhopError)) io.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return errors[code].exit ?? EXIT_INTERNAL;
}

function usage(locale: Locale): string {
  const width = Math.max(...Object.keys(verbs).map((name) => name.length));
  const lines = Object.entries(verbs).map(([name, { says }]) => `  ${name.padEnd(width)}  ${say(locale, says)}`);
  return [say(locale, "cli.usage"), "", ...lines, "", say(locale, "cli.help"), ""].join("\n");
}
