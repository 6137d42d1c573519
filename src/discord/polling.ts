/**
 * While the gateway is away, everything is read back again and again, so that nothing waits for it: later than live,
 * and no more often than the owner has set (seed A 3.3.2). What was read is heard once, whoever brings it first.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

export interface PollingOptions {
  clock: Clock;
  log: Log;
  /** Between two looks, in milliseconds (`POLL_INTERVAL_SECONDS`). */
  everyMs: number;
  /** Whether the gateway brings events. */
  isLive(): boolean;
  /** Reads every place; resolves with whether Discord let us. */
  read(): Promise<boolean>;
}

/** Where nothing can be read either, each wait is twice the one before, up to this. */
export const LONGEST_WAIT_MS = 60_000;

/** Returns how to stop it. */
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
    // A connection is often back before anybody notices.
    if (state === "live") {
      state = "away";
      return next();
    }
    if (state === "away") log.info("the gateway is away; messages are read by requests until it is back", { every_ms: everyMs });
    state = "polling";
    void look();
  }

  async function look(): Promise<void> {
    const ok = await read().catch((error: unknown) => {
      log.failure("messages could not be read while the gateway is away", error);
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
