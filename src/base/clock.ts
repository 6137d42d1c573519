/**
 * Bellhop's two clocks: the wall clock for times that people read, the monotonic clock for durations, because a wall
 * clock that jumps must not reorder or expire anything.
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For people and files. */
  now(): number;
  /** Monotonic, milliseconds from an arbitrary start. For durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms`; returns a function that cancels it. Never keeps the process alive. */
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

/** Resolves after `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** What the promise resolves with; undefined if that takes longer than `ms`. */
export function withTimeout<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const forget = clock.after(ms, () => late.resolve(undefined));
  return Promise.race([promise, late.promise]).finally(forget);
}

/** ISO 8601 with milliseconds and `Z`, the format of every `ts` and `*_at` on disk. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
