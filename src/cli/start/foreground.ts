/**
 * Runs the daemon in the foreground until it is told to stop or fails: one line when it accepts messages, and an exit
 * code a supervisor can act on. `start` and `sandbox` differ only in which Discord it uses.
 */
import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { systemClock } from "../../base/clock.ts";
import { errors } from "../../base/errors.ts";
import { jsonForTerminal } from "../../base/terminal-text.ts";
import { say } from "../../base/words/say.ts";
import type { Settings } from "../../config/settings.ts";
import { giveMemoryBackAtRest, thisProcess } from "../../host/processes/memory.ts";
import { runProgram } from "../../host/processes/program.ts";
import { openSupervisor, type Supervisor } from "../../host/processes/supervisor.ts";
import { which } from "../../host/processes/which.ts";
import type { Who } from "../../discord/bot.ts";
import { openApp, type App } from "../../app/main.ts";
import type { Io } from "../io.ts";

/**
 * The slower V8's collector gets on, the more V8 lets the heap grow: on a machine that is busy with other things, eight
 * agents that stream took 168 MB after four minutes instead of 137. V8 also keeps the machine code of functions that
 * are not called any more: 2 MB after ten minutes. The flags are set only once the daemon is ready: with them V8 takes
 * no code that was compiled without them, such as that of Node's own modules, which cost each start 20 ms.
 */
const MEMORY_FLAGS = ["--heap-growing-percent=30", "--flush-baseline-code"];

/** @param link address of the sandbox's page, for the line. Resolves to the exit code when the daemon has ended. */
export async function runDaemon(settings: Settings, io: Io, json: boolean, link?: string): Promise<number> {
  const umask = process.umask(0o077);
  let app: App | null = null;
  const supervisor = supervisorOf(io, () => app?.healthy() ?? true);
  const warnings =
    io.unsafe === undefined
      ? settings.warnings
      : [...settings.warnings, say(settings.locale, "cli.start.unsafe_folder", { path: io.unsafe })];
  // Agents may be at work before it is all open.
  const stopped = stopSignal();
  app = await openApp({ settings: { ...settings, warnings }, env: io.env, umask, stderr: io.stderr });
  // Nothing else keeps the process alive while it waits for a connection.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const aside = app.aside.then((): "stop" => "stop");
    const first = await Promise.race([app.ready, app.fatal, stopped, aside]);
    if (first instanceof Error) return errors[first.code].exit ?? 70;
    if (first === "stop") return 0;
    void supervisor.ready();
    io.stdout.write(
      `${json ? jsonForTerminal(readyRecord(settings, first, link)) : readyText(settings, first, link)}\n`,
    );
    // A daemon often does not exit normally, so the compile cache is written now, for the next start.
    flushCompileCache();
    for (const flag of MEMORY_FLAGS) setFlagsFromString(flag);
    giveMemoryBackAtRest(systemClock, thisProcess);
    const end = await Promise.race([app.fatal, stopped, aside]);
    return end === "stop" ? 0 : (errors[end.code].exit ?? 70);
  } finally {
    void supervisor.stopping();
    await app.close();
    clearInterval(alive);
  }
}

/** The supervisor that started the daemon and wants its health, if there is one. */
function supervisorOf({ env, stderr }: Io, healthy: () => boolean): Supervisor {
  const file = which("systemd-notify", env["PATH"] ?? "") ?? "/usr/bin/systemd-notify";
  return openSupervisor({
    env,
    clock: systemClock,
    healthy,
    notifySystemd: (args) => runProgram({ file, args, env: { NOTIFY_SOCKET: env["NOTIFY_SOCKET"] } }),
    onNotifyFailure: (reason) => stderr.write(`Bellhop's state could not be reported to systemd: ${reason.trim()}\n`),
  });
}

function readyRecord({ stateDir }: Settings, who: Who | null, link: string | undefined): object {
  return { event: "ready", ...who, state_dir: stateDir, pid: process.pid, ...(link && { link }) };
}

function readyText({ stateDir, locale }: Settings, who: Who | null, link: string | undefined): string {
  if (link) return say(locale, "cli.ready_sandbox", { link });
  if (who === null) return say(locale, "cli.ready_clients", { dir: stateDir });
  return say(locale, who.commands === false ? "cli.ready_bare" : "cli.ready", {
    guild: who.guild_id,
    owner: who.owner_id,
    dir: stateDir,
  });
}

/** The first request to stop ends the daemon in order; a second one ends it at once. */
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
