/**
 * Which daemon a verb talks to: that of the settings, or the sandbox's, whose state is in a folder inside. The
 * sandbox's is used if it is asked for, or if it is the only one running.
 */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import { lockHolder } from "../../journal/lock.ts";
import { openCaller, type Caller, type CallerOptions } from "../../client/call.ts";
import type { Io } from "../io.ts";
import { settingsHere } from "./settings-here.ts";

export interface DaemonFolders {
  stateDir: string;
  logDir: string;
}

/** The candidate directories, the most likely first. @throws E_CONFIG_INVALID if the settings cannot be read */
export function places(io: Io, sandbox: boolean): DaemonFolders[] {
  const [state, logs] = [io.env["STATE_DIR"], io.env["LOG_DIR"]];
  // A wrong token must not prevent looking, so the other settings are read only where needed.
  const known = state !== undefined && isAbsolute(state) && (logs === undefined || isAbsolute(logs));
  const { stateDir, logDir } = known
    ? { stateDir: state, logDir: logs ?? join(state, "logs") }
    : settingsHere(io, "nothing");
  const own = join(stateDir, "sandbox");
  const inSandbox = { stateDir: own, logDir: join(own, "logs") };
  return sandbox ? [inSandbox] : [{ stateDir, logDir }, inSandbox];
}

/**
 * A connection to the chosen daemon.
 * @throws E_NO_DAEMON {dir} if none runs, E_LINK_REFUSED
 */
export async function callDaemon(io: Io, sandbox: boolean, options: Partial<CallerOptions> = {}): Promise<Caller> {
  const all = places(io, sandbox);
  for (const { stateDir } of all) {
    if (!existsSync(stateDir)) continue;
    try {
      return await openCaller({ ...options, stateDir, role: "cli", clock: systemClock });
    } catch (error) {
      if (!(error instanceof BellhopError) || error.code !== "E_NO_DAEMON") throw error;
    }
  }
  throw new BellhopError("E_NO_DAEMON", { dir: all[0]?.stateDir ?? "" });
}

/** A daemon that holds one of the directories and does not answer. */
export function muteDaemon(io: Io, sandbox: boolean): { pid: number; dir: string } | undefined {
  for (const { stateDir } of places(io, sandbox)) {
    const holder = existsSync(stateDir) ? lockHolder(stateDir) : undefined;
    if (holder !== undefined) return { pid: holder.pid, dir: stateDir };
  }
  return undefined;
}
