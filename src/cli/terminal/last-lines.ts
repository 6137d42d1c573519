/**
 * The last lines of a file that may be very long, read backwards, so a log of many megabytes costs no more than its
 * shown end.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { errnoOf } from "../../base/disk.ts";

const CHUNK_BYTES = 64 * 1024;
/** Limits the memory used for a line without an end. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * At most `count` lines from the end, without newlines, oldest first; undefined if there is no such file.
 * @throws what the system throws for a file that exists but cannot be read
 */
export function lastLines(path: string, count: number): string[] | undefined {
  const file = openOrNothing(path);
  if (file === undefined) return undefined;
  try {
    return linesAtEnd(file, count);
  } finally {
    closeSync(file);
  }
}

function linesAtEnd(file: number, count: number): string[] {
  const parts: Buffer[] = [];
  let at = fstatSync(file).size;
  let newlines = 0;
  let taken = 0;
  // One newline more than lines: the one before the first of them.
  while (at > 0 && newlines <= count && taken < MOST_BYTES) {
    const part = Buffer.alloc(Math.min(CHUNK_BYTES, at));
    at -= part.length;
    const read = readSync(file, part, 0, part.length, at);
    parts.unshift(part.subarray(0, read));
    taken += read;
    newlines += part.subarray(0, read).filter((byte) => byte === 10).length;
  }
  const lines = Buffer.concat(parts).toString("utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return count === 0 ? [] : lines.slice(-count);
}

function openOrNothing(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
