/**
 * Keeps the longest intact beginning of a damaged journal, so that the daemon can start again. Nothing is lost: the
 * damaged file is copied first, and files after it, and a snapshot that no longer fits, are renamed; all of them end in
 * `.damaged-<time>`. If the daemon can start anyway, nothing is cut.
 */
import { basename, join } from "node:path";

import { type Disk, readWhole, writeAtomically } from "../base/disk.ts";
import { diskFailed } from "./failure.ts";
import { LIVE, SNAPSHOT, fileTime, listJournal } from "./segments.ts";
import { type Report, verifyJournal } from "./verify.ts";

export interface Repair {
  before: Report;
  after: Report;
  /** What was cut: from which event on, how many events and bytes; zeros if nothing had to be cut. */
  cut: { seq: number; events: number; bytes: number };
  /** Where the originals are kept. */
  kept: string[];
}

/**
 * To be called with the directory locked. If a crash interrupts it, it can be run again.
 * @param ts the time for the names of the originals, ISO 8601
 * @throws BellhopError E_JOURNAL_WRITE if the disk refuses
 */
export async function repairJournal(disk: Disk, dir: string, ts: string): Promise<Repair> {
  const before = await verifyJournal(disk, dir);
  const repair: Repair = { before, after: before, cut: { seq: 0, events: 0, bytes: 0 }, kept: [] };
  // Cutting at old damage would also cut what is intact and in use.
  if (before.ok || before.covered) return repair;
  const suffix = `.damaged-${fileTime(ts)}`;
  try {
    await moveSnapshot(disk, dir, repair, suffix);
    await cut(disk, dir, repair, suffix);
  } catch (error) {
    throw diskFailed(dir, "repair", error);
  }
  repair.after = await verifyJournal(disk, dir);
  return repair;
}

/** Done first: a start in between then finds a damaged journal, not a shorter one with a snapshot ahead of it. */
async function moveSnapshot(disk: Disk, dir: string, { before, kept }: Repair, suffix: string): Promise<void> {
  if (before.snapshot.kind !== "ahead" && before.snapshot.kind !== "foreign") return;
  kept.push(await moveAway(disk, join(dir, SNAPSHOT), suffix));
  await disk.syncDirectory(dir);
}

async function cut(disk: Disk, dir: string, { before, cut: sum, kept }: Repair, suffix: string): Promise<void> {
  const { damage } = before;
  if (damage === undefined) return;
  sum.seq = damage.seq;
  const { segments } = await listJournal(disk, dir);
  const names = [...segments.map(({ name }) => name), LIVE];
  const damaged = names.indexOf(basename(damage.file));
  // From the last one back, so that a crash in between leaves no new gap.
  for (const name of names.slice(damaged).reverse()) {
    const bytes = await readWhole(disk, join(dir, name));
    if (bytes === undefined) continue;
    const from = name === basename(damage.file) ? damage.offset : 0;
    sum.bytes += bytes.length - from;
    sum.events += countLines(bytes, from);
    const path = join(dir, name);
    if (from === 0) kept.push(await moveAway(disk, path, suffix));
    else {
      await writeAtomically(disk, `${path}${suffix}`, bytes);
      await truncate(disk, path, from);
      kept.push(`${path}${suffix}`);
    }
  }
  await disk.syncDirectory(dir);
}

async function moveAway(disk: Disk, path: string, suffix: string): Promise<string> {
  await disk.rename(path, `${path}${suffix}`);
  return `${path}${suffix}`;
}

async function truncate(disk: Disk, path: string, length: number): Promise<void> {
  const file = await disk.open(path, "r+");
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The number of lines, including a last one that lacks its newline. */
function countLines(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = from; at < bytes.length; count += 1) {
    const end = bytes.indexOf(10, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return count;
}
