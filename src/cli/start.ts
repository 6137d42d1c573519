/**
 * `bellhop start`: the daemon, in the foreground until it is told to stop or fails. Prints one line when it accepts
 * messages. Without a token it becomes the sandbox: the same daemon with a Discord of its own.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pause, systemClock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import { readConfig } from "../config/config-file.ts";
import { TOKEN_NAMES } from "../config/homes.ts";
import { firstToken } from "../config/session-settings.ts";
import type { Settings } from "../config/settings.ts";
import { tokenMissing } from "../config/token.ts";
import { lockHolder } from "../journal/lock.ts";
import { openCaller } from "../client/call.ts";
import { runDaemon } from "./start/foreground.ts";
import { leaveDiscordBehind, takeHanded } from "./start/handover.ts";
import type { Io } from "./io.ts";
import { readOptions } from "./options.ts";
import { settingsHere } from "./start/settings-here.ts";
import { finalExits } from "./unit/init-systems.ts";

/** How long a daemon that gives way may take to post what is still due. */
const ASIDE_MS = 60_000;
const LOOK_MS = 25;

/**
 * `--json` prints the line as an object. `--service=systemd|launchd|client` says what started it: then it is never the
 * sandbox. A daemon started by a client (`client`) has no bot of its own: the author of the client's settings is not
 * taken for its owner. Resolves to the exit code when the daemon has ended.
 */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  // The port is for the sandbox, which this becomes without a token.
  const {
    json = false,
    port,
    service,
  } = readOptions(argv, { json: { type: "boolean" }, port: { type: "string" }, service: { type: "string" } }).values;
  if (service === "launchd") endsForGood();
  if (service === "client") return runDaemon(settingsHere(io, "nothing", TOKEN_NAMES), io, json);
  const handed = takeHanded(io.env);
  const settings = withServersToken(settingsHere({ ...io, env: handed }, "bot"));
  if (!settings.token) {
    // A daemon that was handed a token and cannot read it must not become a sandbox.
    if (service !== undefined || handed !== io.env) throw tokenMissing(settings.locale);
    return (await import("./sandbox.ts")).sandbox(argv, io);
  }
  if (handed === io.env) leaveDiscordBehind(io.env, settings.stateDir);
  await takeClientDaemonsPlace(settings.stateDir);
  const unused = port === undefined ? [] : [say(settings.locale, "cli.start.port_unused")];
  return runDaemon({ ...settings, warnings: [...settings.warnings, ...unused] }, io, json);
}

/** Where no variable names a token, the first server of config.json that has one is the main one. */
function withServersToken(settings: Settings): Settings {
  const file = join(settings.stateDir, "config.json");
  if (settings.token || !existsSync(file)) return settings;
  return { ...settings, token: firstToken(readConfig(readFileSync(file, "utf8"), settings.locale).config, settings) };
}

/** A daemon that a client started serves only clients, and gives way to a full one. */
async function takeClientDaemonsPlace(stateDir: string): Promise<void> {
  if (!existsSync(stateDir)) return;
  // Nothing else keeps the process alive while it waits.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const caller = await openCaller({ stateDir, role: "cli", clock: systemClock });
    const { steps_aside: goes } = (await caller.call("step_aside", {})) as { steps_aside: boolean };
    caller.close();
    const until = systemClock.monotonic() + ASIDE_MS;
    while (goes && lockHolder(stateDir) !== undefined && systemClock.monotonic() < until) {
      await pause(systemClock, LOOK_MS);
    }
  } catch (error) {
    // No daemon runs, or it does not know this method: the start itself reports the problem.
    if (!(error instanceof BellhopError)) throw error;
  } finally {
    clearInterval(alive);
  }
}

/**
 * launchd knows only failures, which it restarts, and successes; an end that a restart cannot help must be a success.
 */
function endsForGood(): void {
  process.once("exit", (code) => {
    if (finalExits().includes(code)) process.exitCode = 0;
  });
}
