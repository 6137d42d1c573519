/**
 * The daemon in the foreground, until it is told to stop or cannot go on: one line when it accepts messages, and an
 * exit code a supervisor can act on. `start` and `sandbox` differ only in whose Discord it speaks to.
 */
import { flushCompileCache } from "node:module";
import { systemClock } from "../base/clock.ts";
import { errors } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import type { Settings } from "../config/settings.ts";
import { runProgram } from "../host/program.ts";
import { openSupervisor, type Supervisor } from "../host/supervisor.ts";
import { which } from "../host/which.ts";
import type { House } from "../main.ts";
import type { Io } from "./io.ts";

/** @param link where the sandbox's page is, for the line. Resolves to the exit code when the daemon has ended. */
export async function runDaemon(settings: Settings, io: Io, json: boolean, link?: string): Promise<number> {
  const umask = process.umask(0o077);
  const { openHouse } = await import("../main.ts");
  let house: House | null = null;
  const supervisor = supervisorOf(io, () => house?.healthy() ?? true);
  house = await openHouse({ settings, env: io.env, umask, stderr: io.stderr });
  // Nothing else keeps the process while it waits for a connection.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const stopped = stopSignal();
    const first = await Promise.race([house.ready, house.fatal, stopped]);
    if (first instanceof Error) return errors[first.code].exit ?? 70;
    if (first === "stop") return 0;
    void supervisor.ready();
    announce(settings, io, json, first, link);
    // A daemon seldom ends in order: what was compiled is kept now, for the next start.
    flushCompileCache();
    const end = await Promise.race([house.fatal, stopped]);
    return end === "stop" ? 0 : (errors[end.code].exit ?? 70);
  } finally {
    void supervisor.stopping();
    await house.close();
    clearInterval(alive);
  }
}

/** What started us and wants to know how we are, if it does. */
function supervisorOf({ env, stderr }: Io, healthy: () => boolean): Supervisor {
  const file = which("systemd-notify", env["PATH"] ?? "") ?? "/usr/bin/systemd-notify";
  return openSupervisor({
    env,
    clock: systemClock,
    healthy,
    notify: (args) => runProgram({ file, args, env: { NOTIFY_SOCKET: env["NOTIFY_SOCKET"] } }),
    onFailure: (reason) => stderr.write(`systemd could not be told how Bellhop does: ${reason.trim()}\n`),
  });
}

function announce(
  settings: Settings,
  io: Io,
  json: boolean,
  where: { bot_id: string; guild_id: string; owner_id: string },
  link: string | undefined,
): void {
  const { stateDir, locale } = settings;
  if (json) {
    const line = { event: "ready", ...where, state_dir: stateDir, pid: process.pid, ...(link && { link }) };
    io.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const text = link
    ? say(locale, "cli.ready_sandbox", { link })
    : say(locale, "cli.ready", { guild: where.guild_id, owner: where.owner_id, dir: stateDir });
  io.stdout.write(`${text}\n`);
}

/** The first request to stop ends the daemon in order; a second one, at once. */
function stopSignal(): Promise<"stop"> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => {
        resolve("stop");
        process.once(signal, () => process.exit(130));
      });
    }
  });
}
