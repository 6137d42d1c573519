/**
 * The bytes after the journal's last newline: what they are, and their repair. A power cut leaves the beginning of a
 * record, or a record that lacks only its newline, either of them perhaps followed by NULs that the file system had
 * reserved; anything else is damage and is never taken for a torn write: a newline with one flipped bit is one byte too
 * many after a whole record.
 */
import { join } from "node:path";
import { type Disk, type DiskFile, writeAll, writeAtomically } from "../base/disk.ts";
import type { ErrorDetails } from "../base/errors.ts";
import { diskFailed, LIVE, type LiveFile, fileTime } from "./writer.ts";
import { type JournalEvent, decode } from "./format.ts";

export type Tail =
  | { kind: "none" }
  /** Never acknowledged; may be set aside. */
  | { kind: "torn" }
  /** A good record of `length` bytes that only lacks its newline; NULs may follow it. */
  | { kind: "whole"; event: JournalEvent; crc: string; length: number }
  | { kind: "damaged"; found: string };

/** The live file as it was read. */
export interface LiveEnd {
  live: LiveFile;
  tail: Tail;
  /** The bytes after its last newline. */
  tailBytes: Buffer;
}

/** Judges the bytes after the last newline, where record `seq` is expected. */
export function judgeTail(bytes: Buffer, seq: number): Tail {
  if (bytes.length === 0) return { kind: "none" };
  const length = withoutTrailingNuls(bytes);
  if (length === 0) return { kind: "torn" };
  const record = bytes.subarray(0, length);
  const decoded = decode(record);
  if ("event" in decoded) {
    if (decoded.event.seq !== seq) return { kind: "damaged", found: `seq ${decoded.event.seq}` };
    return { kind: "whole", event: decoded.event, crc: decoded.crc, length };
  }
  if (isStrictPrefix(record.toString("latin1"), seq)) return { kind: "torn" };
  return { kind: "damaged", found: "neither a record nor the beginning of one" };
}

function withoutTrailingNuls(bytes: Buffer): number {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length -= 1;
  return length;
}

/** Each part of a record before its payload; a prefix may end inside any of them. */
const PARTS: readonly RegExp[] = [
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z","type":"/,
  /^[A-Z][A-Za-z0-9]{0,63}","payload":(?=\{)/,
];
const FILLERS = ['2000-01-01T00:00:00.000Z","type":"', 'A","payload":{'];

/** Whether some record `seq` begins with exactly these bytes (as latin1) and continues. */
function isStrictPrefix(text: string, seq: number): boolean {
  const start = `{"seq":${seq},"ts":"`;
  if (text.length <= start.length) return start.startsWith(text);
  if (!text.startsWith(start)) return false;
  let rest = text.slice(start.length);
  for (const [index, part] of PARTS.entries()) {
    const match = part.exec(rest);
    if (match === null) return endsInside(rest, part, FILLERS[index] ?? "");
    rest = rest.slice(match[0].length);
  }
  return payloadEndsInside(rest);
}

/** Whether `rest` is cut off inside `part`: some ending completes it to a well-formed part. */
function endsInside(rest: string, part: RegExp, filler: string): boolean {
  for (let cut = 0; cut <= filler.length; cut += 1) {
    if (part.test(rest + filler.slice(cut))) return true;
  }
  return false;
}

/** Whether the text is cut off inside the payload or inside the crc that follows it. */
function payloadEndsInside(text: string): boolean {
  // JSON.stringify escapes control characters, and writes no blank outside a string.
  if (hasControl(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      if (at < 0) return true;
    } else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    if (depth === 0) return isSealBeginning(text.slice(at + 1));
  }
  return true;
}

/** The index of the string's closing quote; -1 where the text ends first. */
function endOfString(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) < 0x20) return true;
  return false;
}

function isSealBeginning(text: string): boolean {
  const seal = ',"crc":"';
  return seal.startsWith(text) || /^,"crc":"(?:[0-9a-f]{0,8}|[0-9a-f]{8}")$/.test(text);
}

export interface Mended {
  live: LiveFile;
  notice?: { kind: "torn_tail_set_aside" | "newline_added"; details: ErrorDetails };
}

/**
 * Repairs what a crash left: the beginning of a record is copied aside and cut off, a whole record gets its newline.
 * Nothing is cut before its copy is safe, so a crash in between does no harm; the changes become durable when the
 * writer opens, before anything follows them.
 * @param ts the time for the name of the copy, ISO 8601
 * @throws BellhopError E_JOURNAL_WRITE
 */
export async function mendTail(disk: Disk, dir: string, read: LiveEnd, ts: string): Promise<Mended> {
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

async function setAside(disk: Disk, path: string, { live, tailBytes: torn }: LiveEnd, ts: string): Promise<Mended> {
  const copy = `${path}.torn-${fileTime(ts)}`;
  await writeAtomically(disk, copy, torn);
  await edit(disk, path, (file) => file.truncate(live.bytes));
  return {
    live,
    notice: { kind: "torn_tail_set_aside", details: { file: path, offset: live.bytes, bytes: torn.length, copy } },
  };
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
