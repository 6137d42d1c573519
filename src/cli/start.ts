/**
 * `bellhop start`: the daemon, in the foreground until it is told to stop or cannot go on. Prints one line when it
 * accepts messages. Without a token it is the sandbox: the same daemon with a Discord of its own.
 */
import { loadSettings } from "../config/settings.ts";
import { runDaemon } from "./foreground.ts";
import { leaveTokenBehind, takeHandedToken } from "./handover.ts";
import type { Io } from "./io.ts";
import { readOptions } from "./options.ts";

/** `--json` makes the line an object. Resolves to the exit code when the daemon has ended. */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  // The port is the sandbox's, which this becomes without a token.
  const { json = false } = readOptions(argv, { json: { type: "boolean" }, port: { type: "string" } }).values;
  const handed = takeHandedToken(io.env);
  const settings = loadSettings(handed, process.cwd());
  if (!settings.token) return (await import("./sandbox.ts")).sandbox(argv, io);
  if (handed === io.env) leaveTokenBehind(io.env, settings.stateDir);
  return runDaemon(settings, io, json);
}
