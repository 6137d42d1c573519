/**
 * The one door to the state: `submit` decides a command, has its events written and synced, and only then lets
 * anybody believe them. Decisions are taken on a state that runs ahead of the disk by what is in flight; everybody
 * else sees the other copy, where every fact is durable. A journal that fails ends all promises for good.
 */
import { BellhopError } from "../base/errors.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import { evolve, step, topicOf, type Command, type Event, type Recorded, type State } from "../core/house.ts";
import type { Rules } from "../core/job.ts";
import { refuseInexact } from "../journal/format.ts";

/** Told which threads (by id) and other topics (`projects`, `starts`) have changed since it was last told. */
export type Keeper = (topics: ReadonlySet<string>) => void;

export interface Engine {
  /** Everything in it is on disk. To be read, never changed. */
  readonly state: State;
  /**
   * Resolves with the events once they are durable and in `state`; none when there was nothing to do.
   * Rejects with a `BellhopError`: a refusal of the core (nothing happened), or the one that ended the engine (nothing
   * will any more). A command that no journal could hold exactly is a bug: it rejects with a `TypeError`, and nothing happened.
   */
  submit(command: Command): Promise<readonly Recorded[]>;
  /** Calls the keeper after each durable change, all that one sync brought at once. Returns how to stop it. */
  watch(keeper: Keeper): () => void;
  /** Resolves with the first truthy answer, asked now and after each change. */
  until<T>(fact: (state: State) => T | undefined | null | false): Promise<T>;
  /** Resolves when the journal has failed (`E_JOURNAL_WRITE`, or `E_INTERNAL` where the fault is ours): the daemon must say so and go. */
  readonly failed: Promise<BellhopError>;
}

export interface EngineOptions {
  /** The state as replayed; it belongs to the engine from here on. */
  state: State;
  /** Makes the events durable, in the order of the calls. */
  append(events: readonly Recorded[]): Promise<unknown>;
  clock: Clock;
  /** The owner's rules as they are now. */
  rules(): Rules;
  /** Called after each batch is believed; the snapshot's chance. */
  believed?(events: readonly Recorded[]): void;
  /** A keeper threw: a bug, which must not take the others along. */
  keeperFailed(error: unknown): void;
}

export function createEngine(options: EngineOptions): Engine {
  const { state, clock } = options;
  const ahead = structuredClone(state);
  const keepers = new Set<Keeper>();
  const failure = Promise.withResolvers<BellhopError>();
  let failed: BellhopError | null = null;
  let touched = new Set<string>();
  let telling = false;

  function tell(): void {
    telling = false;
    const topics = touched;
    touched = new Set();
    for (const keeper of [...keepers]) {
      try {
        keeper(topics);
      } catch (error) {
        options.keeperFailed(error);
      }
    }
  }

  function believe(events: readonly Recorded[]): void {
    for (const event of events) {
      evolve(state, event);
      touched.add(topicOf(state, event));
    }
    options.believed?.(events);
    if (telling) return;
    telling = true;
    queueMicrotask(tell);
  }

  async function submit(command: Command): Promise<readonly Recorded[]> {
    if (failed) throw failed;
    const events = step(ahead, command, isoTime(clock.now()), options.rules(), check);
    if (events.length === 0) return events;
    try {
      await options.append(events);
    } catch (error) {
      // Whatever is not the journal's own word for its failure is our bug, and is not told as the disk's.
      failed ??= error instanceof BellhopError ? error : new BellhopError("E_INTERNAL", { reason: String(error) }, { cause: error });
      failure.resolve(failed);
      throw failed;
    }
    believe(events);
    return events;
  }

  function watch(keeper: Keeper): () => void {
    keepers.add(keeper);
    return () => keepers.delete(keeper);
  }

  const until = <T>(fact: (state: State) => T | undefined | null | false): Promise<T> => firstAnswer(fact, state, watch);
  return { state, submit, watch, until, failed: failure.promise };
}

/** Before anything is believed of it: what comes after an event that could not be written would hang in the air. */
function check({ type, payload }: Event): void {
  refuseInexact(payload, type);
}

/** Asks at once and after each change, until there is a truthy answer. */
function firstAnswer<T>(
  fact: (state: State) => T | undefined | null | false,
  state: State,
  watch: Engine["watch"],
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
