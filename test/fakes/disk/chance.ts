/** Random choices that a seed repeats: a run that failed can be run again. */
export interface Chance {
  /** A whole number from 0 up to and without `limit`. */
  below(limit: number): number;
  coin(): boolean;
}

/** Mulberry32: small, fast, good enough to choose where the power fails. */
export function seededChance(seed: number): Chance {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
  return { below: (limit) => next() % limit, coin: () => (next() & 1) === 1 };
}
