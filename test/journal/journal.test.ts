import { FORMAT, SHAPE } from "../../src/core/state.ts";
import { expect, test } from "vitest";

import { BellhopError } from "../../src/base/errors.ts";
import { encode, seal } from "../../src/journal/format.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { faultyDisk } from "../fakes/disk/faulty-disk.ts";
import { MemoryDisk } from "../fakes/disk/memory-disk.ts";
import { diskWithSnapshot } from "./damage.ts";
import { DIR, TS, codeOf, diskWith, draft, lines, numbers, openHouse, real, still } from "./sample-state.ts";

const LIVE = `${DIR}/events.ndjson`;

async function refusal(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BellhopError)) throw new Error(`not refused: ${String(error)}`);
  return { code: error.code, ...error.details };
}

/** Changes a text in the snapshot, which stays sound. */
function reseal(disk: MemoryDisk, from: string, to: string): void {
  const text = disk.bytes(`${DIR}/snapshot.json`).toString().replace(from, to);
  disk.put(`${DIR}/snapshot.json`, Buffer.from(`${seal(text.replace(/,"crc":"[0-9a-f]{8}"\}\n$/, "}")).text}\n`));
}

test("what is appended is there, in the order of the calls, after another opening", async () => {
  const disk = new MemoryDisk(DIR);
  const { journal, tell } = await openHouse(real, disk);
  await Promise.all([tell(1), tell(2, 3), tell(4)]);
  await journal.close();
  const again = await openHouse(real, disk);
  expect(again.ids).toEqual([1, 2, 3, 4]);
  expect(again.journal.last.seq).toBe(4);
});

test("all that is appended in one turn shares one write and one sync", async () => {
  const disk = new MemoryDisk(DIR);
  const { tell } = await openHouse(real, disk);
  const before = disk.operations;
  await Promise.all(numbers(64).map((id) => tell(id)));
  expect(disk.operations - before).toBe(2);
});

test("what is appended during a sync goes out together in the next one", async () => {
  const disk = new MemoryDisk(DIR);
  const { tell } = await openHouse(real, disk);
  const before = disk.operations;
  await tell(1).then(() => Promise.all([tell(2), tell(3)]));
  expect(disk.operations - before).toBe(4);
});

test("an event that is not plain JSON is refused and takes no number", async () => {
  const { journal, tell } = await openHouse(real, new MemoryDisk(DIR));
  await expect(journal.append([draft(1), { type: "A", payload: { at: new Date(0) } }])).rejects.toThrow(TypeError);
  await tell(1);
  expect(journal.last.seq).toBe(1);
});

test("after a failed write every append rejects, and the file is not touched again", async () => {
  const inner = new MemoryDisk(DIR);
  await openHouse(real, inner).then(({ journal }) => journal.close());
  const calm = faultyDisk(inner, { at: Number.POSITIVE_INFINITY, error: "ENOSPC", forEver: false });
  const { journal } = await openHouse(real, calm);
  const broken = faultyDisk(inner, { at: calm.operations + 1, error: "ENOSPC", forEver: false });
  await journal.close();
  const house = await openHouse(real, broken);
  const [first, second] = [house.tell(1), house.tell(2)];
  expect(await refusal(first)).toMatchObject({
    code: "E_JOURNAL_WRITE",
    operation: "write",
    reason: expect.stringContaining("ENOSPC") as unknown,
  });
  expect(await codeOf(second)).toBe("E_JOURNAL_WRITE");
  const operations = broken.operations;
  expect(await codeOf(house.tell(3))).toBe("E_JOURNAL_WRITE");
  expect(broken.operations).toBe(operations);
  expect(house.journal.failed).toBeInstanceOf(BellhopError);
  await house.journal.close();
  expect(broken.touchedAfterFailure).toEqual([]);
});

test("damage is told with its file, byte and sequence number", async () => {
  const good = lines(5);
  const offset = Buffer.concat(good.slice(0, 2)).length;
  const bytes = Buffer.concat(good);
  bytes[offset + 70] = 0x58;
  expect(await refusal(openHouse(real, diskWith(bytes)))).toMatchObject({
    code: "E_JOURNAL_CORRUPT",
    file: LIVE,
    offset,
    seq: 3,
  });
});

