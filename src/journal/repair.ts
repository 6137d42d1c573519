/**
 * Keeps the longest whole beginning of a damaged journal, so that a start succeeds again. Nothing is thrown
 * away: the damaged file is copied first, and files after it, and a snapshot that no longer fits, are renamed;
 * all of them end in `.damaged-<time>`. Where a start succeeds nothing is cut.
 */
import { basename, join } from "node:path";

import { type Disk, readWhole, writeAtomically } from "../base/disk.ts";
import { diskFailed } from "./failure.ts";
import { LIVE, SNAPSHOT, fileTime, listJournal } from "./segments.ts";
import { type Report, verifyJournal } from "./verify.ts";

export interface Repair {
  before: Report;
  after: Report;
  /** What no longer counts: how many lines and bytes, from which event on; zeros when nothing had to be cut. */
  cut: { seq: number; events: number; bytes: number };
  /** Where the originals are. */
  kept: string[];
}

/**
 * To be called with the directory locked. Cut off by a crash, it can be run again.
 * @param ts the time for the names of the originals, ISO 8601
 * @throws BellhopError E_JOURNAL_WRITE where the disk refuses
 */
export async function repairJournal(disk: Disk, dir: string, ts: string): Promise<Repair> {
  const before = await verifyJournal(disk, dir);
  const repair: Repair = { before, after: before, cut: { seq: 0, events: 0, bytes: 0 }, kept: [] };
  // Cutting at old damage would take with it what is whole and in use.
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

/** First: a start in between finds a damaged journal, not a shorter one with a snapshot that is ahead. */
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
  // From the last one back, so that a crash in between leaves no gap that was not there before.
  for (const name of names.slice(damaged).reverse()) {
    const bytes = await readWhole(disk, join(dir, name));
    if (bytes === undefined) continue;
    const from = name === basename(damage.file) ? damage.offset : 0;
    sum.bytes += bytes.length - from;
    sum.events += countLines(bytes, from);
    if (from === 0) kept.push(await moveAway(disk, join(dir, name), suffix));
    else kept.push(await truncateCopied(disk, join(dir, name), bytes, from, suffix));
  }
  await disk.syncDirectory(dir);
}

async function moveAway(disk: Disk, path: string, suffix: string): Promise<string> {
  await disk.rename(path, `${path}${suffix}`);
  return `${path}${suffix}`;
}

async function truncateCopied(disk: Disk, path: string, bytes: Buffer, length: number, suffix: string): Promise<string> {
  await writeAtomically(disk, `${path}${suffix}`, bytes);
  const file = await disk.open(path, "r+");
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
  return `${path}${suffix}`;
}

/** Lines, and a last one that lacks its newline. */
function countLines(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = from; at < bytes.length; count += 1) {
    const end = bytes.indexOf(10, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return count;
}
