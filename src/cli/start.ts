/**
 * `bellhop start`: the daemon, in the foreground until it is told to stop or cannot go on. Prints one line when it
 * accepts messages. Without a token it is the sandbox: the same daemon with a Discord of its own.
 */
import { parseArgs } from "node:util";
import { errors } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import { loadSettings, type Settings } from "../config/settings.ts";
import type { Io } from "./io.ts";
import { leaveTokenBehind, takeHandedToken } from "./handover.ts";

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
  return run(settings, io, json);
}

/** Runs the daemon on these settings until its end; shared with the sandbox, which brings its own Discord. */
export async function run(settings: Settings, io: Io, json: boolean, link?: string): Promise<number> {
  const umask = process.umask(0o077);
  const { openHouse } = await import("../main.ts");
  const house = await openHouse({ settings, env: io.env, umask, stderr: io.stderr });
  // Nothing else keeps the process while it waits for a connection.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    const stopped = stopSignal();
    const first = await Promise.race([house.ready, house.fatal, stopped]);
    if (first instanceof Error) return errors[first.code].exit ?? 70;
    if (first === "stop") return 0;
    announce(settings, io, json, first, link);
    const end = await Promise.race([house.fatal, stopped]);
    return end === "stop" ? 0 : (errors[end.code].exit ?? 70);
  } finally {
    await house.close();
    clearInterval(alive);
  }
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

function readOptions(argv: readonly string[]): boolean | null {
  try {
    const { values } = parseArgs({ args: [...argv], options: { json: { type: "boolean" }, port: { type: "string" } } });
    return values.json ?? false;
  } catch {
    return null;
  }
}