test("an event of a kind this version does not know is refused, never skipped", async () => {
  const opening = openHouse(real, diskWith(Buffer.concat(lines(3))), { knows: ({ type }) => type !== "JobProgress" });
  expect(await refusal(opening)).toMatchObject({
    code: "E_JOURNAL_CORRUPT",
    seq: 1,
    found: expect.stringContaining("JobProgress") as unknown,
  });
});

const tails: [string, Buffer, number | "refused"][] = [
  ["nothing", Buffer.alloc(0), 3],
  ["NULs", Buffer.alloc(700), 3],
  ["half a record", (lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, 50), 3],
  ["half a record and NULs", Buffer.concat([(lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, 50), Buffer.alloc(99)]), 3],
  ["a record without its newline", (lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, -1), 4],
  ["a record and NULs", Buffer.concat([(lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, -1), Buffer.alloc(9)]), 4],
  [
    "a record and a byte too many",
    Buffer.concat([(lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, -1), Buffer.from("\v")]),
    "refused",
  ],
  ["a record with the wrong number", (lines(1, 5)[0] ?? Buffer.alloc(0)).subarray(0, -1), "refused"],
  ["half a record with the wrong number", (lines(1, 5)[0] ?? Buffer.alloc(0)).subarray(0, 40), "refused"],
  [
    "a whole record that is damaged",
    Buffer.from(
      (lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, -1).toString("latin1").replace("JobProgress", "JobProgresz"),
      "latin1",
    ),
    "refused",
  ],
  ["something else", Buffer.from("hello"), "refused"],
  [
    "a damaged line with its newline",
    Buffer.concat([(lines(1, 4)[0] ?? Buffer.alloc(0)).subarray(0, 50), Buffer.from("\n")]),
    "refused",
  ],
];

test.for(tails)("after the last newline: %s", async ([, tail, expected]) => {
  const disk = diskWith(Buffer.concat([...lines(3), tail]));
  if (expected === "refused") {
    expect(await codeOf(openHouse(real, disk))).toBe("E_JOURNAL_CORRUPT");
    expect(disk.list(DIR)).toEqual(["events.ndjson"]);
    return;
  }
  const { ids, tell, journal } = await openHouse(real, disk);
  expect(ids).toEqual(numbers(expected));
  await tell(expected + 1);
  await journal.close();
  expect(disk.bytes(LIVE)).toEqual(Buffer.concat(lines(expected + 1)));
});

test("the journal is closed at every size, and reads as one", async () => {
  const size = Buffer.concat(lines(12)).length;
  for (let segmentBytes = 1; segmentBytes <= size + 1; segmentBytes += 7) {
    const disk = new MemoryDisk(DIR);
    const { tell, journal } = await openHouse(real, disk, { segmentBytes });
    for (const id of numbers(12)) await tell(id);
    await journal.close();
    const { ids, journal: again } = await openHouse(real, disk, { segmentBytes });
    expect(ids).toEqual(numbers(12));
    await again.close();
  }
});

test("a segment that is gone is a gap, and refused", async () => {
  const disk = new MemoryDisk(DIR);
  const { tell, journal } = await openHouse(real, disk, { segmentBytes: 300 });
  for (const id of numbers(20)) await tell(id);
  await journal.close();
  const segments = disk.list(DIR).filter((name) => name.startsWith("events-"));
  expect(segments.length).toBeGreaterThan(3);
  const snapshot = disk.bytes(`${DIR}/snapshot.json`);
  await disk.unlink(`${DIR}/snapshot.json`);
  for (const name of segments) {
    const bytes = disk.bytes(`${DIR}/${name}`);
    await disk.unlink(`${DIR}/${name}`);
    expect(await codeOf(openHouse(real, disk))).toBe("E_JOURNAL_CORRUPT");
    disk.put(`${DIR}/${name}`, bytes);
  }
  await disk.unlink(LIVE);
  disk.put(`${DIR}/snapshot.json`, snapshot);
  expect(await codeOf(openHouse(real, disk))).toBe("E_JOURNAL_CORRUPT");
});

