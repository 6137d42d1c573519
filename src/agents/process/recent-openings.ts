/**
 * Which sessions were opened just now, for an agent that loses one if it is opened again within the same minute of the
 * clock.
 */
import type { Clock } from "../../base/clock.ts";

const MINUTE_MS = 60_000;
/** The agent's clock and ours are the same, but its minute may be read a little later. */
const MARGIN_MS = 500;
/** A job's agent may open its session this long after the job's start. */
const OPENING_MS = 30_000;

export class RecentOpenings {
  readonly #clock: Clock;
  readonly #minutes = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(key: string): void {
    const minute = minuteOf(this.#clock.now());
    for (const [other, its] of this.#minutes) if (its !== minute) this.#minutes.delete(other);
    this.#minutes.set(key, minute);
  }

  /**
   * Milliseconds until the session may be opened again.
   * @param begunAt when its last job began, which may be one of the daemon before this one; milliseconds since the
   * epoch
   */
  wait(key: string, begunAt?: number): number {
    const now = this.#clock.now();
    const own = this.#minutes.get(key);
    const begun =
      begunAt !== undefined && minuteOf(begunAt) <= minuteOf(now) && minuteOf(now) <= minuteOf(begunAt + OPENING_MS);
    const isRecent = own === undefined ? begun : own === minuteOf(now);
    return isRecent ? MINUTE_MS - (now % MINUTE_MS) + MARGIN_MS : 0;
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}
