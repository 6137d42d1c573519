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
import { openJournal, type Journal } from "../journal/journal.ts";
import { createEngine, type Engine } from "./engine.ts";
import { stateOf, type Rebuild } from "./rebuild-snapshot.ts";

export interface JournaledOptions {
  /** The state directory; already locked by us. */
  dir: string;
  disk: Disk;
  clock: Clock;
  log: Log;
  rhythm: { everyEvents: number; everyMs: number };
  rules(): Rules;
  /** Writes a large snapshot without holding anything up; see `rebuild-snapshot.ts`. */
  rebuild?(what: Rebuild): Promise<number>;
  /** See `EngineOptions`. */
  redact<T>(value: T): T;
}

/** @throws E_JOURNAL_CORRUPT, E_JOURNAL_WRITE */
export async function openJournaledEngine({ dir, disk, clock, log, rhythm, rules, rebuild, redact }: JournaledOptions): Promise<{ engine: Engine; journal: Journal }> {
  let state: State = emptyState();
  const journal = await openJournal({
    dir,
    disk,
    clock,
    knows: understands,
    restore(snapshot) {
      state = stateOf(snapshot);
    },
    apply: (event) => evolve(state, event as unknown as Recorded),
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
    redact,
    believed(events) {
      seq += events.length;
      journal.snapshotSoon(() => ({ seq, state }));
    },
    reconcilerFailed: (error) => log.failure("a reconciler failed", error),
  });
  return { engine, journal };
}
