/**
 * A journal with a line of every event type, as it is written now, and the state that it means. A new event gets a
 * command in `everything.ts` or `every-detail.ts`; then, until the first release freezes the format,
 * `vitest run test/core/journal-lines.test.ts -u` writes both files anew, and the diff shows what has changed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { nodeDisk } from "../../src/base/disk.ts";
import { decideAndEvolve } from "../../src/core/decider.ts";
import { emptyState, FORMAT, restoreState, SHAPE, type RecordedEvent, type State } from "../../src/core/state.ts";
import { evolve, eventTypes, understands } from "../../src/core/evolve.ts";
import type { Progress } from "../../src/core/jobs/run.ts";
import { encode } from "../../src/journal/format.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { loadSnapshot, writeSnapshot } from "../../src/journal/snapshot.ts";
import { everything } from "./everything.ts";
import { rules } from "./scene.ts";

const FIXTURE = join(import.meta.dirname, "..", "fixtures", "journal", "events.ndjson");
const MEANS = join(import.meta.dirname, "..", "fixtures", "journal", "state.json");
const page = readFileSync(join(import.meta.dirname, "..", "..", "docs", "journal-format.md"), "utf8");

/** The payloads of the fixture's lines. */
function lines(): { type: string; payload: object }[] {
  const text = readFileSync(FIXTURE, "utf8").trimEnd();
  return text.split("\n").map((line) => JSON.parse(line) as { type: string; payload: object });
}

/** The state that the fixture is read to, and a snapshot of it. */
async function read(): Promise<{ state: State; snapshot: object }> {
  const dir = mkdtempSync(join(tmpdir(), "bellhop-lines-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "events.ndjson"), readFileSync(FIXTURE));
  const state = emptyState();
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    canRead: understands,
    restore: () => undefined,
    apply: (event) => evolve(state, event as unknown as RecordedEvent),
  });
  await writeSnapshot(nodeDisk, dir, journal.last, state);
  await journal.close();
  const loaded = await loadSnapshot(nodeDisk, dir);
  if (loaded.kind !== "good") throw new Error(`the snapshot is ${loaded.kind}`);
  return { state, snapshot: loaded.state };
}

test("the fixture's lines are those that are written now", async () => {
  const written = everything().events.map((event, index) => encode(event, index + 1, event.ts).line.toString());
  await expect(written.join("")).toMatchFileSnapshot(FIXTURE);
});

test("the journal is read to the state it means, and so is a snapshot of it", async () => {
  const { state, snapshot } = await read();
  // With its shape: whoever changes the state raises that.
  await expect(`${JSON.stringify({ shape: SHAPE, ...state }, null, 1)}\n`).toMatchFileSnapshot(MEANS);
  expect(restoreState(snapshot)).toEqual(state);
  expect(restoreState(null)).toEqual(emptyState());
});

test("every event type there is has a line in the fixture; a new one needs a line of its own", () => {
  expect([...new Set(lines().map(({ type }) => type))].sort()).toEqual([...eventTypes].sort());
});

test("every kind of progress there is has a line in the fixture", () => {
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
    compacted: true,
    renewed: true,
    warned: true,
    used: true,
    said: true,
    attachment: true,
    gone: true,
  };
  const seen = lines().flatMap(({ payload }) =>
    "kind" in payload && String(payload.kind) in kinds ? payload.kind : [],
  );
  expect([...new Set(seen)].sort()).toEqual(Object.keys(kinds).sort());
  for (const kind of Object.keys(kinds)) expect(page).toContain(`\`${kind}\``);
});

test("the page about the journal has every event type, and no other", () => {
  const listed = [...page.matchAll(/^- `([A-Z]\w+)`(?: \(|:)/gm)].map(([, type]) => type);
  expect(listed.sort()).toEqual([...eventTypes].sort());
});

test("the page names every field of every event in the fixture, in that event's own row", () => {
  const rows = new Map(
    page.split("\n### ").flatMap((group) => {
      const [, all = ""] = /^Each also has (.*)\.$/m.exec(group) ?? [];
      return [...group.matchAll(/^- `([A-Z]\w+)`(.*)$/gm)].map(([, type = "", row = ""]) => [type, `${all} ${row}`]);
    }),
  );
  const untold = lines().flatMap(({ type, payload }) =>
    Object.keys(payload)
      .filter((field) => !rows.get(type)?.includes(`\`${field}\``))
      .map((field) => `${type}.${field}`),
  );
  expect([...new Set(untold)]).toEqual([]);
});

test("a journal says its format once, and one of another format is refused, in its lines and in its snapshot's", async () => {
  const state = emptyState();
  const restart = (): string[] =>
    decideAndEvolve(state, { type: "restart" }, { at: "2026-11-22T00:00:00.000Z", rules }).map(({ type }) => type);
  expect(restart()).toEqual(["FormatRaised"]);
  expect(restart()).toEqual([]);
  expect(understands({ type: "FormatRaised", payload: { format: FORMAT } })).toBe(true);
  for (const other of [FORMAT - 1, FORMAT + 1])
    expect(understands({ type: "FormatRaised", payload: { format: other } })).toBe(false);
  // The snapshot has the state's format, so a release that knows only the first refuses it too.
  expect(restoreState(JSON.parse(JSON.stringify(state)) as object).version).toBe(FORMAT);
});
