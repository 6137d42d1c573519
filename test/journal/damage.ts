/**
 * The journal cut, flipped, shuffled and crossed with foreign snapshots, at every place. Each procedure throws at
 * the first outcome that is silently wrong: an event that is lost, changed or out of order without a refusal.
 */
import { encode } from "../../src/journal/format.ts";
import { writeSnapshot } from "../../src/journal/snapshot.ts";
import type { MemoryDisk } from "../fakes/disk/memory-disk.ts";
import {
  DIR,
  type Implementation,
  TS,
  codeOf,
  diskWith,
  draft,
  lines,
  numbers,
  openHouse,
  same,
} from "./sample-state.ts";

const LIVE = `${DIR}/events.ndjson`;
const SNAPSHOT = `${DIR}/snapshot.json`;

/** Refused, or the ids that were read. */
type Outcome = "refused" | number[];

async function open(implementation: Implementation, disk: MemoryDisk): Promise<Outcome> {
  let ids: number[] = [];
  const code = await codeOf(
    openHouse(implementation, disk).then((house) => {
      ids = house.ids;
    }),
  );
  if (code === "E_JOURNAL_CORRUPT") return "refused";
  if (code !== "ok") throw new Error(`refused with ${code}`);
  return ids;
}

/** Cut at every byte: all whole lines are kept, the torn part is set aside as it was, byte for byte. */
export async function truncations(implementation: Implementation, events: number): Promise<void> {
  const whole = lines(events);
  const file = Buffer.concat(whole);
  const ends = whole.reduce<number[]>((all, line) => [...all, (all.at(-1) ?? 0) + line.length], [0]);
  let complete = 0;
  for (let length = 0; length <= file.length; length += 1) {
    while ((ends[complete + 1] ?? Number.POSITIVE_INFINITY) <= length) complete += 1;
    const disk = diskWith(file.subarray(0, length));
    await truncation(
      implementation,
      disk,
      complete,
      ends[complete + 1] === length + 1,
      file.subarray(ends[complete] ?? 0, length),
    );
  }
}

/**
 * The same for a long file, each line cut behind a snapshot of all before it, so that the work grows with the file
 * only.
 */
export async function truncationsBehindSnapshots(implementation: Implementation, events: number): Promise<void> {
  const whole = lines(events);
  for (let seq = 2; seq <= events; seq += 1) {
    const [before, line] = [whole[seq - 2] ?? Buffer.alloc(0), whole[seq - 1] ?? Buffer.alloc(0)];
    const crc = before.toString("latin1").slice(-11, -3);
    for (let length = 0; length < line.length; length += 1) {
      const torn = line.subarray(0, length);
      const disk = diskWith(Buffer.concat([before, torn]));
      await writeSnapshot(disk, DIR, { seq: seq - 1, crc }, { ids: numbers(seq - 1) });
      await truncation(implementation, disk, seq - 1, length === line.length - 1, torn);
    }
  }
}

async function truncation(
  implementation: Implementation,
  disk: MemoryDisk,
  complete: number,
  lacksNewline: boolean,
  torn: Buffer,
): Promise<void> {
  const where = `event ${complete + 1} cut at ${torn.length}`;
  const kept = complete + (lacksNewline ? 1 : 0);
  const outcome = await open(implementation, disk);
  if (outcome === "refused" || !same(outcome, numbers(kept))) throw new Error(`${where}: ${String(outcome)}`);
  const aside = disk.list(DIR).filter((name) => name.includes(".torn-"));
  if (lacksNewline || torn.length === 0) {
    if (aside.length > 0) throw new Error(`${where}: set aside for nothing`);
    return;
  }
  const [name] = aside;
  if (name === undefined || !disk.bytes(`${DIR}/${name}`).equals(torn))
    throw new Error(`${where}: the torn part is gone`);
}

