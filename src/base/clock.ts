/**
 * Time, as the house takes it: the wall clock for what people read, the monotonic clock for how long
 * something took (rule J9: a wall clock that jumps must not reorder or expire anything).
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For people and files. */
  now(): number;
  /** Monotonic, milliseconds from an arbitrary start. For durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms`; returns how to forget it. Never keeps the process alive by itself. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.min(ms, 2_147_483_647));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** ISO 8601 with milliseconds and `Z`, the form of every `ts` and `*_at` on disk. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