test("replayed twice, and from a snapshot at any place, the state is the same to the byte", async () => {
  const events = 60;
  const whole = JSON.stringify((await openHouse(real, diskWith(Buffer.concat(lines(events))))).ids);
  expect(JSON.stringify((await openHouse(real, diskWith(Buffer.concat(lines(events))))).ids)).toBe(whole);
  for (let covered = 1; covered <= events; covered += 1) {
    const disk = await diskWithSnapshot(real, events, covered);
    expect(JSON.stringify((await openHouse(real, disk)).ids)).toBe(whole);
  }
});

test("a damaged snapshot is rebuilt from the events, and that is said", async () => {
  const disk = await diskWithSnapshot(real, 5, 3);
  disk.put(`${DIR}/snapshot.json`, Buffer.from("{}\n"));
  const { ids, notices } = await openHouse(real, disk);
  expect(ids).toEqual(numbers(5));
  expect(notices).toMatchObject([{ kind: "snapshot_rebuilt" }]);
});

test.each([FORMAT - 1, FORMAT + 1])("a snapshot of another version, %i, stops the start", async (version) => {
  const disk = await diskWithSnapshot(real, 5, 3);
  reseal(disk, '"version":1', `"version":${version}`);
  expect(await refusal(openHouse(real, disk))).toMatchObject({
    code: "E_JOURNAL_CORRUPT",
    found: `snapshot version ${version}; this Bellhop reads ${FORMAT}`,
  });
});

test.each([
  ["a later", `"shape":${SHAPE + 1},`, SHAPE + 1],
  ["no", "", 1],
])("a snapshot whose state has %s shape is rebuilt from the events, and that is said", async (_, shape, named) => {
  const disk = await diskWithSnapshot(real, 5, 3);
  reseal(disk, `"shape":${SHAPE},`, shape);
  const { ids, notices } = await openHouse(real, disk);
  expect(ids).toEqual(numbers(5));
  const found = `its state has shape ${named}; this Bellhop's has ${SHAPE}`;
  expect(notices).toMatchObject([{ kind: "snapshot_rebuilt", details: { found } }]);
});

test("a state that its reader refuses is rebuilt from the events", async () => {
  const disk = await diskWithSnapshot(real, 5, 3);
  const seen: unknown[] = [];
  let count = 0;
  const restore = (state: unknown): void => {
    seen.push(state === null ? null : "state");
    if (state !== null) throw new Error("not mine");
  };
  await real.openJournal({ dir: DIR, disk, clock: still, canRead: () => true, restore, apply: () => (count += 1) });
  expect(seen).toEqual(["state", null]);
  expect(count).toBe(5);
});

test("leftovers of an atomic write that a crash cut off are removed", async () => {
  const disk = diskWith(Buffer.concat(lines(2)));
  disk.put(`${DIR}/.snapshot.json.0123456789abcdef.tmp`, Buffer.from("half"));
  disk.put(`${DIR}/.keep.tmp`, Buffer.from("not ours"));
  await openHouse(real, disk);
  expect(disk.list(DIR)).toEqual([".keep.tmp", "events.ndjson"]);
});

test("snapshots come after fifty events or five seconds, and never twice within five seconds", async () => {
  const clock = createFakeClock();
  const disk = new MemoryDisk(DIR);
  const taken: number[] = [];
  const journal = await real.openJournal({
    dir: DIR,
    disk,
    clock,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
  });
  const tell = async (count: number): Promise<void> => {
    const { seq } = await journal.append(numbers(count).map(draft));
    journal.snapshotSoon(() => {
      taken.push(seq);
      return { seq, state: {} };
    });
    await clock.settle();
  };
  await tell(1);
  await clock.advance(4999);
  expect(taken).toEqual([]);
  await clock.advance(1);
  expect(taken).toEqual([1]);
  await tell(50);
  expect(taken).toEqual([1]);
  await clock.advance(5000);
  expect(taken).toEqual([1, 51]);
  await clock.advance(5000);
  await tell(49);
  expect(taken).toEqual([1, 51]);
  await tell(1);
  expect(taken).toEqual([1, 51, 101]);
  await clock.advance(60_000);
  expect(taken).toEqual([1, 51, 101]);
  await journal.close();
});

