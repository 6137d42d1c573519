/**
 * `decideAndEvolve`, the whole core: it decides a command on the state, applies the events, and starts what may run or, while it
 * is locked, ends what runs.
 * Pure: no clock, no randomness, no I/O; time comes in with the command.
 */
import { isLate } from "./jobs/forgetting.ts";
import type { Rules } from "./jobs/job.ts";
import { nextStart } from "./jobs/queue.ts";
import { decideByLock, nextEnd } from "./jobs/lock.ts";
import { evolve } from "./evolve.ts";
import { byType } from "./slice.ts";
import { slices, type Command, type Event } from "./slices.ts";
import type { RecordedEvent, State } from "./state.ts";

export interface Moment {
  /** ISO 8601. */
  at: string;
  rules: Rules;
  /** Called with each event before any is applied; throws for one that cannot be recorded. */
  check?(event: Event): void;
}

/**
 * Decides, evolves `state`, and returns the events. Throws a `BellhopError` for a refusal, or what `check` throws; then
 * nothing has changed.
 */
export function decideAndEvolve(state: State, command: Command, { at, rules, check }: Moment): RecordedEvent[] {
  const recorded: RecordedEvent[] = [];
  const believe = (event: Event): void => {
    const fact = { ...event, ts: at };
    evolve(state, fact);
    recorded.push(fact);
  };
  const decided = decide(state, command, at, rules);
  if (check) decided.forEach(check);
  decided.forEach(believe);
  const nextOf = (): Event | null => nextStart(state, rules, at) ?? nextEnd(state);
  for (let next = nextOf(); next; next = nextOf()) believe(next);
  return recorded;
}

type Decider = (state: State, command: Command, at: string, rules: Rules) => Event[];

const deciders = byType<Decider>([
  ...slices.map(({ decide: own }) => own),
  ...slices.map(({ alsoDecides }) => alsoDecides ?? {}),
]);

export function decide(state: State, command: Command, at: string, rules: Rules): Event[] {
  const events =
    decideByLock(state, command) ?? (deciders.get(command.type) ?? []).flatMap((one) => one(state, command, at, rules));
  return events.some((event) => isLate(state, event)) ? events.filter((event) => !isLate(state, event)) : events;
}
