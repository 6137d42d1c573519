/** Which sessions were opened just now, for an agent that loses one if it is opened again within the same minute of the clock. */
import type { Clock } from "../../base/clock.ts";

const MINUTE_MS = 60_000;
/** The agent's clock and ours are the same, but its minute may be read a little later. */
const MARGIN_MS = 500;

export class RecentOpenings {
  readonly #clock: Clock;
  readonly #minutes = new Map<string, number>();
  /** What a daemon before this one opened is not known: any session may have been opened in the minute of our start. */
  readonly #start: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = this.#minute();
  }

  note(key: string): void {
    const minute = this.#minute();
    for (const [other, its] of this.#minutes) if (its !== minute) this.#minutes.delete(other);
    this.#minutes.set(key, minute);
  }

  /** Milliseconds until the session may be opened again. */
  wait(key: string): number {
    return (this.#minutes.get(key) ?? this.#start) === this.#minute() ? MINUTE_MS - (this.#clock.now() % MINUTE_MS) + MARGIN_MS : 0;
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS);
  }
}
