/**
 * Reads everything, changes nothing, and says what is intact and what is not: every event from the first one on, what
 * follows the last newline, and whether the snapshot belongs to the journal.
 */
import { join, basename, dirname } from "node:path";
import { type Disk, readWhole, writeAtomically, errnoOf, nodeDisk } from "../base/disk.ts";
import { BellhopError, theirWords } from "../base/errors.ts";
import { type Damage, diskFailed, LIVE, listJournal, SNAPSHOT, fileTime } from "./writer.ts";
import { type JournalEvent, type Position, hex } from "./format.ts";
import { type LineOnDisk, readJournal, type ReadOptions } from "./reader.ts";
import { type LoadedSnapshot, loadSnapshot } from "./snapshot.ts";
import { chmod } from "node:fs/promises";
import { accessSync, constants, existsSync } from "node:fs";
import { failedFinding, type Finding } from "../base/finding.ts";
import { lockHolder } from "./lock.ts";
import { checkStateDirectory } from "./state-directory.ts";

export interface Report {
  /** Nothing is damaged. */
  ok: boolean;
  /** Intact events, from the first one on without a gap. */
  events: number;
  /** How many of them were blanked, with a session that was forgotten. */
  forgotten: number;
  files: number;
  bytes: number;
  /** What follows the last newline: nothing, the beginning of a record, or a record that lacks its newline. */
  tail: { kind: "none" | "torn" | "whole"; bytes: number };
  snapshot: SnapshotReport;
  damage?: Damage;
  /** Damaged only in what the snapshot covers: history is damaged, the state is not, and a start succeeds. */
  covered: boolean;
  /** The damage is a blanked event that nothing explains; a start succeeds. Absent: it is not. */
  hole?: true;
}

interface SnapshotReport {
  /** `ahead`: it ends after the journal does. `foreign`: the journal has another event at its position. */
  kind: "good" | "missing" | "unusable" | "ahead" | "foreign";
  /** The last event in it, if it could be read. */
  seq?: number;
  found?: string;
}

/** @throws BellhopError E_JOURNAL_WRITE if the disk cannot be read */
export async function verifyJournal(disk: Disk, dir: string): Promise<Report> {
  const { files, bytes } = await measure(disk, dir);
  const loaded = await snapshotOf(disk, dir);
  const at = loaded.kind === "good" ? loaded.at : undefined;
  let events = 0;
  let crcThere: string | undefined;
  const holes = new Holes();
  const onEvent: ReadOptions["onEvent"] = (event, crc, line) => {
    events = event.seq;
    if (event.seq === at?.seq) crcThere = hex(crc);
    holes.read(event, line);
  };
  try {
    const { tail, tailBytes } = await readJournal({ disk, dir, canRead: () => true, onEvent });
    const hole = holes.unexplained();
    const snapshot = judgeSnapshot(loaded, crcThere, events);
    const kind = tail.kind === "damaged" ? "none" : tail.kind;
    return {
      ok: fits(snapshot) && hole === undefined,
      events,
      forgotten: holes.count,
      files,
      bytes,
      tail: { kind, bytes: tailBytes.length },
      snapshot,
      ...(hole && { damage: hole, hole: true }),
      covered: hole !== undefined,
    };
  } catch (error) {
    const damage = damageOf(error);
    const covered = at !== undefined && (await startsFrom(disk, dir, at));
    const snapshot: SnapshotReport = covered ? { kind: "good", seq: at.seq } : judgeSnapshot(loaded, crcThere, events);
    const found = { events, forgotten: holes.count, files, bytes, snapshot, damage, covered };
    return { ok: false, ...found, tail: { kind: "none", bytes: 0 } };
  }
}

/**
 * Lines that were blanked. Each is explained by a `SessionForgotten` after it: of its own session, or of any if it
 * names none.
 */
class Holes {
  count = 0;
  /** By session, the first that is not explained yet. */
  readonly #open = new Map<unknown, Damage>();

