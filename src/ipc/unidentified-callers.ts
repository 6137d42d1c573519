/**
 * Callers that have not sent a hello. They cost little and are dropped by count, those silent longest first; a caller
 * that says hello at once is never dropped, so a crowd of silent callers keeps nobody out.
 */
import type { Clock } from "../base/clock.ts";
import type { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Connection } from "./connection.ts";
import { refused } from "../protocol/frame.ts";

/** So many silent callers are kept in any case. */
const KEPT = 64;
/** Where there are more, each may stay silent this long. */
const PATIENCE_MS = 250;
/** Where there are more than this, the oldest is dropped at once. */
const MOST = 1_024;

export class UnidentifiedCallers {
  readonly #clock: Pick<Clock, "monotonic">;
  /** With their arrival times, oldest first. */
  readonly #waiting = new Map<Connection, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  add(connection: Connection): void {
    const now = this.#clock.monotonic();
    this.#waiting.set(connection, now);
    for (const [one, since] of this.#waiting) {
      const { size } = this.#waiting;
      if (size <= KEPT || (size <= MOST && now - since < PATIENCE_MS)) return;
      this.#waiting.delete(one);
      one.end(false, refused("no hello, and too many others are waiting"));
    }
  }

  delete(connection: Connection): void {
    this.#waiting.delete(connection);
  }
}

/** Warnings per minute; of the rest only the number is logged. */
const WARNINGS = 10;
const MINUTE_MS = 60_000;

/** Logs a warning for each refusal, but limits them so that refusals cannot fill the log. */
export function boundedWarnings({ clock, log }: { clock: Pick<Clock, "monotonic">; log: Log }): (error: BellhopError) => void {
  let since = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  return ({ code, details }) => {
    const now = clock.monotonic();
    if (now - since >= MINUTE_MS) {
      if (refusals > WARNINGS) log.warn("more calls over the socket were refused", { error_code: code, calls: refusals - WARNINGS });
      [since, refusals] = [now, 0];
    }
    refusals += 1;
    if (refusals <= WARNINGS) log.warn("a call over the socket was refused", { error_code: code, ...details });
  };
}
