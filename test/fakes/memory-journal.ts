/**
 * A journal in memory: what was appended is what a restart replays. A process that was killed appends nothing more,
 * and a caller that waits for it waits for ever, as with a real one.
 */
import { silentLog } from "../../src/base/log.ts";
import type { Clock } from "../../src/base/clock.ts";
import { emptyState, type RecordedEvent } from "../../src/core/state.ts";
import { evolve } from "../../src/core/evolve.ts";
import type { Rules } from "../../src/core/jobs/job.ts";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { asItIs } from "./no-secrets.ts";

export interface MemoryJournal {
  readonly events: RecordedEvent[];
  /** An engine as after a restart. `kill` ends its promises. */
  open(): { engine: Engine; kill(): void };
  /** From now on nothing is durable; what is appended until the function is called is durable then, all at once. */
  hold(): () => void;
}

export function createMemoryJournal(clock: Clock, rules: Partial<Rules> = {}, redact = asItIs): MemoryJournal {
  const events: RecordedEvent[] = [];
  const all: Rules = {
    max_queue_per_session: 20,
    global_max_running: 2,
    after_crash: "wait",
    resume_after_limit: "ask",
    max_prompt_chars: 200_000,
    ...rules,
  };

  let synced: Promise<void> | null = null;

  function open(): { engine: Engine; kill(): void } {
    const state = emptyState();
    for (const event of events) evolve(state, event);
    let killed = false;
    const engine = createEngine({
      redact,
      state,
      clock,
      rules: () => all,
      async append(batch) {
        if (killed) await new Promise<never>(() => undefined);
        events.push(...structuredClone(batch));
        if (synced) await synced;
      },
      reconcilerFailed(error) {
        silentLog.failure("a keeper threw", error);
        throw error;
      },
    });
    return { engine, kill: () => void (killed = true) };
  }

  function hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    synced = promise;
    return () => {
      synced = null;
      resolve();
    };
  }

  return { events, open, hold };
}
