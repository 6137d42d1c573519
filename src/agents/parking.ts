/**
 * Lets a thread that waits for a usage limit go on when the limit lifts: by the wall clock, so that a laptop that
 * slept past the time goes on when it wakes; and at the latest when as much time has passed as was to pass when we
 * first looked, so that a clock that is set back makes nobody wait twice.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Engine } from "../engine/engine.ts";

export interface Parking {
  /** Looks at every thread once: for the start. */
  start(): void;
  close(): void;
}

interface Parked {
  jobId: string;
  until: number;
  /** On the monotonic clock. */
  latest: number;
}

/** A timer does not count while the machine sleeps; this is how late we may be after it wakes. */
const LOOK_MS = 30_000;
/** A longer wait than any limit lasts comes from a clock that was wrong then or is wrong now. */
const LONGEST_MS = 32 * 24 * 60 * 60_000;

export function openParking({ engine, clock, log }: { engine: Engine; clock: Clock; log: Log }): Parking {
  const parked = new Map<string, Parked>();
  let forget: (() => void) | null = null;

  function attend(threadId: string): void {
    const wait = engine.state.threads[threadId]?.wait;
    if (wait?.kind !== "limit") return void parked.delete(threadId);
    const known = parked.get(threadId);
    const until = Date.parse(wait.until);
    if (known?.until === until && known.jobId === wait.job_id) return;
    const leftMs = until - clock.now();
    parked.set(threadId, { jobId: wait.job_id, until, latest: clock.monotonic() + (leftMs > LONGEST_MS ? 0 : leftMs) });
  }

  function look(): void {
    forget?.();
    forget = null;
    for (const [thread_id, { jobId: job_id, until, latest }] of parked) {
      if (clock.now() < until && clock.monotonic() < latest) continue;
      parked.delete(thread_id);
      engine.submit({ type: "unpark", thread_id, job_id, by: "time" }).catch((error: unknown) => log.failure("a parked thread cannot go on", error, { thread_id }));
    }
    if (parked.size === 0) return;
    const next = Math.min(...[...parked.values()].map(({ until, latest }) => Math.min(until - clock.now(), latest - clock.monotonic())));
    forget = clock.after(Math.min(Math.max(next, 1), LOOK_MS), look);
  }

  function attendAll(topics: Iterable<string>): void {
    for (const topic of topics) attend(topic);
    if (parked.size > 0 || forget !== null) look();
  }

  const unwatch = engine.watch(attendAll);
  return {
    start: () => attendAll(Object.keys(engine.state.threads)),
    close() {
      unwatch();
      forget?.();
    },
  };
}
