/**
 * Lines of every event type as they were first written: each later version must read them and come to the same state.
 */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { nodeDisk } from "../../src/base/disk.ts";
import { FORMAT } from "../../src/core/restart.ts";
import { step } from "../../src/core/decider.ts";
import { emptyState, restored, type Recorded, type State } from "../../src/core/state.ts";
import { evolve, eventTypes, understands } from "../../src/core/evolve.ts";
import type { Progress } from "../../src/core/jobs/run.ts";
import { openJournal } from "../../src/journal/journal.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "journal");
/** Each in lines of its own. */
const VERSIONS = readdirSync(fixtures)
  .flatMap((file) => /^(v\d+)\.ndjson$/.exec(file)?.[1] ?? [])
  .sort();
const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "journal-format.md"), "utf8");

/** The state that a journal of these lines is read to, and the types of event in it. */
async function read(version: string): Promise<{ state: State; types: Set<string> }> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-old-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  copyFileSync(join(fixtures, `${version}.ndjson`), join(dir, "events.ndjson"));
  const state = emptyState();
  const types = new Set<string>();
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    knows: understands,
    restore: () => undefined,
    apply(event) {
      types.add(event.type);
      evolve(state, event as unknown as Recorded);
    },
  });
  await journal.close();
  return { state, types };
}

const json = (name: string): object => JSON.parse(readFileSync(join(fixtures, name), "utf8")) as object;

test.each(VERSIONS)("the journal of %s is read to the state it meant then", async (version) => {
  expect((await read(version)).state).toEqual(json(`${version}.state.json`));
});

test("every event type there is has a line among the fixtures; a new one needs a line of its own", async () => {
  const types = (await Promise.all(VERSIONS.map(read))).flatMap((one) => [...one.types]);
  expect([...new Set(types)].sort()).toEqual([...eventTypes].sort());
});

test("every kind of progress there is has a line among the fixtures", () => {
  const lines = VERSIONS.map((version) => readFileSync(join(fixtures, `${version}.ndjson`), "utf8")).join("");
  const kinds: Record<Progress["kind"], true> = {
    process: true,
    session_key: true,
    tool: true,
    denied: true,
    checkout: true,
    checkout_end: true,
    changes: true,
    unmeasured: true,
    access: true,
    left_out: true,
    ended_early: true,
    said: true,
    attachment: true,
    gone: true,
  };
  const seen = [...lines.matchAll(/"type":"JobProgress","payload":\{[^}]*?"kind":"(\w+)"/g)].map(([, kind]) => kind);
  expect([...new Set(seen)].sort()).toEqual(Object.keys(kinds).sort());
  for (const kind of Object.keys(kinds)) expect(page).toContain(`\`${kind}\``);
});

test("a snapshot of the first version becomes the state that its journal gives now", async () => {
  // The engine reads the events instead, because only they tell this number.
  const { last_project_number: _told, ...state } = (await read("v1")).state;
  expect(restored(json("v1.snapshot.json"))).toEqual(state);
  expect(restored((await read("v2")).state)).toEqual((await read("v2")).state);
  expect(restored(null)).toEqual(emptyState());
});

test("the page about the journal has every event type, and no other", () => {
  const listed = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, type]) => type);
  expect(listed.sort()).toEqual([...eventTypes].sort());
});

test("a journal says its format once, and one of a later format is refused, in its lines and in its snapshot's", async () => {
  const state = emptyState();
  const rules = {
    max_queue_per_session: 1,
    global_max_running: 1,
    after_crash: "wait",
    resume_after_limit: "ask",
    max_prompt_chars: 1,
  } as const;
  const restart = (): string[] =>
    step(state, { type: "restart" }, { at: "2026-11-22T00:00:00.000Z", rules }).map(({ type }) => type);
  expect(restart()).toEqual(["FormatRaised"]);
  expect(restart()).toEqual([]);
  expect(understands({ type: "FormatRaised", payload: { format: FORMAT } })).toBe(true);
  expect(understands({ type: "FormatRaised", payload: { format: FORMAT + 1 } })).toBe(false);
  // The snapshot has the state's format, so a release that knows only the first refuses it too.
  expect(restored(JSON.parse(JSON.stringify(state)) as object).version).toBe(FORMAT);
});

test("the page names every field of every event in the fixtures, in that event's own row", () => {
  const rows = new Map([...page.matchAll(/^\| `([A-Z]\w+)` \|(.*)$/gm)].map(([, type = "", row = ""]) => [type, row]));
  const lines = VERSIONS.flatMap((version) =>
    readFileSync(join(fixtures, `${version}.ndjson`), "utf8")
      .trim()
      .split("\n"),
  );
  const untold = lines.flatMap((line) => {
    const { type, payload } = JSON.parse(line) as { type: string; payload: object };
    return Object.keys(payload)
      .filter((field) => !rows.get(type)?.includes(`\`${field}\``))
      .map((field) => `${type}.${field}`);
  });
  expect([...new Set(untold)]).toEqual([]);
});
