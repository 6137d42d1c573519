/**
 * Fifty requests a second, over all buckets. A place is taken when a request leaves and given back a second after
 * its answer is here: whenever in between Discord counted it, no second of Discord's ever holds more than fifty.
 * The higher a lane, the deeper it may reach into them.
 */
import type { Lane } from "./owed.ts";

export interface Allowance {
  take(): void;
  giveBack(now: number): void;
  /** When a request of this lane may go; Infinity: when one under way is back. */
  opensAt(lane: Lane, now: number): number;
}

const SECOND_MS = 1000;
const places: Record<Lane, number> = { decision: 50, result: 45, cosmetic: 40 };

export function createAllowance(): Allowance {
  let underWay = 0;
  let answered: number[] = [];

  return {
    take() {
      underWay += 1;
    },
    giveBack(now) {
      underWay -= 1;
      answered.push(now);
    },
    opensAt(lane, now) {
      answered = answered.filter((at) => at + SECOND_MS > now);
      const over = underWay + answered.length - places[lane];
      if (over < 0) return now;
      const at = answered[over];
      return at === undefined ? Number.POSITIVE_INFINITY : at + SECOND_MS;
    },
  };
}
