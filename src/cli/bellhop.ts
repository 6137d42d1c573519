/**
 * The command line: finds the verb, loads only what it needs, and turns any failure into one sentence and an exit code.
 * The codes are those of the error table, and sysexits' 64 for wrong usage.
 */
import { entryOf } from "../base/entry.ts";
import { BellhopError, codeOf, errors } from "../base/errors.ts";
import { pathRefusal } from "../base/path-refusal.ts";
import { terminalLine } from "../base/terminal-text.ts";
import { say, type Locale, type WordKey } from "../base/words/say.ts";
import { asTyped, withoutControlSequences, localeOf, type Io } from "./io.ts";
import { takeEnvFile, WrongCall } from "./options.ts";

/** Runs to its end and resolves to the exit code. `argv` holds only what follows the verb. */
export type Verb = (argv: readonly string[], io: Io) => Promise<number>;

interface VerbEntry {
  says: WordKey;
  /** Usage and purpose. */
  usage: WordKey;
  load(): Promise<Verb>;
  /** A client: it reads its settings from its environment only. */
  client?: true;
}

export const verbs: Record<string, VerbEntry> = {
  start: { says: "cli.start", usage: "cli.start.usage", load: async () => (await import("./start.ts")).start },
  sandbox: {
    says: "cli.sandbox",
    usage: "cli.sandbox.usage",
    load: async () => (await import("./sandbox.ts")).sandbox,
  },
  init: { says: "cli.init", usage: "cli.init.usage", load: async () => (await import("./init.ts")).init },
  doctor: { says: "cli.doctor", usage: "cli.doctor.usage", load: async () => (await import("./doctor.ts")).doctor },
  status: { says: "cli.status", usage: "cli.status.usage", load: async () => (await import("./status.ts")).status },
  logs: { says: "cli.logs", usage: "cli.logs.usage", load: async () => (await import("./logs.ts")).logs },
  tail: { says: "cli.tail", usage: "cli.tail.usage", load: async () => (await import("./tail.ts")).tail },
  forget: { says: "cli.forget", usage: "cli.forget.usage", load: async () => (await import("./forget.ts")).forget },
  mcp: { says: "cli.mcp", usage: "cli.mcp.usage", load: async () => (await import("./mcp.ts")).mcp, client: true },
  watch: {
    says: "cli.watch",
    usage: "cli.watch.usage",
    load: async () => (await import("./watch.ts")).watch,
    client: true,
  },
  service: { says: "cli.service", usage: "cli.service.usage", load: async () => (await import("./unit.ts")).service },
  hooks: { says: "cli.hooks", usage: "cli.hooks.usage", load: async () => (await import("./hooks.ts")).hooks },
  lock: { says: "cli.lock", usage: "cli.lock.usage", load: async () => (await import("./lock.ts")).lock },
  unlock: { says: "cli.unlock", usage: "cli.unlock.usage", load: async () => (await import("./lock.ts")).unlock },
  hook: { says: "cli.hook", usage: "cli.hook.usage", load: async () => (await import("./hook.ts")).hook, client: true },
  journal: {
    says: "cli.journal",
    usage: "cli.journal.usage",
    load: async () => (await import("./journal.ts")).journal,
  },
  backup: { says: "cli.backup", usage: "cli.backup.usage", load: async () => (await import("./backup.ts")).backup },
};

const EXIT_USAGE = 64;
const EXIT_INTERNAL = 70;
const HELP = new Set(["--help", "-h"]);

/**
 * Runs `bellhop <argv>`; resolves to the exit code and never rejects.
 * @param argv what follows the program's name
 */
export async function bellhop(argv: readonly string[], raw: Io): Promise<number> {
  const io = withoutControlSequences(raw);
  const [name, ...rest] = argv;
  const locale = localeOf(io.env);
  if (name !== undefined && (HELP.has(name) || name === "help")) return help(rest[0], locale, io);
  const verb = verbNamed(name);
  if (verb === undefined) {
    if (name !== undefined) io.stderr.write(`${say(locale, "cli.wrong.verb", { verb: terminalLine(name, 80) })}\n`);
    io.stderr.write(usage(locale));
    return EXIT_USAGE;
  }
  if (rest.some((word) => HELP.has(word))) return help(name, locale, io);
  try {
    const { argv: own, envFile } = verb.client ? { argv: rest } : takeEnvFile(rest);
    return await (
      await verb.load()
    )(own, envFile === undefined ? io : { ...io, envFile });
  } catch (error) {
    if (!(error instanceof WrongCall)) return failed(error, locale, io);
    io.stderr.write(`${say(locale, error.key, error.args)}\n\n${say(locale, verb.usage)}\n`);
    return EXIT_USAGE;
  }
}

function verbNamed(name: string | undefined): VerbEntry | undefined {
  return name === undefined ? undefined : entryOf(verbs, name);
}

function help(name: string | undefined, locale: Locale, io: Io): number {
  const verb = verbNamed(name);
  io.stdout.write(verb === undefined ? usage(locale) : `${say(locale, verb.usage)}\n`);
  return 0;
}

function failed(thrown: unknown, locale: Locale, io: Io): number {
  const error = pathRefusal(thrown) ?? thrown;
  const code = codeOf(error);
  const details = error instanceof BellhopError ? error.details : {};
  io.stderr.write(`${code}: ${asTyped(io, say(locale, code, details))}\n`);
  // An unexpected error is useful only with its stack.
  if (!(error instanceof BellhopError)) io.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return errors[code].exit ?? EXIT_INTERNAL;
}

function usage(locale: Locale): string {
  const width = Math.max(...Object.keys(verbs).map((name) => name.length));
  const lines = Object.entries(verbs).map(([name, { says }]) => `  ${name.padEnd(width)}  ${say(locale, says)}`);
  return [say(locale, "cli.usage"), "", ...lines, "", say(locale, "cli.help_verb"), say(locale, "cli.help"), ""].join(
    "\n",
  );
}
