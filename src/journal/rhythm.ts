/**
 * When a snapshot is taken, and the taking: after fifty events or five seconds, never two within five
 * seconds. One that fails is said and tried again later; it never holds up or endangers the journal,
 * which has everything.
 */
import type { Clock } from "../base/clock.ts";

export interface SnapshotRhythm {
  /** A snapshot is worth it after this many events … */
  everyEvents: number;
  /** … or this long after the first event it lacks; and never two within this time. */
  everyMs: number;
}

/** `SNAPSHOT_EVERY_EVENTS` and `SNAPSHOT_EVERY_SECONDS`. */
export const SNAPSHOT_RHYTHM: SnapshotRhythm = { everyEvents: 50, everyMs: 5000 };

export interface SnapshotPolicy {
  /** Where the snapshot on disk ends, as far as we know. */
  readonly covered: number;
  /** The event `seq`, and all before it, are on disk. */
  reached(seq: number): void;
  /** A snapshot was taken that ends at `seq`. */
  taken(seq: number): void;
  /** Milliseconds until one is due, 0 when it is due now, undefined when it would hold nothing new. */
  dueIn(): number | undefined;
}

/** The two limits, by the monotonic clock. `taken` is where the snapshot on disk ends, 0 without one. */
export function snapshotPolicy(clock: Clock, rhythm: SnapshotRhythm, taken: number): SnapshotPolicy {
  let last = taken;
  let covered = taken;
  let firstAt = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  return {
    get covered() {
      return covered;
    },
    reached(seq) {
      if (last === covered) firstAt = clock.monotonic();
      last = Math.max(last, seq);
    },
    taken(seq) {
      takenAt = firstAt = clock.monotonic();
      covered = seq;
    },
    dueIn() {
      if (last <= covered) return undefined;
      const now = clock.monotonic();
      const worthIt = last - covered >= rhythm.everyEvents ? now : firstAt + rhythm.everyMs;
      return Math.max(0, worthIt - now, takenAt + rhythm.everyMs - now);
    },
  };
}

/** A snapshot that could be written: the last event in it, and the writing, which resolves when it is durable. */
export interface Taking {
  seq: number;
  write(): Promise<void>;
}

export interface SnapshotKeeper {
  reached(seq: number): void;
  /** Remembers how to take one, and does so when it is due. */
  soon(take: () => Taking): void;
  /** Waits for one that is being written; then, if wanted, takes what is still lacking. */
  close(andTakeLast: boolean): Promise<void>;
}

/** How long a snapshot that failed is left alone, at the least. */
const RETRY_MS = 1000;

/** Runs `take` in the policy's rhythm, one at a time; `failed` hears what went wrong. */
export function snapshotKeeper(clock: Clock, policy: SnapshotPolicy, failed: (error: unknown) => void): SnapshotKeeper {
  let take: (() => Taking) | undefined;
  let busy: Promise<void> | undefined;
  let forget: (() => void) | undefined;
  let closed = false;

  function look(): void {
    const due = policy.dueIn();
    if (closed || busy !== undefined || due === undefined) return;
    if (due > 0) forget ??= clock.after(due, wake);
    else start();
  }

  function wake(): void {
    forget = undefined;
    look();
  }

  function start(): void {
    busy = takeOne().then(
      (took) => {
        busy = undefined;
        if (took) look();
      },
      (error: unknown) => {
        busy = undefined;
        failed(error);
        // Not at once, whatever the rhythm: a disk that refuses would keep us busy with nothing else.
        if (!closed) forget ??= clock.after(Math.max(RETRY_MS, policy.dueIn() ?? 0), wake);
      },
    );
  }

  /** False where the state has got no further than the last one: then the next call of `soon` asks again. */
  async function takeOne(): Promise<boolean> {
    if (take === undefined) return false;
    // Trying counts, also when it fails: the rhythm holds while the disk refuses.
    const before = policy.covered;
    policy.taken(before);
    const { seq, write } = take();
    if (seq <= before) return false;
    policy.taken(seq);
    try {
      await write();
      return true;
    } catch (error) {
      policy.taken(before);
      throw error;
    }
  }

  return {
    reached: (seq) => policy.reached(seq),
    soon(next) {
      take = next;
      look();
    },
    async close(andTakeLast) {
      closed = true;
      forget?.();
      await busy;
      if (andTakeLast && policy.dueIn() !== undefined) start();
      await busy;
    },
  };
}
