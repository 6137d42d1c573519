/**
 * Detects that the machine slept, or that this process was stopped: timers stand still then, and the other side has
 * most likely given up a connection that looks open. On Linux the monotonic clock stands still too while the machine
 * sleeps, so it is compared with the time since the machine was started, which does not.
 */
import { uptime } from "node:os";
import type { Clock } from "../../../base/clock.ts";

export interface SleepWatch {
  clock: Clock;
  /** Milliseconds since the machine was started, sleep included. */
  sinceBoot: () => number;
  /** How long nothing ran, in milliseconds beyond what was due. */
  slept(ms: number): void;
}

const LOOK_EVERY_MS = 5_000;
/** Less than this is only a busy machine. */
const NOTICED_MS = 3_000;

export const sinceBoot = (): number => uptime() * 1000;

/** Returns a function that stops it. */
export function watchSleep({ clock, sinceBoot, slept }: SleepWatch): () => void {
  let stop = (): void => undefined;
  const arm = (): void => {
    const [ticked, booted] = [clock.monotonic(), sinceBoot()];
    stop = clock.after(LOOK_EVERY_MS, () => {
      const passed = Math.max(clock.monotonic() - ticked, sinceBoot() - booted);
      arm();
      if (passed - LOOK_EVERY_MS > NOTICED_MS) slept(passed - LOOK_EVERY_MS);
    });
  };
  arm();
  return () => stop();
}
