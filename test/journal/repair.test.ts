import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { systemClock } from "../../src/base/clock.ts";
import { nodeDisk } from "../../src/base/disk.ts";
import { errors } from "../../src/base/errors.ts";
import { bellhop } from "../../src/cli/bellhop.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { takeLock } from "../../src/journal/lock.ts";
import { draft, idOf, numbers } from "./sample-state.ts";

let home = "";
let dir = "";

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "bellhop-repair-"));
  dir = join(home, "state");
  mkdirSync(dir, { mode: 0o700 });
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

/** Opens the journal on the real disk, appends the ids, closes it with a snapshot; returns all ids. */
async function live(...more: number[]): Promise<number[]> {
  let ids: number[] = [];
  const journal = await openJournal({
    dir,
    disk: nodeDisk,
    clock: systemClock,
    canRead: () => true,
    restore: (state) => (ids = state === null ? [] : (state["ids"] as number[])),
    apply: (event) => ids.push(idOf(event)),
    segmentBytes: 500,
  });
  for (const id of more) {
    const { seq } = await journal.append([draft(id)]);
    ids.push(id);
    journal.snapshotSoon(() => ({ seq, state: { ids } }));
  }
  await journal.close();
  return ids;
}

async function run(...argv: string[]): Promise<{ exit: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const exit = await bellhop(["journal", ...argv], {
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    env: { STATE_DIR: dir, BELLHOP_LOCALE: "en" },
  });
  return { exit, out, err };
}

function flip(name: string, offset: number): void {
  const bytes = readFileSync(join(dir, name));
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(join(dir, name), bytes);
}

function segments(): string[] {
  return readdirSync(dir).filter((name) => /^events-\d+\.ndjson$/.test(name));
}

test("a whole journal is whole, and a repair of it changes nothing", async () => {
  await live(...numbers(20));
  const files = readdirSync(dir);
  const { exit, out } = await run("verify", "--json");
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    events: 20,
    files: segments().length + 1,
    tail: { kind: "none" },
    snapshot: { kind: "good", seq: 20 },
  });
  expect((await run("repair")).exit).toBe(0);
  expect(readdirSync(dir).filter((name) => !name.startsWith("lock."))).toEqual(files);
});

test("damage in a segment is told exactly; the repair keeps what is before it, and the originals", async () => {
  await live(...numbers(30));
  rmSync(join(dir, "snapshot.json"));
  const damaged = segments()[2] ?? "";
  const first = readFileSync(join(dir, damaged)).indexOf(10) + 1;
  flip(damaged, first + 60);
  const originals = join(home, "originals");
  cpSync(dir, originals, { recursive: true });
  const seq = Number(/\d+/.exec(damaged)?.[0]) + 1;

  const found = await run("verify", "--json");
  expect(found.exit).toBe(65);
  expect(JSON.parse(found.out)).toMatchObject({
    ok: false,
    events: seq - 1,
    damage: { file: join(dir, damaged), offset: first, seq },
    snapshot: { kind: "missing" },
  });
  await expect(live()).rejects.toMatchObject({ code: "E_JOURNAL_CORRUPT" });

  const repaired = await run("repair", "--json");
  const report = JSON.parse(repaired.out) as { cut: object; kept: string[] };
  expect(repaired.exit).toBe(0);
  expect(report.cut).toMatchObject({ seq, events: 30 - seq + 1 });
  for (const copy of report.kept) {
    const name = (copy.split("/").at(-1) ?? "").replace(/\.damaged-.*/, "");
    expect(readFileSync(copy)).toEqual(readFileSync(join(originals, name)));
  }
  expect(await live(100)).toEqual([...numbers(seq - 1), 100]);
});

test("damage that a sound snapshot covers is told, and nothing is cut for it", async () => {
  await live(...numbers(30));
  flip(segments()[1] ?? "", 60);
  const found = await run("verify", "--json");
  expect(found.exit).toBe(65);
  expect(JSON.parse(found.out)).toMatchObject({ ok: false, covered: true, snapshot: { kind: "good", seq: 30 } });
  const files = readdirSync(dir);
  expect((await run("repair")).exit).toBe(65);
  expect(readdirSync(dir).filter((name) => !name.startsWith("lock."))).toEqual(files);
  expect(await live(31)).toEqual(numbers(31));
});

test("damage at the start of the live file moves the whole of it aside", async () => {
  await live(...numbers(12));
  flip("events.ndjson", 3);
  expect((await run("repair")).exit).toBe(0);
  expect(readdirSync(dir).some((name) => name.startsWith("events.ndjson.damaged-"))).toBe(true);
  expect((await run("verify")).exit).toBe(0);
  expect((await live(100)).at(-1)).toBe(100);
});

test("a missing end is told by the snapshot, which the repair sets aside", async () => {
  await live(...numbers(5));
  writeFileSync(join(dir, "events.ndjson"), "");
  expect((await run("verify")).exit).toBe(65);
  expect((await run("repair")).exit).toBe(0);
  expect(readdirSync(dir).some((name) => name.startsWith("snapshot.json.damaged-"))).toBe(true);
});

test("a torn end and a damaged snapshot are told and are no damage: the next start mends them", async () => {
  await live(1);
  writeFileSync(join(dir, "events.ndjson"), '{"seq":2,"ts":"20', { flag: "a" });
  flip("snapshot.json", 5);
  const { exit, out } = await run("verify", "--json");
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    events: 1,
    tail: { kind: "torn", bytes: 17 },
    snapshot: { kind: "unusable" },
  });
  expect(await live(2)).toEqual([1, 2]);
});

test("a repair is refused while a daemon runs; verify and export are not", async () => {
  await live(1);
  const lock = takeLock(dir);
  const refused = await run("repair");
  expect(refused).toMatchObject({ exit: errors.E_DAEMON_RUNNING.exit, out: "" });
  expect(refused.err).toMatch(new RegExp(`^E_DAEMON_RUNNING: .*\\b${process.pid}\\b`));
  expect((await run("verify")).exit).toBe(0);
  expect((await run("export")).exit).toBe(0);
  lock.release();
});

test("export prints the events without their crc, up to the damage, and says so", async () => {
  await live(...numbers(20));
  const printed = (await run("export")).out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(printed.map(({ seq }) => seq)).toEqual(numbers(20));
  expect(Object.keys(printed[0] ?? {})).toEqual(["seq", "ts", "type", "payload"]);
  flip(segments()[1] ?? "", 10);
  const { exit, out, err } = await run("export");
  expect(exit).toBe(65);
  expect(out.trimEnd().split("\n").length).toBeLessThan(20);
  expect(err).toContain("damaged");
});

test("the words say what, where and how much", async () => {
  await live(...numbers(10));
  flip("events.ndjson", 70);
  const { out } = await run("verify");
  expect(out).toContain(join(dir, "events.ndjson"));
  expect(out).toMatch(/byte 0, where event \d+ should be/);
  expect((await run("repair")).out).toMatch(/Cut off from event \d+ on: \d+ events, \d+ bytes\./);
});

test.for([[[]], [["mend"]], [["verify", "more"]]])("a wrong call exits with 64: %j", async ([argv]) => {
  const { exit, err } = await run(...(argv ?? []));
  expect(exit).toBe(64);
  expect(err).toContain("verify|repair|export");
});
