/**
 * Reads the files in which agents keep their conversations, a JSON object a line. They may be very large, so only their
 * beginning and their end are read: what they are about, and where they ended.
 */
import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { LineSplitter } from "../../../host/processes/pipes.ts";
import type { StoredConversation } from "../../../engine/live.ts";
import { type Fields, parseLine } from "../fields.ts";

/** At most this many of one agent's files are looked at, the newest first. */
export const MOST_RECORDS = 60;

/** Codex's first line alone has 22 kB of instructions. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 64 * 1024;
/** A longer line is left out: it is no message, and no text in memory can be endless. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** A pipe in a file's place must not keep anybody waiting. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A record may say anything, and the programs that resume a conversation take names and numbers too. */
export const CONVERSATION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** This many are looked at together: what the journal writes waits behind them. */
const AT_ONCE = 32;

export interface RecordFile {
  path: string;
  /** When it was last written to, in milliseconds since the epoch. */
  at: number;
  bytes: number;
}

export interface RecordEnds {
  first: Fields[];
  last: Fields[];
  /** Between the two is something that was not read. */
  cut: boolean;
}

/** Those of the paths that are files, the last written to first. */
export async function newestFiles(paths: readonly string[], most = MOST_RECORDS): Promise<RecordFile[]> {
  const found = await eachOf(paths, async (path) => ({ path, is: await lstat(path).catch(() => null) }));
  return found
    .flatMap(({ path, is }) => (is?.isFile() === true ? [{ path, at: is.mtimeMs, bytes: is.size }] : []))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, most);
}

/** A file that cannot be read, or holds no conversation, is left out. */
export async function conversationsIn(
  files: readonly RecordFile[],
  conversationIn: (file: RecordFile) => Promise<StoredConversation | null>,
): Promise<StoredConversation[]> {
  const found = await eachOf(files, (file) => conversationIn(file).catch(() => null));
  return found.flatMap((one) => one ?? []);
}

/** A few at a time, however many there are. */
export async function eachOf<T, R>(all: readonly T[], look: (one: T) => Promise<R>): Promise<R[]> {
  const found: R[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    found.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(look))));
  return found;
}

/** The whole lines at both ends of a file. */
export function endsOf({ path, bytes }: RecordFile): Promise<RecordEnds> {
  return opened(path, async (file) => {
    const head = await read(file, 0, HEAD_BYTES);
    if (bytes <= HEAD_BYTES) return { first: fieldsIn(head), last: fieldsIn(head), cut: false };
    const from = Math.max(HEAD_BYTES, bytes - TAIL_BYTES);
    return { first: fieldsIn(head), last: fieldsIn(await read(file, from, TAIL_BYTES)), cut: from > HEAD_BYTES };
  });
}

/** Its first bytes as text; empty if it cannot be read. */
export function beginningOf(path: string, bytes: number): Promise<string> {
  return opened(path, (file) => read(file, 0, bytes)).catch(() => "");
}

/** All its lines. @throws what the disk throws */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const lines = new LineSplitter(LONGEST_LINE);
  const file = await open(path, READ);
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    for (const line of lines.push(chunk)) if ("bytes" in line) yield line.bytes.toString();
  }
  for (const line of lines.lastLine()) if ("bytes" in line) yield line.bytes.toString();
}

async function opened<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, READ);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, from: number, most: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, from);
  return buffer.toString("utf8", 0, bytesRead);
}

/** A line that was cut off cannot be parsed, and is left out. */
function fieldsIn(text: string): Fields[] {
  return text.split("\n").flatMap((line): Fields[] => [parseLine(line) ?? []].flat());
}
