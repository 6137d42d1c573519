/**
 * Snowflake ids: time since Discord's epoch in the upper bits, a counter below. Ids only ever grow, also when
 * the clock stands still, goes back, or the world is read back from disk.
 */
import type { Clock } from "../clock.ts";

const DISCORD_EPOCH = 1_420_070_400_000n;

export class Snowflakes {
  readonly #clock: Clock;
  readonly #worker: bigint;
  #last: bigint;

  /**
   * @param last the greatest id already in use
   * @param worker ids of different workers differ
   */
  constructor(clock: Clock, last = "0", worker: 0 | 1 = 0) {
    this.#clock = clock;
    this.#worker = BigInt(worker) << 21n;
    this.#last = BigInt(last);
  }

  next(): string {
    const now = snowflakeAt(this.#clock.now()) | this.#worker;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  }

  /** The greatest id given so far. */
  get last(): string {
    return String(this.#last);
  }
}

/** When the id was made, milliseconds since the Unix epoch. */
export function snowflakeTime(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH);
}

function snowflakeAt(ms: number): bigint {
  return (BigInt(Math.floor(ms)) - DISCORD_EPOCH) << 22n;
}
