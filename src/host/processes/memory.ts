/**
 * Gives memory back to the system when the daemon comes to rest. V8 does so by itself, but not each time: after ten
 * agents had streamed for four minutes, 121 MB stayed resident for longer than a minute, and 102 after this.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../../base/clock.ts";

/** What a process uses. */
export interface Footprint {
  /** Its processor time so far, in milliseconds. */
  cpu(): number;
  /** Its resident memory, in bytes. */
  resident(): number;
  /**
   * Collects all garbage, compacts what is left and gives the free pages back: some 60 ms in which nothing else runs.
   */
  collect(): void;
}

const LOOK_MS = 15_000;
/** At most a hundredth of a core: heartbeats and looks around, no agent that streams. */
const RESTING_CPU_MS = LOOK_MS / 100;
/** Less is not worth the time. With twice as much, six messages, one at a time, left 98 MB instead of 93. */
const GROWN_BYTES = 4 * 2 ** 20;

/** Looks every 15 s for as long as the process lives. */
export function giveMemoryBackAtRest(clock: Clock, daemon: Footprint): void {
  let least = daemon.resident();
  let cpu = daemon.cpu();
  clock.after(LOOK_MS, look);
  function look(): void {
    if (daemon.cpu() - cpu <= RESTING_CPU_MS && daemon.resident() - least >= GROWN_BYTES) {
      daemon.collect();
      least = daemon.resident();
    }
    least = Math.min(least, daemon.resident());
    cpu = daemon.cpu();
    clock.after(LOOK_MS, look);
  }
}

export const thisProcess: Footprint = {
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  resident() {
    try {
      return process.memoryUsage.rss();
    } catch {
      // Too many open files, which passes. The next look may find more than there is to give back.
      return 0;
    }
  },
  collect() {
    // Only a context that is made after the flag has the function.
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as NodeJS.GCFunction;
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
  },
};
