/**
 * Callers of a socket that have not said their first line: a hello, or the line of a request. They cost little and are
 * dropped by count, those silent longest first; a caller that speaks at once is never dropped, so a crowd of silent
 * callers keeps nobody out.
 */
import type { Clock } from "../base/clock.ts";
import type { BellhopError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";

/** So many silent callers are kept in any case. */
const KEPT = 64;
/** Where there are more, each may stay silent this long. */
const PATIENCE_MS = 250;
/** Where there are more than this, the oldest is dropped at once. */
const MOST = 1_024;

export class UnidentifiedCallers {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Oldest first. */
  readonly #waiting = new Map<object, { since: number; drop(): void }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** @param drop hangs up on it */
  add(caller: object, drop: () => void): void {
    const now = this.#clock.monotonic();
    this.#waiting.set(caller, { since: now, drop });
    for (const [one, { since, drop: hangUp }] of this.#waiting) {
      const { size } = this.#waiting;
      if (size <= KEPT || (size <= MOST && now - since < PATIENCE_MS)) return;
      this.#waiting.delete(one);
      hangUp();
    }
  }

  /** It has spoken, or is gone. */
  delete(caller: object): void {
    this.#waiting.delete(caller);
  }
}

/** Warnings per minute; of the rest only the number is logged. */
const WARNINGS = 10;
const MINUTE_MS = 60_000;

/** Logs a warning for each refusal, but limits them so that refusals cannot fill the log. */
export function boundedWarnings({
  clock,
  log,
}: {
  clock: Pick<Clock, "monotonic">;
  log: Log;
}): (error: BellhopError) => void {
  let since = Number.NEGATIVE_INFINITY;
  let refusals = 0;
  return ({ code, details }) => {
    const now = clock.monotonic();
    if (now - since >= MINUTE_MS) {
      if (refusals > WARNINGS)
        log.warn("more calls over the socket were refused", { error_code: code, calls: refusals - WARNINGS });
      [since, refusals] = [now, 0];
    }
    refusals += 1;
    if (refusals <= WARNINGS) log.warn("a call over the socket was refused", { error_code: code, ...details });
  };
}
