/**
 * The engine on its journal: the state as the journal has it, every event written before it is applied, and a snapshot
 * whenever enough has been written.
 */
import type { Clock } from "../base/clock.ts";
import type { Disk } from "../base/disk.ts";
import type { Log } from "../base/log.ts";
import { emptyState, type Recorded, type State } from "../core/state.ts";
import { evolve, understands } from "../core/evolve.ts";
import type { Rules } from "../core/jobs/job.ts";
import { restored } from "../core/snapshot-upgrade.ts";
import { openJournal, type Journal } from "../journal/journal.ts";
import { createEngine, type Engine } from "./engine.ts";

export interface JournaledOptions {
  /** The state directory; already locked by us. */
  dir: string;
  disk: Disk;
  clock: Clock;
  log: Log;
  rhythm: { everyEvents: number; everyMs: number };
  rules(): Rules;
  /** See `EngineOptions`. */
  redact<T>(value: T): T;
}

/** @throws E_JOURNAL_CORRUPT, E_JOURNAL_WRITE */
export async function openJournaledEngine({ dir, disk, clock, log, rhythm, rules, redact }: JournaledOptions): Promise<{ engine: Engine; journal: Journal }> {
  let state: State = emptyState();
  const journal = await openJournal({
    dir,
    disk,
    clock,
    knows: understands,
    restore(snapshot) {
      // A snapshot of an earlier release does not have it, and only the events tell it.
      if (snapshot !== null && snapshot["last_project_number"] === undefined) throw new Error("the number of the last project is missing");
      state = restored(snapshot as object | null);
      state.last_project_number ??= 0;
    },
    apply: (event) => evolve(state, event as unknown as Recorded),
    onNotice: ({ kind, details }) => log.module("journal").warn(kind, details),
    rhythm,
  });
  let { seq } = journal.last;
  const engine = createEngine({
    state,
    clock,
    append: (events) => journal.append(events, events[0]?.ts),
    rules,
    redact,
    believed(events) {
      seq += events.length;
      journal.snapshotSoon(() => ({ seq, state }));
    },
    reconcilerFailed: (error) => log.failure("a reconciler failed", error),
  });
  return { engine, journal };
}
