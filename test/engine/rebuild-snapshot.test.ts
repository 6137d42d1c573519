/**
 * A snapshot that is made of what is on disk is the one that the daemon would write of its own state, and a crash of
 * its making costs nothing.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { evolve } from "../../src/core/evolve.ts";
import { emptyState, type RecordedEvent } from "../../src/core/state.ts";
import { rebuildInThread, rebuildSnapshot } from "../../src/engine/rebuild-snapshot.ts";
import { decode, type Position } from "../../src/journal/format.ts";
import { loadSnapshot, writeSnapshot } from "../../src/journal/snapshot.ts";
import { faultyDisk } from "../fakes/disk/faulty-disk.ts";
import { MemoryDisk } from "../fakes/disk/memory-disk.ts";

const DIR = "/state";
const text = readFileSync(path.join(import.meta.dirname, "..", "fixtures", "journal", "events.ndjson"));
const lines = text
  .toString()
  .trimEnd()
  .split("\n")
  .map((line) => Buffer.from(line));
const SNAPSHOT = `${DIR}/snapshot.json`;

/** The place after this many events, and the snapshot that a daemon writes there. */
async function written(count: number): Promise<{ at: Position; bytes: Buffer }> {
  const state = emptyState();
  let at: Position = { seq: 0, crc: "" };
  for (const line of lines.slice(0, count)) {
    const decoded = decode(line);
    if (!("event" in decoded)) throw new Error("a damaged fixture");
    evolve(state, decoded.event as unknown as RecordedEvent);
    at = { seq: decoded.event.seq, crc: decoded.crc };
  }
  const disk = new MemoryDisk(DIR);
  await writeSnapshot(disk, DIR, at, state);
  return { at, bytes: disk.bytes(SNAPSHOT) };
}

/** The journal in two files, of which the second is still being written. */
function journal(): MemoryDisk {
  const disk = new MemoryDisk(DIR);
  disk.put(`${DIR}/events-000000000001.ndjson`, Buffer.from(`${lines.slice(0, 9).join("\n")}\n`));
  disk.put(`${DIR}/events.ndjson`, Buffer.from(`${lines.slice(9).join("\n")}\n{"seq":${lines.length + 1},"ts":"20`));
  return disk;
}

test("at every event it is the same to the byte, from the snapshot before or from none, while the next line is being written", async () => {
  const disk = journal();
  for (let count = 1; count <= lines.length; count += 1) {
    const { at, bytes } = await written(count);
    expect(await rebuildSnapshot(disk, { dir: DIR, at })).toBe(bytes.length);
    expect(disk.bytes(SNAPSHOT).equals(bytes), `after ${count}`).toBe(true);
    const fresh = journal();
    await rebuildSnapshot(fresh, { dir: DIR, at });
    expect(fresh.bytes(SNAPSHOT).equals(bytes)).toBe(true);
  }
});

test("a journal that has something else at that place gives none", async () => {
  const { at } = await written(5);
  const disk = journal();
  await expect(rebuildSnapshot(disk, { dir: DIR, at: { ...at, crc: "00000000" } })).rejects.toThrow("was expected");
  await expect(rebuildSnapshot(disk, { dir: DIR, at: { ...at, seq: 1_000 } })).rejects.toThrow("was expected");
  expect(disk.list(DIR)).not.toContain("snapshot.json");
});

test("whichever operation of the disk fails, there is the old snapshot or the new one, whole", async () => {
  const [old, next] = [await written(12), await written(lines.length)];
  const found = new Set<number>();
  for (let at = 1, failed = true; failed; at += 1) {
    const disk = journal();
    disk.put(SNAPSHOT, old.bytes);
    failed = await rebuildSnapshot(faultyDisk(disk, { at, error: "EIO", forEver: true }), {
      dir: DIR,
      at: next.at,
    }).then(
      () => false,
      () => true,
    );
    const loaded = await loadSnapshot(disk, DIR);
    if (loaded.kind !== "good") throw new Error(`after a failure at ${at}: ${loaded.kind}`);
    found.add(loaded.at.seq);
  }
  expect([...found]).toEqual([old.at.seq, next.at.seq]);
});

test("in a thread of its own it is the same, and what fails there is told", async () => {
  const dir = mkdtempSync(path.join(tmpdir(), "bellhop-rebuild-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(path.join(dir, "events.ndjson"), text);
  appendFileSync(path.join(dir, "events.ndjson"), '{"seq":');
  const { at, bytes } = await written(lines.length);
  expect(await rebuildInThread({ dir, at })).toBe(bytes.length);
  expect(readFileSync(path.join(dir, "snapshot.json")).equals(bytes)).toBe(true);
  await expect(rebuildInThread({ dir, at: { ...at, crc: "00000000" } })).rejects.toThrow("was expected");
});
