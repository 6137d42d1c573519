/**
 * The only way to change the state: `submit` decides a command, has its events written and synced, and only then makes
 * them visible. Commands are decided on a copy of the state that is ahead of the disk by what is in flight; everything
 * else sees the other copy, where every fact is durable. A journal failure is final: from then on no reconciler is
 * called, no wait ends, and whatever acts on the world stops at once (`atEnd`).
 */
import { BellhopError, theirWords } from "../base/errors.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import type { Disk } from "../base/disk.ts";
import type { Log } from "../base/log.ts";
import { decideAndEvolve } from "../core/decider.ts";
import type { Command } from "../core/slices.ts";
import { emptyState, restoreState, type RecordedEvent, type State } from "../core/state.ts";
import type { Event } from "../core/slices.ts";
import { changeOf, evolve, understands } from "../core/evolve.ts";
import { kinds, type Kind } from "../core/slice.ts";
import type { Rules } from "../core/jobs/job.ts";
import { WINDOW_TOOL } from "../core/sessions/windows.ts";
import { waitingSessions } from "../core/sessions/session.ts";
import { refuseInexact } from "../journal/format.ts";
import { openJournal, type Journal } from "../journal/journal.ts";
import { withReserve, type Reserve } from "../journal/reserve.ts";
import type { SnapshotRhythm } from "../journal/snapshot.ts";
import type { Rebuild } from "./rebuild-snapshot.ts";

/** Called with the threads (by id) and other topics (`projects`, `starts`) that have changed since the last call. */
export type Watcher = (topics: ReadonlySet<string>) => void;

export interface Engine {
  /** Everything in it is on disk. Read-only. */
  readonly state: State;
  /**
   * Resolves with the events once they are durable and in `state`; with none when there was nothing to do, and then
   * what was decided before is in `state` as well. Rejects with a `BellhopError`: a refusal of the core (nothing
   * happened), or the failure that ended the engine (nothing will any more). A command that no journal could hold
   * exactly is a bug: it rejects with a `TypeError`, and nothing happened.
   */
  submit(command: Command): Promise<readonly RecordedEvent[]>;
  /**
   * Calls the watcher after each durable change of one of these kinds, once for all that one sync brought. Returns a
   * function that stops it.
   */
  watch(kinds: readonly Kind[], watcher: Watcher): () => void;
  /** Resolves with the first truthy answer, checked now and after each change, or each of these kinds. */
  until<T>(fact: (state: State) => T | undefined | null | false, kinds?: readonly Kind[]): Promise<T>;
  /** The owner's current rules. */
  rules(): Rules;
  /** Whether the disk is full: what runs goes on, and nothing new starts until there is room. No event says so. */
  readonly diskFull: boolean;
  /** Whether the journal has failed. What is done from then on cannot be recorded, and would be done again. */
  readonly over: boolean;
  /**
   * Calls this when the journal fails, or at once if it has failed: code that starts agents or writes to Discord stops.
   * Returns a function that removes it.
   */
  atEnd(stop: () => void): () => void;
  /**
   * Resolves when the journal has failed (`E_JOURNAL_WRITE`, or `E_INTERNAL` for a bug of ours): the daemon must report
   * it and exit.
   */
  readonly failed: Promise<BellhopError>;
}

/** What every engine is made with. */
interface EngineBasis {
  clock: Clock;
  /** The owner's current rules. */
  rules(): Rules;
  /** Removes secrets from every command before it is decided. */
  redact<T>(value: T): T;
}

export interface EngineOptions extends EngineBasis {
  /** The replayed state; it belongs to the engine from here on. */
  state: State;
  /** Makes the events durable, in call order. */
  append(events: readonly RecordedEvent[]): Promise<unknown>;
  /** Whether there is room on the disk. Absent: always. */
  reserve?: Reserve;
  /** Called after each batch is applied; a snapshot may be taken then. */
  believed?(events: readonly RecordedEvent[]): void;
  /** A reconciler threw: a bug, which must not affect the others. */
  reconcilerFailed(error: unknown): void;
}

