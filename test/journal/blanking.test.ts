/**
 * The closed segments are blanked one by one, each whole or not at all; nothing else of them changes, and `verify` knows
 * each hole, and one that nothing explains.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { nodeDisk } from "../../src/base/disk.ts";
import { evolve, understands } from "../../src/core/evolve.ts";
import { emptyState, type RecordedEvent, type State } from "../../src/core/state.ts";
import { blankSession } from "../../src/journal/blanking.ts";
import { openJournal, type Journal } from "../../src/journal/journal.ts";
import { repairJournal, verifyJournal } from "../../src/journal/verify.ts";
import { everything } from "../core/everything.ts";
import { T1 } from "../core/scene.ts";
import { faultyDisk } from "../fakes/disk/faulty-disk.ts";

const TS = "2027-01-01T00:00:00.000Z";
/** It stands in many lines of the first session. */
const WORD = "npm run watch";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bellhop-blanking-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
});

/** A journal of many segments, with the first session forgotten at its end; `forget`: false, it is not. */
async function written(forget = true, maySnapshot = (): boolean => true): Promise<{ journal: Journal; state: State }> {
  const state = emptyState();
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    canRead: understands,
    restore: () => undefined,
    apply: () => undefined,
    segmentBytes: 2_000,
    maySnapshot,
  });
  const events = [
    ...everything().events,
    ...(forget ? [{ type: "SessionForgotten", payload: { thread_id: T1 }, ts: TS } as RecordedEvent] : []),
  ];
  for (const event of events) {
    await journal.append([event], event.ts);
    evolve(state, event);
  }
  return { journal, state };
}

async function closed(forget = true): Promise<number> {
  const { journal, state } = await written(forget);
  const through = await journal.closeHistory(() => ({ seq: journal.last.seq, state }));
  await journal.close();
  return through;
}

const segments = (): string[] => readdirSync(dir).filter((name) => /^events-\d+\.ndjson$/.test(name));
const linesIn = (name: string): string[] => readFileSync(join(dir, name), "utf8").split("\n");
const all = (): string[] => segments().flatMap(linesIn);

test("closing the history needs a snapshot; what is appended meanwhile is kept, and an empty file is not closed", async () => {
  let full = true;
  const { journal, state } = await written(true, () => !full);
  const take = () => ({ seq: journal.last.seq, state });
  const before = segments();
  await expect(journal.closeHistory(take)).rejects.toMatchObject({ code: "E_DISK_FULL" });
  expect(segments()).toEqual(before);
  full = false;
  const { seq } = journal.last;
  const more = { type: "ForgettingDone", payload: { thread_id: T1 } };
  const [through] = await Promise.all([journal.closeHistory(take), journal.append([more])]);
  expect(through).toBe(seq);
  const closedBy = segments().length;
  expect(closedBy).toBeGreaterThan(before.length);
  expect(await verifyJournal(nodeDisk, dir)).toMatchObject({ ok: true, events: seq + 1, snapshot: { seq } });
  await journal.append([more]);
  await journal.closeHistory(take);
  await journal.closeHistory(take);
  expect(segments()).toHaveLength(closedBy + 1);
  expect(await verifyJournal(nodeDisk, dir)).toMatchObject({ ok: true, events: seq + 2 });
  await journal.close();
});

test("lines of the session lose their words, each other one stays as it is, byte for byte, and so do files without any", async () => {
  const through = await closed();
  const before = new Map(
    segments().map((name) => [name, { lines: linesIn(name), ino: statSync(join(dir, name)).ino }]),
  );
  expect(before.size).toBeGreaterThan(5);
  expect(all().join("\n")).toContain(WORD);
  const { events, works } = await blankSession(nodeDisk, { dir, threadId: T1, through });
  expect(events).toBeGreaterThan(50);
  expect(works.length).toBeGreaterThan(3);
  expect(all().join("\n")).not.toContain(WORD);
  for (const [name, { lines, ino }] of before) {
    const blanked = linesIn(name).filter((line, index) => line !== lines[index]);
    for (const line of blanked) expect(line).toContain('"forgotten":true');
    expect(statSync(join(dir, name)).ino === ino).toBe(blanked.length === 0);
  }
  const left = [...before.values()].flatMap(({ lines }) => lines);
  expect(
    all()
      .filter((line) => !line.includes('"forgotten":true'))
      .every((line) => left.includes(line)),
  ).toBe(true);
  expect(await verifyJournal(nodeDisk, dir)).toMatchObject({ ok: true, forgotten: events, snapshot: { kind: "good" } });

  // Once more, nothing is left to do.
  const again = all();
  expect(await blankSession(nodeDisk, { dir, threadId: T1, through })).toMatchObject({ events: 0, works });
  expect(all()).toEqual(again);
});

test("a disk that refuses leaves each file with its old lines or its new ones, and the rest is done the next time", async () => {
  const through = await closed();
  let failures = 0;
  for (let at = 1; ; at += 7) {
    const disk = faultyDisk(nodeDisk, { at, error: "ENOSPC", forEver: false });
    const done = await blankSession(disk, { dir, threadId: T1, through }).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: "E_JOURNAL_WRITE" });
        return false;
      },
    );
    expect(await verifyJournal(nodeDisk, dir)).toMatchObject({ ok: true });
    expect(readdirSync(dir).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    if (done) break;
    failures += 1;
  }
  expect(failures).toBeGreaterThan(0);
  expect(all().join("\n")).not.toContain(WORD);
});

test("damage anywhere stops it before anything is written", async () => {
  const through = await closed();
  const [name = ""] = segments().slice(-2);
  const bytes = readFileSync(join(dir, name));
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  writeFileSync(join(dir, name), bytes);
  const before = all();
  await expect(blankSession(nodeDisk, { dir, threadId: T1, through })).rejects.toMatchObject({
    code: "E_JOURNAL_CORRUPT",
    details: { file: join(dir, name) },
  });
  expect(all()).toEqual(before);
});

test("a session that is not forgotten loses nothing; a hole without its reason is damage that no repair cuts at", async () => {
  const through = await closed(false);
  const before = all();
  expect(await blankSession(nodeDisk, { dir, threadId: T1, through })).toMatchObject({ events: 0 });
  expect(all()).toEqual(before);

  rmSync(dir, { recursive: true });
  dir = mkdtempSync(join(tmpdir(), "bellhop-blanking-"));
  const until = await closed();
  await blankSession(nodeDisk, { dir, threadId: T1, through: until });
  const [last = ""] = segments().slice(-1);
  const lines = linesIn(last);
  const reason = lines.findIndex((line) => line.includes('"type":"SessionForgotten"') && line.includes(T1));
  writeFileSync(
    join(dir, last),
    lines
      .slice(0, reason)
      .map((line) => `${line}\n`)
      .join(""),
  );
  rmSync(join(dir, "snapshot.json"));
  const holes = all().filter((line) => line.includes('"forgotten":true')).length;
  const report = await verifyJournal(nodeDisk, dir);
  expect(report).toMatchObject({
    ok: false,
    hole: true,
    covered: true,
    damage: { found: expect.stringMatching(/blanked/) },
  });
  const files = readdirSync(dir);
  const repaired = await repairJournal(nodeDisk, dir, TS);
  expect(repaired.kept).toEqual([]);
  expect(readdirSync(dir)).toEqual(files);
  expect(holes).toBeGreaterThan(0);
});
