/**
 * A clock that stands still until it is told to go on. Going on fires what is due in its order and lets
 * everything that follows from one timer happen before the next one fires.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/base/clock.ts";

export interface FakeClock extends Clock {
  /** Goes on by `ms`, timer by timer. */
  advance(ms: number): Promise<void>;
  /** Goes on from timer to timer until the fact holds. @throws when no timer is left, or after `limitMs`. */
  until(fact: () => boolean, limitMs?: number): Promise<void>;
  /** Goes on to the next timer. @throws when none is left */
  step(): Promise<void>;
  /** Puts the wall clock forward or back; how long anything takes is not changed by it. */
  move(ms: number): void;
  /** Lets what is already due happen, without going on. */
  settle(): Promise<void>;
  readonly armed: number;
}

export function createFakeClock(startMs = Date.UTC(2026, 2, 1, 12)): FakeClock {
  let elapsed = 0;
  let moved = 0;
  let count = 0;
  const timers = new Map<number, { at: number; call: () => void }>();

  function next(): { id: number; at: number; call: () => void } | null {
    let first: { id: number; at: number; call: () => void } | null = null;
    for (const [id, timer] of timers) if (first === null || timer.at < first.at) first = { id, ...timer };
    return first;
  }

  async function stepTo(end: number): Promise<boolean> {
    const timer = next();
    if (timer === null || timer.at > end) return false;
    timers.delete(timer.id);
    elapsed = Math.max(elapsed, timer.at);
    timer.call();
    await turn();
    return true;
  }

  return {
    now: () => startMs + elapsed + moved,
    monotonic: () => elapsed,
    after(ms, call) {
      const id = ++count;
      timers.set(id, { at: elapsed + Math.max(0, ms), call });
      return () => timers.delete(id);
    },
    async advance(ms) {
      const end = elapsed + ms;
      await turn();
      while (await stepTo(end));
      elapsed = end;
    },
    async until(fact, limitMs = 24 * 60 * 60_000) {
      const end = elapsed + limitMs;
      await turn();
      while (!fact())
        if (!(await stepTo(end))) throw new Error(`not so after ${elapsed} ms, ${timers.size} timers left`);
    },
    async step() {
      if (!(await stepTo(Number.POSITIVE_INFINITY))) throw new Error(`nothing more will happen after ${elapsed} ms`);
    },
    move(ms) {
      moved += ms;
    },
    settle: () => turn(),
    get armed() {
      return timers.size;
    },
  };
}
