/**
 * What tests share that kill the daemon at exact steps, counted by the kernel's own tracer: the world they begin with,
 * the watched run that finds the steps, the kill, and the bounds of a step that never comes.
 */
import { once } from "node:events";
import { join } from "node:path";
import { placesOf, tracer } from "./tracer.ts";
import { openWorld, type Daemon, type World, type WorldOptions } from "./world.ts";

export const long = process.env["BELLHOP_TEST_LONG"] !== undefined;

/** Syncs are where facts become true; the daemon writes to its agent over a socket pair. */
export const STEPS = [
  ["fdatasync", /fdatasync\(\d+<.*events\.ndjson/],
  ["write", /write\(\d+<UNIX-STREAM/],
] as const;
export type Step = (typeof STEPS)[number];

/** How many are tried in the ordinary run, spread over the way. */
const TRIED = 4;
/** Worlds side by side: each waits for syncs and timers most of the time. */
const LANES = 2;

/** A world with a session, and its daemon stopped in order. */
export async function stopped(config: NonNullable<WorldOptions["config"]>): Promise<{ world: World; thread: string }> {
  const world = await openWorld({ unlimited: true, config });
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await daemon.kill("SIGTERM");
  return { world, thread };
}

/** A daemon whose calls are written down; `places` reads them when it has ended. @param more of the tracer's options */
export function watched(
  world: World,
  call: string,
  ...more: string[]
): { daemon: Daemon; places(fits: (line: string) => boolean, during?: { from: number; to: number }): number[] } {
  const log = join(world.home, "trace.log");
  const { prefix, env } = tracer(world, ["-o", log, ...more, "-e", `trace=${call}`]);
  return { daemon: world.daemon({ prefix, env }), places: (fits, during) => placesOf(log, call, fits, during) };
}

/** A daemon that is killed as it makes the call for the n-th time. */
export function killedAt(world: World, call: string, nth: number): Daemon {
  const { prefix, env } = tracer(world, [
    "-o",
    "/dev/null",
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:signal=SIGKILL:when=${nth}`,
  ]);
  return world.daemon({ prefix, env });
}

/** Takes these steps, the last of which stops the daemon, as far as it comes with them. */
export async function asFarAs(daemon: Daemon, steps: readonly (() => Promise<unknown>)[]): Promise<"killed" | "done"> {
  const killed = daemon.exited.then(() => true);
  for (const [number, step] of steps.entries()) {
    const isOver = await Promise.race([
      killed,
      step().then(
        () => false,
        () => true,
      ),
    ]);
    if (isOver && number < steps.length - 1) return "killed";
  }
  return (await daemon.exited).signal === "SIGKILL" ? "killed" : "done";
}

/** All in the long run, else a few. */
export function tried(places: readonly number[]): number[] {
  return places.filter((_, index) => long || index % Math.ceil(places.length / TRIED) === 0);
}

/**
 * Tries each of these places, side by side; one that waits for something which never comes fails by its name.
 * @param kill may resolve with another place to try instead
 */
export async function eachOf(
  call: string,
  places: readonly number[],
  kill: (nth: number) => Promise<number | undefined>,
  isEnough = (): boolean => false,
): Promise<void> {
  const left = [...places];
  const lane = async (): Promise<void> => {
    let nth = left.shift();
    while (nth !== undefined && !isEnough())
      nth = (await Promise.race([kill(nth), tooLong(`${call} ${nth}`)])) ?? left.shift();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function tooLong(at: string): Promise<never> {
  await once(AbortSignal.timeout(60_000), "abort");
  throw new Error(`killed at ${at}, the daemon's next life did not get to the end`);
}
