/**
 * Reports when the usage limit that a thread waits for is over: by the wall clock, so that a laptop that slept past
 * the time reports it when it wakes; and at the latest after the time that remained when first seen, so that a clock
 * that is set back does not cause a second wait.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Engine } from "../../engine/engine.ts";
import { reconcile, type Reconciler } from "../../engine/reconcile.ts";

interface Parked {
  jobId: string;
  until: number;
  /** On the monotonic clock. */
  latest: number;
}

/** Timers do not run while the machine sleeps; this is the longest delay after it wakes. */
const LOOK_MS = 30_000;
/** A wait longer than any limit means that the clock was or is wrong. */
const LONGEST_MS = 32 * 24 * 60 * 60_000;

export function openLimitWait({ engine, clock, log }: { engine: Engine; clock: Clock; log: Log }): Reconciler {
  const parked = new Map<string, Parked>();

  function step(thread_id: string): Promise<unknown> | number | null {
    const wait = engine.state.threads[thread_id]?.wait;
    if (wait?.kind !== "limit" || wait.lifted) return (parked.delete(thread_id), null);
    const one = parkedBy(thread_id, wait.job_id, Date.parse(wait.until));
    const left = Math.min(one.until - clock.now(), one.latest - clock.monotonic());
    return left > 0 ? Math.min(left, LOOK_MS) : engine.submit({ type: "lift_limit", thread_id, job_id: wait.job_id });
  }

  function parkedBy(threadId: string, jobId: string, until: number): Parked {
    const known = parked.get(threadId);
    if (known?.until === until && known.jobId === jobId) return known;
    const leftMs = until - clock.now();
    const one = { jobId, until, latest: clock.monotonic() + (leftMs > LONGEST_MS ? 0 : leftMs) };
    parked.set(threadId, one);
    return one;
  }

  return reconcile({
    engine,
    clock,
    log,
    failure: "the end of a usage limit cannot be recorded",
    details: (thread_id) => ({ thread_id }),
    follows: "waiting",
    step,
  });
}
