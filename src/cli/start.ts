/**
 * `bellhop start`: the daemon, in the foreground until it is told to stop or cannot go on. Prints one line when it
 * accepts messages. Without a token it is the sandbox: the same daemon with a Discord of its own.
 */
import { parseArgs } from "node:util";
import { say } from "../base/words/say.ts";
import { loadSettings } from "../config/settings.ts";
import { runDaemon } from "./foreground.ts";
import { leaveTokenBehind, takeHandedToken } from "./handover.ts";
import type { Io } from "./io.ts";

const EXIT_USAGE = 64;

/** `--json` makes the line an object. Resolves to the exit code when the daemon has ended. */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  const json = readOptions(argv);
  if (json === null) {
    io.stderr.write(`${say("en", "cli.start_usage")}\n`);
    return EXIT_USAGE;
  }
  const handed = takeHandedToken(io.env);
  const settings = loadSettings(handed, process.cwd());
  if (!settings.token) return (await import("./sandbox.ts")).sandbox(argv, io);
  if (handed === io.env) leaveTokenBehind(io.env, settings.stateDir);
  return runDaemon(settings, io, json);
}

function readOptions(argv: readonly string[]): boolean | null {
  try {
    const { values } = parseArgs({ args: [...argv], options: { json: { type: "boolean" }, port: { type: "string" } } });
    return values.json ?? false;
  } catch {
    return null;
  }
}
