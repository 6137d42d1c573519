/**
 * Time that a test moves by hand: what is due fires in order while it moves, nothing fires by itself.
 */
import type { Clock } from "../src/clock.ts";

export interface ManualClock extends Clock {
  /** Moves time on; everything due on the way is called, at its own time. */
  advance(ms: number): void;
}

export function manualClock(start = Date.UTC(2026, 7, 1, 10)): ManualClock {
  let elapsed = 0;
  const due = new Set<{ at: number; call: () => void }>();
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, call) {
      const timer = { at: elapsed + ms, call };
      due.add(timer);
      return () => void due.delete(timer);
    },
    advance(ms) {
      const until = elapsed + ms;
      for (;;) {
        const next = [...due].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        due.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.call();
      }
      elapsed = until;
    },
  };
}
