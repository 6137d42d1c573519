/**
 * Reads everything, changes nothing, and says what is intact and what is not: every event from the first one on, what
 * follows the last newline, and whether the snapshot belongs to the journal.
 */
import { join } from "node:path";

import type { Disk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import type { Damage } from "./failure.ts";
import { type Position, hex } from "./format.ts";
import { readJournal } from "./reader.ts";
import { LIVE, listJournal } from "./segments.ts";
import { type LoadedSnapshot, loadSnapshot } from "./snapshot.ts";

export interface Report {
  /** Nothing is damaged. */
  ok: boolean;
  /** Intact events, from the first one on without a gap. */
  events: number;
  files: number;
  bytes: number;
  /** What follows the last newline: nothing, the beginning of a record, or a record that lacks its newline. */
  tail: { kind: "none" | "torn" | "whole"; bytes: number };
  snapshot: SnapshotReport;
  damage?: Damage;
  /** Damaged only in what the snapshot covers: history is damaged, the state is not, and a start succeeds. */
  covered: boolean;
}

export interface SnapshotReport {
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
  const onEvent = ({ seq }: { seq: number }, crc: number): void => {
    events = seq;
    if (seq === at?.seq) crcThere = hex(crc);
  };
  try {
    const { tail, tailBytes } = await readJournal({ disk, dir, knows: () => true, onEvent });
    const snapshot = judgeSnapshot(loaded, crcThere, events);
    const kind = tail.kind === "damaged" ? "none" : tail.kind;
    return {
      ok: fits(snapshot),
      events,
      files,
      bytes,
      tail: { kind, bytes: tailBytes.length },
      snapshot,
      covered: false,
    };
  } catch (error) {
    const damage = damageOf(error);
    const covered = at !== undefined && (await startsFrom(disk, dir, at));
    const snapshot: SnapshotReport = covered ? { kind: "good", seq: at.seq } : judgeSnapshot(loaded, crcThere, events);
    return { ok: false, events, files, bytes, tail: { kind: "none", bytes: 0 }, snapshot, damage, covered };
  }
}

/** Whether everything from the snapshot's end on is intact. */
async function startsFrom(disk: Disk, dir: string, from: Position): Promise<boolean> {
  try {
    await readJournal({ disk, dir, from, knows: () => true, onEvent: () => undefined });
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
