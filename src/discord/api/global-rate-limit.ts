/**
 * Fifty requests a second, over all buckets. A place is taken when a request is sent and given back a second after its
 * answer arrives: whenever in between Discord counted it, no second ever holds more than fifty. A higher priority may
 * use more of them.
 */
import type { Priority } from "./priority.ts";

export interface GlobalRateLimit {
  take(): void;
  giveBack(now: number): void;
  /** When a request of this priority may be sent; Infinity: when one in flight is back. */
  opensAt(priority: Priority, now: number): number;
}

const SECOND_MS = 1000;
const places: Record<Priority, number> = { decision: 50, result: 45, cosmetic: 40 };

export function createGlobalRateLimit(): GlobalRateLimit {
  let underWay = 0;
  /** When answers arrived, the oldest first. */
  const answered: number[] = [];

  return {
    take() {
      underWay += 1;
    },
    giveBack(now) {
      underWay -= 1;
      answered.push(now);
    },
    opensAt(priority, now) {
      while (answered[0] !== undefined && answered[0] + SECOND_MS <= now) answered.shift();
      const over = underWay + answered.length - places[priority];
      if (over < 0) return now;
      const at = answered[over];
      return at === undefined ? Number.POSITIVE_INFINITY : at + SECOND_MS;
    },
  };
}