export function createEngine(options: EngineOptions): Engine {
  const { state, clock, reserve } = options;
  const ahead = structuredClone(state);
  const { watch, touch } = watchers(() => failed !== null, options.reconcilerFailed);
  const failure = Promise.withResolvers<BellhopError>();
  const stops = new Set<() => void>();
  let failed: BellhopError | null = null;
  /** Settles when everything decided so far is durable. */
  let inFlight: Promise<unknown> = Promise.resolve();

  function believe(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      evolve(state, event);
      touch(changeOf(state, event));
    }
    options.believed?.(events);
  }

  function fail(error: unknown): BellhopError {
    if (failed) return failed;
    // Anything but the journal's own failure is our bug, and is not reported as the disk's.
    failed =
      error instanceof BellhopError
        ? error
        : new BellhopError("E_INTERNAL", { reason: theirWords(String(error)) }, { cause: error });
    failure.resolve(failed);
    for (const stop of [...stops]) guarded(stop, options.reconcilerFailed);
    return failed;
  }

  async function submit(command: Command): Promise<readonly RecordedEvent[]> {
    if (failed) throw failed;
    const rules = { ...options.rules(), ...(reserve?.full && { disk_full: true as const }) };
    const events = decideAndEvolve(ahead, options.redact(command), { at: isoTime(clock.now()), rules, check });
    if (events.length > 0) inFlight = options.append(events);
    // A command with nothing to do waits as well: what is in flight may be why there is nothing to do.
    await inFlight.catch((error: unknown) => Promise.reject(fail(error)));
    if (events.length > 0) believe(events);
    return events;
  }

  // What waits is told of it, and starts by itself when there is room again.
  reserve?.watch(() => {
    for (const { thread_id } of waitingSessions(state)) touch({ topic: thread_id, kind: "queue" });
    // And so do the windows that are wanted there.
    for (const { thread_id, tool } of Object.values(state.sessions))
      if (tool === WINDOW_TOOL && !state.windows[thread_id]) touch({ topic: thread_id, kind: "window" });
    if (!reserve.full) void submit({ type: "start_waiting" }).catch(() => undefined);
  });

  const until: Engine["until"] = (fact, only = kinds) => firstAnswer(fact, state, (look) => watch(only, look));
  return {
    state,
    submit,
    watch,
    until,
    rules: options.rules,
    get diskFull() {
      return reserve?.full ?? false;
    },
    get over() {
      return failed !== null;
    },
    atEnd(stop) {
      if (failed) stop();
      else stops.add(stop);
      return () => stops.delete(stop);
    },
    failed: failure.promise,
  };
}

/**
 * Who is told of changes: once for all topics that are touched before the next microtask, and never once it is over.
 */
function watchers(
  over: () => boolean,
  broke: (error: unknown) => void,
): { watch: Engine["watch"]; touch(change: { topic: string; kind: Kind }): void } {
  const all = new Set<{ kinds: ReadonlySet<Kind>; watcher: Watcher }>();
  let touched = new Map<Kind, Set<string>>();

  function tell(): void {
    const changes = touched;
    touched = new Map();
    if (over()) return;
    for (const { kinds, watcher } of [...all]) {
      const topics = new Set([...changes].flatMap(([kind, of]) => (kinds.has(kind) ? [...of] : [])));
      if (topics.size > 0) guarded(() => watcher(topics), broke);
    }
  }

  return {
    watch(kinds, watcher) {
      const one = { kinds: new Set(kinds), watcher };
      all.add(one);
      return () => all.delete(one);
    },
    touch({ topic, kind }) {
      if (touched.size === 0) queueMicrotask(tell);
      touched.set(kind, (touched.get(kind) ?? new Set()).add(topic));
    },
  };
}

/** A bug in one must not affect the others. */
function guarded(call: () => void, broke: (error: unknown) => void): void {
  try {
    call();
  } catch (error) {
    broke(error);
  }
}

/** Checked before an event is applied: events after one that could not be written would have no basis. */
function check({ type, payload }: Event): void {
  refuseInexact(payload, type);
}

/** Checks at once and after each change, until there is a truthy answer. */
function firstAnswer<T>(
  fact: (state: State) => T | undefined | null | false,
  state: State,
  watch: (look: () => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = watch(ask);
    ask();
    function ask(): void {
      try {
        const answer = fact(state);
        if (!answer) return;
        stop();
        resolve(answer);
      } catch (error) {
        stop();
        reject(error);
      }
    }
  });
}

export interface JournaledOptions extends EngineBasis {
  /** The state directory; already locked by us. */
  dir: string;
  disk: Disk;
  log: Log;
  rhythm: SnapshotRhythm;
  reserve: Reserve;
  /** Writes a large snapshot without holding anything up; see `rebuild-snapshot.ts`. */
  rebuild?(what: Rebuild): Promise<number>;
}

/**
 * The engine on its journal: the state as the journal has it, every event written before it is applied, and a snapshot
 * whenever enough has been written.
 * @throws E_JOURNAL_CORRUPT, E_JOURNAL_WRITE
 */
export async function openJournaledEngine({
  dir,
  disk,
  clock,
  log,
  rhythm,
  rules,
  reserve,
  rebuild,
  redact,
}: JournaledOptions): Promise<{ engine: Engine; journal: Journal; closeHistory(): Promise<number> }> {
  let state: State = emptyState();
  const journal = await openJournal({
    dir,
    disk: withReserve(disk, reserve, "again"),
    snapshotDisk: withReserve(disk, reserve, "fails"),
    // The journal has all of it, and needs what room is left.
    maySnapshot: () => !reserve.full,
    clock,
    canRead: understands,
    restore(snapshot) {
      state = restoreState(snapshot);
    },
    apply: (event) => evolve(state, event as unknown as RecordedEvent),
    onNotice: ({ kind, details }) => log.module("journal").warn(kind, details),
    rhythm,
    ...(rebuild && { writeApart: (at) => rebuild({ dir, at }) }),
  });
  let { seq } = journal.last;
  const engine = createEngine({
    state,
    clock,
    append: (events) => journal.append(events, events[0]?.ts),
    rules,
    reserve,
    redact,
    believed(events) {
      seq += events.length;
      journal.snapshotSoon(() => ({ seq, state }));
    },
    reconcilerFailed: (error) => log.failure("a reconciler failed", error),
  });
  return { engine, journal, closeHistory: () => journal.closeHistory(() => ({ seq, state })) };
}
