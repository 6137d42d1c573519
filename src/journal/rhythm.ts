/**
 * Decides when a snapshot is taken, and takes it: after fifty events or five seconds, never two within five seconds, and
 * never for more than a fiftieth of the time, so that one of a large state is taken less often. One that fails is reported
 * and retried later; it never delays or endangers the journal, which has everything.
 */
import type { Clock } from "../base/clock.ts";

export interface SnapshotRhythm {
  /** A snapshot is due after this many events … */
  everyEvents: number;
  /** … or this long after the first event it lacks; never two within this time. */
  everyMs: number;
}

/** `SNAPSHOT_EVERY_EVENTS` and `SNAPSHOT_EVERY_SECONDS`. */
export const SNAPSHOT_RHYTHM: SnapshotRhythm = { everyEvents: 50, everyMs: 5000 };

export interface SnapshotPolicy {
  /** Where the snapshot on disk ends, as far as is known. */
  readonly covered: number;
  /** Event `seq`, and all before it, are on disk. */
  reached(seq: number): void;
  /** A snapshot that ends at `seq` was taken. */
  taken(seq: number): void;
  /** The last one took this long. */
  took(ms: number): void;
  /** Milliseconds until one is due, 0 if it is due now, undefined if it would hold nothing new. */
  dueIn(): number | undefined;
}

/** A snapshot is followed by this many times as long without one. */
const REST = 50;

/** The two limits, by the monotonic clock. `taken` is where the snapshot on disk ends, 0 if there is none. */
export function snapshotPolicy(clock: Clock, rhythm: SnapshotRhythm, taken: number): SnapshotPolicy {
  let last = taken;
  let covered = taken;
  let firstAt = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  let rest = rhythm.everyMs;
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
    took(ms) {
      rest = Math.max(rhythm.everyMs, ms * REST);
    },
    dueIn() {
      if (last <= covered) return undefined;
      const now = clock.monotonic();
      const worthIt = last - covered >= rhythm.everyEvents ? now : firstAt + rhythm.everyMs;
      return Math.max(0, worthIt - now, takenAt + rest - now);
    },
  };
}

/** A snapshot that could be written: the last event in it, and the write, which resolves when it is durable. */
export interface Taking {
  seq: number;
  write(): Promise<void>;
}

export interface SnapshotTaker {
  reached(seq: number): void;
  /** Remembers how to take one, and takes it when it is due. */
  soon(take: () => Taking): void;
  /** Waits for one that is being written; then, if wanted, takes what is still missing. */
  close(andTakeLast: boolean): Promise<void>;
}

/** The shortest pause after a failed snapshot. */
const RETRY_MS = 1000;

/** Runs `take` in the policy's rhythm, one at a time; `failed` is called with every error. */
export function snapshotTaker(clock: Clock, policy: SnapshotPolicy, failed: (error: unknown) => void): SnapshotTaker {
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

  /** False if the state has not advanced since the last one: the next call of `soon` then checks again. */
  async function takeOne(): Promise<boolean> {
    if (take === undefined) return false;
    // A failed attempt counts too: the rhythm holds while the disk refuses.
    const before = policy.covered;
    policy.taken(before);
    const { seq, write } = take();
    if (seq <= before) return false;
    policy.taken(seq);
    const from = clock.monotonic();
    try {
      await write();
      policy.took(clock.monotonic() - from);
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