  read({ seq, type, payload }: JournalEvent, { file, offset }: LineOnDisk): void {
    const { thread_id, forgotten } = payload as { thread_id?: unknown; forgotten?: unknown };
    if (type === "SessionForgotten") for (const one of [thread_id, undefined, null]) this.#open.delete(one);
    if (forgotten !== true) return;
    this.count += 1;
    if (!this.#open.has(thread_id))
      this.#open.set(thread_id, { file, offset, seq, found: "a blanked event, and no SessionForgotten after it" });
  }

  unexplained(): Damage | undefined {
    return [...this.#open.values()].toSorted((a, b) => a.seq - b.seq)[0];
  }
}

/** Whether everything from the snapshot's end on is intact. */
async function startsFrom(disk: Disk, dir: string, from: Position): Promise<boolean> {
  try {
    await readJournal({ disk, dir, from, canRead: () => true, onEvent: () => undefined });
    return true;
  } catch (error) {
    damageOf(error);
    return false;
  }
}

async function measure(disk: Disk, dir: string): Promise<{ files: number; bytes: number }> {
  const { segments, live } = await listJournal(disk, dir);
  const names = [...segments.map(({ name }) => name), ...(live ? [LIVE] : [])];
  const sizes = await Promise.all(names.map(async (name) => (await disk.stat(join(dir, name))).size));
  return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** A snapshot of a later version is as unusable here as a damaged one; the start reports more about it. */
async function snapshotOf(disk: Disk, dir: string): Promise<LoadedSnapshot> {
  try {
    return await loadSnapshot(disk, dir);
  } catch (error) {
    return { kind: "unusable", found: damageOf(error).found };
  }
}

function judgeSnapshot(loaded: LoadedSnapshot, crcThere: string | undefined, events: number): SnapshotReport {
  if (loaded.kind !== "good") return loaded;
  const { seq, crc }: Position = loaded.at;
  if (seq > events) return { kind: "ahead", seq };
  return { kind: crcThere === crc ? "good" : "foreign", seq };
}

function fits({ kind }: SnapshotReport): boolean {
  return kind !== "ahead" && kind !== "foreign";
}

function damageOf(error: unknown): Damage {
  if (!(error instanceof BellhopError) || error.code !== "E_JOURNAL_CORRUPT") throw error;
  const { file = "", offset = 0, seq = 0, found = "" } = error.details;
  return { file: String(file), offset: Number(offset), seq: Number(seq), found: String(found) };
}

/*
 * Keeps the longest intact beginning of a damaged journal, so that the daemon can start again. Nothing is lost: the
 * damaged file is copied first, and files after it, and a snapshot that no longer fits, are renamed; all of them end in
 * `.damaged-<time>`. If the daemon can start anyway, nothing is cut.
 */

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

/* The journal, read from the first event to the last, and whether its directory is private. */

export async function checkJournal(dir: string): Promise<Finding[]> {
  const refused = refusal(dir);
  if (refused !== undefined) return [failedFinding("state", refused)];
  if (!existsSync(dir)) return [{ check: "journal", verdict: "idle", says: "doctor.state.none", args: { dir } }];
  try {
    await checkStateDirectory(dir);
  } catch (error) {
    const open = error instanceof BellhopError && String(error.details["found"]).startsWith("mode");
    return [{ ...failedFinding("state", error), ...(open && { fix: () => chmod(dir, 0o700) }) }];
  }
  try {
    let report = await verifyJournal(nodeDisk, dir);
    // A daemon may close a segment between two reads; real damage is found again.
    if (!report.ok && lockHolder(dir) !== undefined) report = await verifyJournal(nodeDisk, dir);
    const { damage, snapshot, covered, events, bytes, files } = report;
    if (report.ok)
      return [{ check: "journal", verdict: "good", says: "cli.journal.whole", args: { events, bytes, files } }];
    const mend = { says: "doctor.journal.mend" as const };
    if (damage !== undefined)
      return [
        {
          check: "journal",
          verdict: covered ? "warn" : "bad",
          says: "cli.journal.damaged",
          args: { ...damage, events },
          ...(!covered && { mend }),
        },
      ];
    return [
      {
        check: "journal",
        verdict: "bad",
        says: `cli.journal.snapshot.${snapshot.kind}`,
        args: { seq: snapshot.seq ?? 0, found: snapshot.found ?? "" },
        mend,
      },
    ];
  } catch (error) {
    return [failedFinding("journal", error)];
  }
}

/** Why nothing can be written there, or the directory not be made. */
function refusal(dir: string): BellhopError | undefined {
  let path = dir;
  while (!existsSync(path)) path = dirname(path);
  try {
    // The dot refuses a file where a directory must be.
    accessSync(`${path}/.`, constants.W_OK);
    return undefined;
  } catch (error) {
    return new BellhopError("E_PATH_REFUSED", { path, reason: theirWords(errnoOf(error)) });
  }
}
