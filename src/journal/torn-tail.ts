/**
 * Repairs what a crash left after the journal's last newline: the beginning of a record is copied aside and cut off, a
 * whole record gets its newline. Nothing is cut before its copy is safe, so a crash in between does no harm; the
 * changes become durable when the writer opens, before anything follows them.
 */
import { join } from "node:path";

import { type Disk, type DiskFile, writeAll, writeAtomically } from "../base/disk.ts";
import type { ErrorDetails } from "../base/errors.ts";
import { diskFailed } from "./failure.ts";
import type { LiveFile, ReadResult } from "./reader.ts";
import { LIVE, fileTime } from "./segments.ts";

export interface Mended {
  live: LiveFile;
  notice?: { kind: "torn_tail_set_aside" | "newline_added"; details: ErrorDetails };
}

/**
 * @param ts the time for the name of the copy, ISO 8601
 * @throws BellhopError E_JOURNAL_WRITE
 */
export async function mendTail(disk: Disk, dir: string, read: ReadResult, ts: string): Promise<Mended> {
  const { live, tail } = read;
  const path = join(dir, LIVE);
  try {
    if (tail.kind === "torn") return await setAside(disk, path, read, ts);
    if (tail.kind === "whole") return await addNewline(disk, path, live, tail.length);
    return { live };
  } catch (error) {
    throw diskFailed(path, "mend", error);
  }
}

async function setAside(disk: Disk, path: string, { live, tailBytes: torn }: ReadResult, ts: string): Promise<Mended> {
  const copy = `${path}.torn-${fileTime(ts)}`;
  await writeAtomically(disk, copy, torn);
  await edit(disk, path, (file) => file.truncate(live.bytes));
  return { live, notice: { kind: "torn_tail_set_aside", details: { file: path, offset: live.bytes, bytes: torn.length, copy } } };
}

async function addNewline(disk: Disk, path: string, live: LiveFile, recordBytes: number): Promise<Mended> {
  const end = live.bytes + recordBytes;
  await edit(disk, path, async (file) => {
    await file.truncate(end);
    await writeAll(file, Buffer.from("\n"));
  });
  return { live: { ...live, bytes: end + 1 }, notice: { kind: "newline_added", details: { file: path, offset: end } } };
}

async function edit(disk: Disk, path: string, change: (file: DiskFile) => Promise<void>): Promise<void> {
  const file = await disk.open(path, "a");
  try {
    await change(file);
  } finally {
    await file.close();
  }
}