/** Every bit of every byte flipped: refused, or read as if nothing were. Returns how many were flipped. */
export async function bitFlips(implementation: Implementation, events: number): Promise<number> {
  const file = Buffer.concat(lines(events));
  const all = numbers(events);
  for (let bit = 0; bit < file.length * 8; bit += 1) {
    const flipped = Buffer.from(file);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    const outcome = await open(implementation, diskWith(flipped)).catch((error: unknown) => {
      throw new Error(`bit ${bit}`, { cause: error });
    });
    if (outcome !== "refused" && !same(outcome, all))
      throw new Error(`bit ${bit} flipped: ${outcome.length} of ${events} events`);
  }
  return file.length * 8;
}

/** Lines swapped, doubled, left out, and put in from an older file, at every place: refused. */
export async function shuffledLines(implementation: Implementation, events: number): Promise<void> {
  const good = lines(events);
  const older = lines(events).map((_, index) => encode(draft(index + 1000), index + 1, TS).line);
  for (let at = 0; at < events; at += 1) {
    const line = good[at] ?? Buffer.alloc(0);
    const wrong: Record<string, Buffer[]> = { doubled: good.toSpliced(at, 0, line) };
    if (at > 0) wrong["older"] = good.toSpliced(at, 0, older[at - 1] ?? line);
    if (at + 1 < events) {
      wrong["swapped"] = good.toSpliced(at, 2, good[at + 1] ?? line, line);
      // The last one left out is a shorter journal; only a snapshot can tell.
      wrong["left out"] = good.toSpliced(at, 1);
    }
    for (const [what, changed] of Object.entries(wrong)) {
      const outcome = await open(implementation, diskWith(Buffer.concat(changed)));
      if (outcome !== "refused") throw new Error(`line ${at + 1} ${what}: ${outcome.length} events`);
    }
  }
}

/** A disk with `events` events and a snapshot of the first `covered` of them. */
export async function diskWithSnapshot(
  implementation: Implementation,
  events: number,
  covered: number,
): Promise<MemoryDisk> {
  const disk = diskWith(Buffer.concat(lines(covered)));
  const { journal, ids } = await openHouse(implementation, disk);
  journal.snapshotSoon(() => ({ seq: covered, state: { ids } }));
  await journal.close();
  disk.put(LIVE, Buffer.concat(lines(events)));
  return disk;
}

/** The snapshot cut and flipped at every place, missing, older, newer, of another journal: rebuilt or refused. */
export async function damagedSnapshots(implementation: Implementation, events: number): Promise<void> {
  const disk = await diskWithSnapshot(implementation, events, events - 3);
  const good = disk.bytes(SNAPSHOT);
  const expectAll = async (what: string): Promise<void> => {
    const outcome = await open(implementation, disk);
    if (outcome !== "refused" && !same(outcome, numbers(events)))
      throw new Error(`snapshot ${what}: ${String(outcome)}`);
  };
  await expectAll("as it was");
  for (let length = 0; length < good.length; length += 1) {
    disk.put(SNAPSHOT, good.subarray(0, length));
    await expectAll(`cut at ${length}`);
  }
  for (let bit = 0; bit < good.length * 8; bit += 1) {
    const flipped = Buffer.from(good);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    disk.put(SNAPSHOT, flipped);
    await expectAll(`with bit ${bit} flipped`);
  }
  await disk.unlink(SNAPSHOT);
  await expectAll("missing");
  disk.put(SNAPSHOT, (await diskWithSnapshot(implementation, events, 2)).bytes(SNAPSHOT));
  await expectAll("of long ago");
}

/** Events cut off below where the snapshot ends, and a snapshot of another journal: refused. */
export async function foreignSnapshots(implementation: Implementation, events: number): Promise<void> {
  const disk = await diskWithSnapshot(implementation, events, events);
  for (let left = 0; left < events; left += 1) {
    disk.put(LIVE, Buffer.concat(lines(left)));
    const outcome = await open(implementation, disk);
    if (outcome !== "refused")
      throw new Error(`${left} of ${events} events and a snapshot of all of them: ${outcome.length}`);
  }
  const other = Array.from({ length: events }, (_, index) => encode(draft(index + 1000), index + 1, TS).line);
  disk.put(LIVE, Buffer.concat(other));
  if ((await open(implementation, disk)) !== "refused") throw new Error("the snapshot of another journal was believed");
}
