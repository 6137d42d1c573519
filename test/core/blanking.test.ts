/**
 * What is blanked when a session is forgotten: every string of its lines but those under the names of a short list; and
 * with `SessionForgotten` blanked lines make the same state as those that were not, to the byte.
 */
import fc from "fast-check";
import { equal } from "node:assert/strict";
import { expect, test } from "vitest";
import { SessionLines } from "../../src/core/blanking.ts";
import { evolve, understands } from "../../src/core/evolve.ts";
import { FORMAT, emptyState, type RecordedEvent, type State } from "../../src/core/state.ts";
import { everything } from "./everything.ts";
import { decisionHistory, happen, history, PROMPT_CHARS, MANY, sendingHistory, THREADS } from "./history.ts";
import { Scene } from "./scene.ts";

const WORD = "geheim";

/** The events with this session forgotten after them, and the same with its words blanked. */
function forgotten(events: readonly RecordedEvent[], thread_id: string): [RecordedEvent[], RecordedEvent[]] {
  const ts = "2027-01-01T00:00:00.000Z";
  const all = [...events, { type: "SessionForgotten", payload: { thread_id }, ts } as const];
  const lines = new SessionLines(thread_id);
  for (const [index, event] of all.entries()) lines.read({ ...event, seq: index + 1 });
  const blank = all.map((event, index) => {
    const payload = lines.blanked({ ...event, seq: index + 1 });
    return payload === null ? event : ({ ...event, payload } as RecordedEvent);
  });
  return [all, blank];
}

function stateOf(events: readonly RecordedEvent[]): State {
  const state: State = { ...emptyState(), version: FORMAT };
  for (const event of events) evolve(state, event);
  return state;
}

/** Each string of the payload, under its names. */
function strings(value: unknown, path: string): [string, string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    strings(one, Array.isArray(value) ? `${path}[]` : `${path}.${name}`),
  );
}

/** The payload with a word in every string that this one of its names holds. */
function marked<Value>(value: Value, names: ReadonlySet<string>, path: string): Value {
  if (typeof value === "string") return (names.has(path) ? `${value}${WORD}` : value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => marked(one, names, `${path}[]`)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, marked(one, names, `${path}.${name}`)]),
  ) as Value;
}

/** To the byte. */
function same(one: State, other: State): void {
  for (const part of Object.keys(other) as (keyof State)[])
    equal(JSON.stringify(one[part]), JSON.stringify(other[part]));
  equal(JSON.stringify(one), JSON.stringify(other));
}

/** Each blanked event, and what it was. */
function blankedIn(events: readonly RecordedEvent[]): [RecordedEvent, RecordedEvent][] {
  const threads = new Set(events.flatMap(({ payload }) => ("thread_id" in payload ? (payload.thread_id ?? []) : [])));
  return [...threads].flatMap((thread) => {
    const [all, blank] = forgotten(events, thread);
    return all.flatMap((event, index) =>
      blank[index] && blank[index] !== event ? [[blank[index], event] as const] : [],
    );
  }) as [RecordedEvent, RecordedEvent][];
}

test("of every type of event, what stays in a blanked line is listed, and none of it is anybody's words", async () => {
  const { events } = everything();
  const kept = blankedIn(events).flatMap(([{ type, payload }]) =>
    strings(payload, type).flatMap(([path, value]) => (value === "" ? [] : path)),
  );
  await expect(`${[...new Set(kept)].sort().join("\n")}\n`).toMatchFileSnapshot("../fixtures/journal/kept-strings.txt");
});

test("a word put into every other string of a session's lines is gone from them and from the state, and each line is still read", () => {
  const { events } = everything();
  const free = new Set(
    blankedIn(events).flatMap(([blank, { type, payload }]) => {
      const kept = new Set(strings(blank.payload, type).map(([path, value]) => `${path} ${value}`));
      return strings(payload, type).flatMap(([path, value]) => (kept.has(`${path} ${value}`) ? [] : path));
    }),
  );
  const words = events.map((event) => ({
    ...event,
    payload: marked(event.payload, free, event.type),
  })) as RecordedEvent[];
  expect(JSON.stringify(words).split(WORD).length).toBeGreaterThan(100);
  for (const thread of Object.keys(stateOf(events).sessions)) {
    const [all, without] = forgotten(words, thread);
    const lines = new SessionLines(thread);
    for (const [index, event] of all.entries()) lines.read({ ...event, seq: index + 1 });
    for (const event of without) {
      expect(understands(event)).toBe(true);
      if ("forgotten" in event.payload) expect(JSON.stringify(event)).not.toContain(WORD);
    }
    // Blanked once more, nothing changes.
    expect(without.flatMap((event, index) => lines.blanked({ ...event, seq: index + 1 }) ?? [])).toEqual([]);
    same(stateOf(without), stateOf(all));
  }
});

test("in any history a forgotten session leaves the same state with and without its words, to the byte", () => {
  fc.assert(
    fc.property(fc.oneof(history, decisionHistory, sendingHistory), (steps) => {
      const scene = new Scene({ global_max_running: 2, max_queue_per_session: 6, max_prompt_chars: PROMPT_CHARS });
      scene.withSessions(...THREADS);
      for (const step of steps) happen(scene, step);
      const shown = { part: "welcome", message_id: "1", hash: "h", is: "claude /srv/app" };
      for (const thread of THREADS) scene.do({ type: "record_post", subject: thread, channel_id: thread, ...shown });
      for (const thread of THREADS) {
        const [all, without] = forgotten(scene.events, thread);
        const state = stateOf(all);
        same(stateOf(without), state);
        for (const name of ["jobs", "runs", "turns", "decisions", "notices"] as const)
          equal(
            Object.values(state[name]).some((one) => "thread_id" in one && one.thread_id === thread),
            false,
          );
      }
    }),
    { numRuns: MANY },
  );
});
