/**
 * The engine on its journal: the state as the journal has it, every event written before it is believed, and a
 * snapshot whenever enough has been written that it pays.
 */
import type { Clock } from "../base/clock.ts";
import type { Disk } from "../base/disk.ts";
import type { Log } from "../base/log.ts";
import { emptyState, evolve, eventTypes, type Recorded, type State } from "../core/house.ts";
import type { Rules } from "../core/job.ts";
import { restored } from "../core/restored.ts";
import { openJournal, type Journal } from "../journal/journal.ts";
import { createEngine, type Engine } from "./engine.ts";

export interface JournaledOptions {
  /** The state directory; ours and locked. */
  dir: string;
  disk: Disk;
  clock: Clock;
  log: Log;
  rhythm: { everyEvents: number; everyMs: number };
  rules(): Rules;
}

/** @throws E_JOURNAL_CORRUPT, E_JOURNAL_WRITE */
export async function openJournaledEngine({ dir, disk, clock, log, rhythm, rules }: JournaledOptions): Promise<{ engine: Engine; journal: Journal }> {
  let state: State = emptyState();
  const journal = await openJournal({
    dir,
    disk,
    clock,
    knows: (type) => (eventTypes as ReadonlySet<string>).has(type),
    restore(snapshot) {
      state = restored(snapshot as object | null);
    },
    apply: (event) => evolve(state, event as unknown as Recorded),
    onNotice: ({ kind, details }) => log.room("journal").warn(kind, details),
    rhythm,
  });
  let { seq } = journal.last;
  const engine = createEngine({
    state,
    clock,
    append: (events) => journal.append(events, events[0]?.ts),
    rules,
    believed(events) {
      seq += events.length;
      journal.snapshotSoon(() => ({ seq, state }));
    },
    keeperFailed: (error) => log.failure("a keeper broke", error),
  });
  return { engine, journal };
}
