/**
 * The journal's files and their rotation. `events.ndjson` is the one being written; when full it becomes `events-<first
 * seq>.ndjson` and stays forever, so the names alone say where each sequence number is.
 */
import { join } from "node:path";
import type { Disk } from "../base/disk.ts";
import { attempt } from "./failure.ts";

export const LIVE = "events.ndjson";
export const SNAPSHOT = "snapshot.json";

export interface Segment {
  readonly name: string;
  readonly firstSeq: number;
}

/** The file being written, as far as it was read. */
export interface LiveFile {
  exists: boolean;
  /** Bytes up to and including its last newline. */
  bytes: number;
  /** Its first sequence number; undefined while it has none. */
  firstSeq: number | undefined;
}

/** The journal's own files in its directory. */
export interface Listing {
  /** Closed segments, oldest first. */
  readonly segments: Segment[];
  readonly live: boolean;
  readonly names: string[];
}

const SEGMENT = /^events-([0-9]{12,16})\.ndjson$/;

export function segmentName(firstSeq: number): string {
  return `events-${String(firstSeq).padStart(12, "0")}.ndjson`;
}

/** Gives the full live file, which is closed and synced, the name that it keeps. @throws E_JOURNAL_WRITE */
export async function rotate(disk: Disk, dir: string, firstSeq: number): Promise<void> {
  const segment = join(dir, segmentName(firstSeq));
  await attempt(segment, "rename", () => disk.rename(join(dir, LIVE), segment));
  // Before the name is used again: a crash must not leave the new file under it and the old one without a name.
  await attempt(dir, "sync", () => disk.syncDirectory(dir));
}

export async function listJournal(disk: Disk, dir: string): Promise<Listing> {
  const names = await disk.readdir(dir);
  const segments = names.flatMap((name) => {
    const digits = SEGMENT.exec(name)?.[1];
    return digits === undefined ? [] : [{ name, firstSeq: Number(digits) }];
  });
  return { segments: segments.sort((a, b) => a.firstSeq - b.firstSeq), live: names.includes(LIVE), names };
}

/** `20260226T142100000Z`: a time that is valid in file names on every system. */
export function fileTime(iso: string): string {
  return iso.replace(/[-:.]/g, "");
}
