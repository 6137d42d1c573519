/**
 * Time as the sandbox takes it: the wall clock for what people read, the monotonic clock for how long something
 * took. A test hands in its own clock and decides what time it is.
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Monotonic, milliseconds from an arbitrary start. For durations and deadlines. */
  monotonic(): number;
  /** Calls back once after `ms`; returns how to cancel it. Never keeps the process alive by itself. */
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
