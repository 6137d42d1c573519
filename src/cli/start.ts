/**
 * `bellhop start`: the daemon, in the foreground until it is told to stop or cannot go on. Prints one line when it
 * accepts messages. Without a token it is the sandbox: the same daemon with a Discord of its own.
 */
import { loadSettings } from "../config/settings.ts";
import { tokenMissing } from "../config/token.ts";
import { runDaemon } from "./foreground.ts";
import { leaveTokenBehind, takeHandedToken } from "./handover.ts";
import type { Io } from "./io.ts";
import { readOptions } from "./options.ts";
import { finalExits } from "./unit/systemd.ts";

/**
 * `--json` makes the line an object. `--service=systemd|launchd` says who started it: then it is never the sandbox.
 * Resolves to the exit code when the daemon has ended.
 */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  // The port is the sandbox's, which this becomes without a token.
  const { json = false, service } = readOptions(argv, { json: { type: "boolean" }, port: { type: "string" }, service: { type: "string" } }).values;
  if (service === "launchd") endsForGood();
  const handed = takeHandedToken(io.env);
  const settings = loadSettings(handed, process.cwd());
  if (!settings.token) {
    // One that was handed a token and cannot read it must not become a sandbox.
    if (service !== undefined || handed !== io.env) throw tokenMissing(settings.locale);
    return (await import("./sandbox.ts")).sandbox(argv, io);
  }
  if (handed === io.env) leaveTokenBehind(io.env, settings.stateDir);
  return runDaemon(settings, io, json);
}

/** launchd knows only failures, which it starts again, and successes; an end no restart helps must be one of these. */
function endsForGood(): void {
  process.once("exit", (code) => {
    if (finalExits().includes(code)) process.exitCode = 0;
  });
}
