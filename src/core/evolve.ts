/**
 * What each event does to the state, live and at replay, and what of it that is: only those who watch that look. An
 * event changes only what it is about, and never fails.
 */
import { follow } from "./indexed.ts";
import { byType, type Kind } from "./slice.ts";
import { slices, type Event } from "./slices.ts";
import { FORMAT, type RecordedEvent, type State } from "./state.ts";

type Evolver = (state: State, event: Event, at: string) => void;
type Told<What> = (state: State, event: Event) => What;

const evolvers = byType<Evolver>([
  ...slices.map(({ alsoEvolves }) => alsoEvolves ?? {}),
  ...slices.map(({ evolve: own }) => own),
]);

const changes = new Map(
  slices.flatMap((slice) => Object.keys(slice.evolve).map((type) => [type, changesIn(slice, type)] as const)),
);

/** Every event type this version understands; a journal with any other is refused. */
export const eventTypes: ReadonlySet<string> = new Set(changes.keys());

export function evolve(state: State, recorded: RecordedEvent): void {
  const event = withoutMark(recorded);
  for (const one of evolvers.get(event.type) ?? []) one(state, event, event.ts);
  followEvent(state, event);
}

/** What says that a line was blanked is not the state's. */
function withoutMark(event: RecordedEvent): RecordedEvent {
  if (!("forgotten" in event.payload)) return event;
  const { forgotten: _forgotten, ...payload } = event.payload;
  return { ...event, payload } as RecordedEvent;
}

/** Reindexes the entries that an event is about; an evolver that changes others calls `follow` itself. */
function followEvent(state: State, { payload }: RecordedEvent): void {
  if ("decision_id" in payload) follow(state.decisions, payload.decision_id);
  if ("job_id" in payload) follow(state.runs, payload.job_id);
  if (!("thread_id" in payload) || payload.thread_id === null) return;
  follow(state.threads, payload.thread_id);
  follow(state.sessions, payload.thread_id);
}

/** Whether this version reads the event as it was meant. */
export function understands({ type, payload }: { type: string; payload: object }): boolean {
  if (type === "FormatRaised") return "format" in payload && payload.format === FORMAT;
  return eventTypes.has(type);
}

/** What an event changes, and where: a thread or channel id, or a word for what belongs to none. */
export function changeOf(state: State, event: Event): { kind: Kind; topic: string } {
  const { kind, topic } = changes.get(event.type) ?? { kind: () => "daemon" as const, topic: threadOf };
  return { kind: kind(state, event), topic: topic(state, event) };
}

function changesIn(
  { kinds, topic = threadOf }: (typeof slices)[number],
  type: string,
): { kind: Told<Kind>; topic: Told<string> } {
  const of = typeof kinds === "object" ? (kinds as Readonly<Record<string, Kind>>)[type] : kinds;
  return { kind: (typeof of === "function" ? of : () => of ?? "daemon") as Told<Kind>, topic: topic as Told<string> };
}

/** A decision may have no thread yet. */
function threadOf(_state: State, { payload }: Event): string {
  return ("thread_id" in payload ? payload.thread_id : null) ?? "decisions";
}
