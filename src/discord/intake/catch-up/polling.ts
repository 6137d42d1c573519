/**
 * While the gateway is away, all channels are polled, so that messages do not wait for it: later than live, and no more
 * often than configured. A message is processed once, whether it is read or sent by the gateway.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";

export interface PollingOptions {
  clock: Clock;
  log: Log;
  /** Between two polls, in milliseconds (`POLL_INTERVAL_SECONDS`). */
  everyMs: number;
  /** Whether the gateway sends events. */
  isLive(): boolean;
  /** Reads every channel; resolves with whether Discord allowed it. */
  read(): Promise<boolean>;
}

/** While reading fails too, each wait doubles, up to this. */
export const LONGEST_WAIT_MS = 60_000;

/** Starts polling; the result stops it. */
export function openPolling({ clock, log, everyMs, isLive, read }: PollingOptions): { close(): void } {
  let state: "live" | "away" | "polling" = "live";
  let failed = 0;
  let closed = false;
  let stop = clock.after(everyMs, tick);

  function tick(): void {
    if (isLive()) {
      state = "live";
      failed = 0;
      return next();
    }
    // A connection is often back soon: polling starts at the second check.
    if (state === "live") {
      state = "away";
      return next();
    }
    if (state === "away")
      log.info("the gateway is disconnected; messages are polled until it is back", { every_ms: everyMs });
    state = "polling";
    void look();
  }

  async function look(): Promise<void> {
    const ok = await read().catch((error: unknown) => {
      log.failure("messages could not be polled while the gateway is disconnected", error);
      return false;
    });
    failed = ok ? 0 : failed + 1;
    next();
  }

  function next(): void {
    if (!closed) stop = clock.after(Math.max(everyMs, Math.min(LONGEST_WAIT_MS, everyMs * 2 ** failed)), tick);
  }

  return {
    close() {
      closed = true;
      stop();
    },
  };
}