test("a snapshot that fails is said, tried again in its rhythm, and holds nothing up", async () => {
  const clock = createFakeClock();
  const disk = new MemoryDisk(DIR);
  let refuse = true;
  const picky = new Proxy(disk, {
    get(target, key: keyof MemoryDisk) {
      if (key === "rename" && refuse)
        return async () => Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC" }));
      const value = target[key];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const journal = await real.openJournal({
    dir: DIR,
    disk: picky,
    clock,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
  });
  const { seq } = await journal.append(numbers(50).map(draft));
  journal.snapshotSoon(() => ({ seq, state: {} }));
  await clock.advance(12_000);
  expect(journal.notices.map(({ kind }) => kind)).toEqual(["snapshot_failed", "snapshot_failed", "snapshot_failed"]);
  expect(disk.list(DIR)).toEqual(["events.ndjson"]);
  await journal.append([draft(51)]);
  refuse = false;
  await clock.advance(5000);
  expect(disk.list(DIR)).toEqual(["events.ndjson", "snapshot.json"]);
  await journal.close();
});

test("events get the time they were decided at, or else the clock's", async () => {
  const disk = new MemoryDisk(DIR);
  const journal = await real.openJournal({
    dir: DIR,
    disk,
    clock: still,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
  });
  await journal.append([{ type: "A", payload: {} }], "2020-01-01T00:00:00.000Z");
  await journal.append([{ type: "B", payload: {} }]);
  const first = encode({ type: "A", payload: {} }, 1, "2020-01-01T00:00:00.000Z").line;
  expect(disk.bytes(LIVE)).toEqual(Buffer.concat([first, encode({ type: "B", payload: {} }, 2, TS).line]));
});

test("a snapshot of more than three megabytes is written apart, a smaller one and the last one are not, and one that fails is said", async () => {
  const clock = createFakeClock();
  const apart: number[] = [];
  const inLine: number[] = [];
  let size = 4_000_000;
  const journal = await real.openJournal({
    dir: DIR,
    disk: new MemoryDisk(DIR),
    clock,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
    writeApart: async ({ seq }) => (apart.push(seq), size < 0 ? Promise.reject(new Error("no thread")) : size),
  });
  const tell = async (bytes: number): Promise<void> => {
    const { seq } = await journal.append([{ type: "JobProgress", payload: { text: "x".repeat(bytes) } }]);
    journal.snapshotSoon(() => ({
      seq,
      state: {
        get taken() {
          return inLine.push(seq);
        },
      },
    }));
    await clock.advance(5_000);
  };
  await tell(10);
  await tell(3_200_000);
  // It became large, whatever is added to it.
  await tell(10);
  size = 100;
  await tell(10);
  await tell(10);
  expect([inLine, apart]).toEqual([
    [1, 5],
    [2, 3, 4],
  ]);
  size = -1;
  await tell(3_200_000);
  expect([apart.at(-1), journal.notices.map(({ kind }) => kind)]).toEqual([6, ["snapshot_failed"]]);
  await journal.close();
  expect(inLine).toEqual([1, 5, 6]);
});

test("a snapshot that took long is followed by fifty times as long without one", async () => {
  const clock = createFakeClock();
  const taken: number[] = [];
  const journal = await real.openJournal({
    dir: DIR,
    disk: new MemoryDisk(DIR),
    clock,
    canRead: () => true,
    restore: () => undefined,
    apply: () => undefined,
    writeApart: ({ seq }) =>
      new Promise((resolve) => void (taken.push(seq), clock.after(200, () => resolve(4_000_000)))),
  });
  const tell = async (bytes: number): Promise<void> => {
    const { seq } = await journal.append([{ type: "JobProgress", payload: { text: "x".repeat(bytes) } }]);
    journal.snapshotSoon(() => ({ seq, state: {} }));
    await clock.settle();
  };
  await tell(3_200_000);
  await clock.advance(5_000);
  await clock.advance(200);
  expect(taken).toEqual([1]);
  await tell(10);
  await clock.advance(9_700);
  expect(taken).toEqual([1]);
  await clock.advance(200);
  expect(taken).toEqual([1, 2]);
  await clock.advance(200);
  await journal.close();
});
