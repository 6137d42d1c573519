/**
 * A part of the core in one place: what can be asked of it, what can happen in it, what that does to the state, and who
 * has to look then. `slices.ts` lists all of them.
 */
import type { Rules } from "./jobs/job.ts";
import type { Command, Event } from "./slices.ts";
import type { State } from "./state.ts";

/** What of a thread, or of the whole, an event changes. A watcher names the kinds that concern it. */
export const kinds = [
  /** Its queued messages. */
  "queue",
  /** What runs in it: a job or an outside turn begins, gets on, is to stop. */
  "run",
  /** A job, or an outside turn, is over. */
  "end",
  /** What holds its queue: a limit, a change, a dialog, a crash. */
  "wait",
  /** What its agent asks, and where that stands. */
  "decision",
  /** Another post was made, edited or removed, and that is recorded. */
  "post",
  /** A notice is owed, or what was written is noted. */
  "notice",
  /** Its tool, name and project; opened, closed. */
  "session",
  /** Its model, mode and further choices. */
  "choice",
  /** What its agent has told: context, cost, work in the background. */
  "told",
  /** Where it stands in Discord: lost, found, read up to. */
  "place",
  "window",
  "adoption",
  "worktree",
  "archive",
  "start",
  "project",
  "inbox",
  "agent_post",
  /** What is the daemon's own: its owner, its journal's format. */
  "daemon",
] as const;

export type Kind = (typeof kinds)[number];

interface Typed {
  type: string;
}

/** `Commands`, `Events`: unions of its own. */
export interface Slice<Commands extends Typed, Events extends Typed> {
  readonly decide: Deciders<Commands>;
  /** What it makes of the commands of others, after them and in the order of the slices. */
  readonly alsoDecides?: Partial<Deciders<Command>>;
  readonly evolve: Evolvers<Events>;
  /** What it makes of the events of others, before them. */
  readonly alsoEvolves?: Partial<Evolvers<Event>>;
  /** Of each event; one for all of them; or by what it is about. */
  readonly kinds: Kind | { readonly [Type in Events["type"]]: Kind } | ((state: State, event: Events) => Kind);
  /**
   * What an event is about, for those who watch: a thread or channel, or a word for what belongs to none. Without it:
   * the thread of the event.
   */
  readonly topic?: (state: State, event: Events) => string;
}

/** @throws BellhopError a refusal: nothing happens */
type Deciders<Commands extends Typed> = {
  readonly [Type in Commands["type"]]: (
    state: State,
    command: Extract<Commands, { type: Type }>,
    at: string,
    rules: Rules,
  ) => Event[];
};

type Evolvers<Events extends Typed> = {
  readonly [Type in Events["type"]]: (state: State, event: Extract<Events, { type: Type }>, at: string) => void;
};

/** The same function under each of these names. */
export function each<Does, Type extends string>(does: Does, ...types: Type[]): Record<Type, Does> {
  return Object.fromEntries(types.map((type) => [type, does])) as Record<Type, Does>;
}

/** What these tables have under each name, in their order. */
export function byType<Does>(tables: readonly object[]): ReadonlyMap<string, readonly Does[]> {
  const all = new Map<string, Does[]>();
  for (const [type, does] of tables.flatMap((table) => Object.entries(table) as [string, Does][]))
    all.set(type, [...(all.get(type) ?? []), does]);
  return all;
}
