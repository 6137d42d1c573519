/** The daemon: whether it runs, answers and hears Discord, and whether there is only one of them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import { failed, type Finding } from "../../base/finding.ts";
import { sayState, type Locale } from "../../base/words/say.ts";
import { parseDotenv } from "../../config/dotenv.ts";
import { configHome, platformState } from "../../config/homes.ts";
import { clearStale, readAddress, removeStaleAddress } from "../../host/socket-path.ts";
import { lockHolder, takeLock } from "../../journal/lock.ts";
import { openCaller } from "../../client/call.ts";
import type { DaemonStatus } from "../../ipc/status.ts";
import { localeOf, type Io } from "../io.ts";
import { whyAway } from "../status.ts";

const PATIENCE_MS = 2_500;
/** Discord's heartbeat is answered every 40 seconds. */
const SILENT_MS = 120_000;

export async function checkDaemon(io: Io, stateDir: string): Promise<Finding[]> {
  try {
    return await daemons(io, stateDir);
  } catch (error) {
    return [failed("daemon", error)];
  }
}

async function daemons({ env }: Io, stateDir: string): Promise<Finding[]> {
  const holders = stateDirs(env, stateDir).flatMap((dir) => {
    const holder = existsSync(dir) ? lockHolder(dir) : undefined;
    return holder === undefined ? [] : [{ dir, pid: holder.pid }];
  });
  const [first, second] = holders;
  const two: Finding[] =
    first && second
      ? [
          {
            check: "daemons",
            verdict: "bad",
            says: "doctor.daemons.two",
            args: { first: first.pid, dir: first.dir, second: second.pid, other: second.dir },
            mend: { says: "doctor.daemons.mend" },
          },
        ]
      : [];
  const own = holders.find(({ dir }) => dir === stateDir);
  if (own === undefined)
    return [
      { check: "daemon", verdict: "warn", ...whyNone(stateDir), mend: { says: "doctor.daemon.none.mend" } },
      ...(await leftBehind(stateDir)),
      ...two,
    ];
  return [await heardFrom(stateDir, own.pid, localeOf(env)), ...two];
}

/** Somebody who tries the sandbox sees a daemon run. */
function whyNone(stateDir: string): Pick<Finding, "says" | "args"> {
  const sandbox = join(stateDir, "sandbox");
  const holder = existsSync(sandbox) ? lockHolder(sandbox) : undefined;
  return holder === undefined
    ? { says: "doctor.daemon.none" }
    : { says: "doctor.daemon.sandbox", args: { pid: holder.pid } };
}

/** What a daemon that was killed leaves. */
async function leftBehind(stateDir: string): Promise<Finding[]> {
  const address = await readAddress(stateDir).catch(() => undefined);
  if (address === undefined) return [];
  return [
    {
      check: "leftovers",
      verdict: "warn",
      says: "doctor.leftovers",
      args: { pid: address.pid },
      fix: () => removeLeft(stateDir, address.socket),
    },
  ];
}

/** Under the lock, so that it cannot be a new daemon's. Taking the lock removes the dead daemon's. */
async function removeLeft(stateDir: string, socket: string): Promise<void> {
  const lock = takeLock(stateDir);
  try {
    await clearStale(socket);
    await removeStaleAddress(stateDir);
  } finally {
    lock.release();
  }
}

async function heardFrom(stateDir: string, pid: number, locale: Locale): Promise<Finding> {
  try {
    const { gateway, version } = await status(stateDir);
    if (gateway?.phase === "live" && gateway.heard_ms < SILENT_MS && gateway.healthy)
      return { check: "daemon", verdict: "good", says: "doctor.daemon", args: { version, pid } };
    return {
      check: "daemon",
      verdict: "bad",
      says: "doctor.daemon.deaf",
      args: { pid, why: (gateway && whyAway(gateway, locale)) ?? sayState(locale, gateway?.phase ?? "-") },
      mend: { says: "doctor.daemon.deaf.mend" },
    };
  } catch (error) {
    if (error instanceof BellhopError && error.code === "E_LINK_REFUSED") return failed("daemon", error);
    return {
      check: "daemon",
      verdict: "bad",
      says: "doctor.daemon.mute",
      args: { pid, dir: stateDir },
      mend: { says: "doctor.daemon.mute.mend", args: { pid } },
    };
  }
}

async function status(stateDir: string): Promise<DaemonStatus> {
  const caller = await openCaller({ stateDir, role: "cli", clock: systemClock, welcomeMs: PATIENCE_MS });
  try {
    return (await withinTime(caller.call("status", {}))) as DaemonStatus;
  } finally {
    caller.close();
  }
}

function withinTime<T>(answer: Promise<T>): Promise<T> {
  return Promise.race([
    answer,
    new Promise<never>((_, reject) => systemClock.after(PATIENCE_MS, () => reject(new Error("late")))),
  ]);
}

/** Where a daemon of this user may be, the settings' own directory first. */
function stateDirs(env: Io["env"], own: string): string[] {
  const folder = join(configHome(env), "bellhop");
  const named = ["service.env", ".env"].flatMap((name) => {
    const file = join(folder, name);
    return existsSync(file) ? (parseDotenv(readFileSync(file, "utf8")).values.get("STATE_DIR") ?? []) : [];
  });
  return [...new Set([own, ...named, join(platformState(env), "bellhop")])];
}
