/**
 * The names of the journal's files. `events.ndjson` is the one being written; when it is full it becomes
 * `events-<first seq>.ndjson` and stays for ever, so the names alone say where each sequence number is.
 */
import type { Disk } from "../base/disk.ts";

export const LIVE = "events.ndjson";
export const SNAPSHOT = "snapshot.json";

export interface Segment {
  readonly name: string;
  readonly firstSeq: number;
}

/** What stands in a journal's directory, as far as it is the journal's. */
export interface Listing {
  /** Closed segments, oldest first. */
  readonly segments: Segment[];
  readonly live: boolean;
  readonly names: string[];
}

const SEGMENT = /^events-([0-9]{12,16})\.ndjson$/;

/** The name a full live file gets. */
export function segmentName(firstSeq: number): string {
  return `events-${String(firstSeq).padStart(12, "0")}.ndjson`;
}

export async function listJournal(disk: Disk, dir: string): Promise<Listing> {
  const names = await disk.readdir(dir);
  const segments = names.flatMap((name) => {
    const digits = SEGMENT.exec(name)?.[1];
    return digits === undefined ? [] : [{ name, firstSeq: Number(digits) }];
  });
  return { segments: segments.sort((a, b) => a.firstSeq - b.firstSeq), live: names.includes(LIVE), names };
}

/** `20260226T142100000Z`: a time that can stand in a file's name everywhere. */
export function fileTime(iso: string): string {
  return iso.replace(/[-:.]/g, "");
}
