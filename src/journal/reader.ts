/**
 * Reads the journal strictly: checks every line's crc and every sequence number in order across the segments, skips
 * nothing, or throws and says where. Only the bytes after the last newline of the live file may be less than a record;
 * the reader judges those too and changes nothing on disk.
 */
import { isAscii, isUtf8 } from "node:buffer";
import { join } from "node:path";
import type { Disk, DiskFile } from "../base/disk.ts";
import { corrupt, diskFailed, LIVE, type Listing, type LiveFile, listJournal } from "./writer.ts";
import {
  BEGINNING,
  type JournalEvent,
  MAX_LINE_BYTES,
  type Position,
  checkSeal,
  hex,
  parseLine,
  startsWith,
} from "./format.ts";
import { type LiveEnd, type Tail, judgeTail } from "./tail.ts";

export interface ReadOptions {
  disk: Disk;
  dir: string;
  /**
   * Where a snapshot ends. Segments wholly before it are not opened; lines up to it are checked but not passed on; its
   * own line must be there, with its crc.
   */
  from?: Position;
  /** The last event wanted. What follows it is not looked at: it may still be being written. */
  until?: number;
  /** Whether this version can read the event; one it cannot is refused, because skipping it would be a guess. */
  canRead(event: JournalEvent): boolean;
  onEvent(event: JournalEvent, crc: number, line: LineOnDisk): void;
  /** Awaited now and then, for a caller that cannot take everything at once. */
  pause?(): Promise<void>;
}

/** A line that was read and checked; only until `onEvent` returns. */
export interface LineOnDisk {
  readonly file: string;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** With its newline. */
  bytes(): Buffer;
}

export interface ReadResult extends LiveEnd {
  last: Position;
}

/** The reading position. One object, so that the loop over a million lines keeps everything in one place. */
class JournalCursor implements LineOnDisk {
  readonly options: ReadOptions;
  readonly skipTo: number;
  file = "";
  offset = 0;
  seq: number;
  crc = 0;
  /** Bytes read but not parsed yet: always from the start of a line. */
  buffer: Buffer = Buffer.alloc(0);
  /** The line that is handed on stands in these. */
  lines: Buffer = this.buffer;
  start = 0;
  end = 0;

  constructor(options: ReadOptions, before: number) {
    this.options = options;
    this.skipTo = options.from?.seq ?? 0;
    this.seq = before;
  }

  bytes(): Buffer {
    return Buffer.concat([this.lines.subarray(this.start, this.end), Buffer.of(NEWLINE)]);
  }
}

const CHUNK_BYTES = 2 * 1024 * 1024;
const NEWLINE = 10;
const HEAD = Buffer.from('{"seq":');

/**
 * Reads everything from the start, or from `from` on.
 * @throws BellhopError E_JOURNAL_CORRUPT {file, offset, seq, found}; E_JOURNAL_WRITE if the disk cannot be read
 */
export async function readJournal(options: ReadOptions): Promise<ReadResult> {
  const { disk, dir } = options;
  const listing = await reading(dir, () => listJournal(disk, dir));
  const plan = await whereToBegin(options, listing);
  const state = new JournalCursor(options, plan.before);
  const live: LiveFile = { exists: listing.live, bytes: 0, firstSeq: undefined };
  for (const segment of plan.segments) {
    if (isDone(state)) break;
    state.file = join(dir, segment.name);
    if (segment.firstSeq !== state.seq + 1) refuse(state, 0, `the file of seq ${segment.firstSeq}`);
    await readSegment(state);
  }
  const before = state.seq;
  state.file = join(dir, LIVE);
  const end = listing.live && !isDone(state) ? await readFile(state, disk) : { bytes: 0, rest: Buffer.alloc(0) };
  live.bytes = end.bytes;
  const tail = takeTail(state, end);
  if (state.seq > before) live.firstSeq = before + 1;
  const last = state.seq === 0 ? BEGINNING : { seq: state.seq, crc: hex(state.crc) };
  if (last.seq < state.skipTo)
    refuse(state, end.bytes, `the journal ends at ${last.seq}, the snapshot at ${state.skipTo}`);
  return { last, live, tail, tailBytes: end.rest };
}

/** Adds the file's name to whatever the disk throws. */
async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw diskFailed(file, "read", error);
  }
}

async function whereToBegin(
  { disk, dir, from }: ReadOptions,
  listing: Listing,
): Promise<{ segments: Listing["segments"]; before: number }> {
  const { segments } = listing;
  if (from === undefined || from.seq === 0) return { segments, before: 0 };
  const first = listing.live ? await reading(join(dir, LIVE), () => peekFirstSeq(disk, join(dir, LIVE))) : undefined;
  if (first !== undefined && first <= from.seq) return { segments: [], before: first - 1 };
  const index = segments.findLastIndex((segment) => segment.firstSeq <= from.seq);
  const start = segments[index];
  return start === undefined
    ? { segments, before: 0 }
    : { segments: segments.slice(index), before: start.firstSeq - 1 };
}

/** The number that the file's first line claims to have; it is checked when the line is read. */
async function peekFirstSeq(disk: Disk, path: string): Promise<number | undefined> {
  const file = await disk.open(path, "r");
  try {
    const head = Buffer.alloc(32);
    const got = await file.read(head, 0, head.length, 0);
    const digits = /^\{"seq":([1-9][0-9]{0,15}),/.exec(head.toString("latin1", 0, got))?.[1];
    return digits === undefined ? undefined : Number(digits);
  } finally {
    await file.close();
  }
}

/** Reads one closed segment. @throws as `readJournal` does */
export async function readOne(
  options: Omit<ReadOptions, "from" | "until">,
  { name, firstSeq }: Listing["segments"][number],
): Promise<void> {
  const state = new JournalCursor(options, firstSeq - 1);
  state.file = join(options.dir, name);
  await readSegment(state);
}

async function readSegment(state: JournalCursor): Promise<void> {
  const before = state.seq;
  const { bytes, rest } = await readFile(state, state.options.disk);
  // It was synced whole before it got its name, so it cannot be torn.
  if (rest.length > 0) refuse(state, bytes, "no newline at the end");
  if (state.seq === before) refuse(state, 0, "an empty file");
}

async function readFile(state: JournalCursor, disk: Disk): Promise<{ bytes: number; rest: Buffer }> {
  const file = await reading(state.file, () => disk.open(state.file, "r"));
  try {
    return await readChunks(state, file);
  } finally {
    await file.close().catch(() => undefined);
  }
}

async function readChunks(state: JournalCursor, file: DiskFile): Promise<{ bytes: number; rest: Buffer }> {
  // One byte more than there is, so that the end is found without growing.
  const wanted = Math.min(CHUNK_BYTES, 1 + (await reading(state.file, () => file.size())));
  if (state.buffer.length < wanted) state.buffer = Buffer.allocUnsafe(wanted);
  let understood = 0;
  let have = 0;
  for (;;) {
    if (have === state.buffer.length) growBuffer(state, understood);
    const { buffer } = state;
    const got = await reading(state.file, () => file.read(buffer, have, buffer.length - have, understood + have));
    if (got === 0) return { bytes: understood, rest: Buffer.from(buffer.subarray(0, have)) };
    have += got;
    const end = buffer.subarray(0, have).lastIndexOf(NEWLINE) + 1;
    if (end === 0) continue;
    readLines(state, buffer.subarray(0, end), understood);
    if (isDone(state)) return { bytes: understood, rest: Buffer.alloc(0) };
    await state.options.pause?.();
    buffer.copyWithin(0, end, have);
    have -= end;
    understood += end;
  }
}

function growBuffer(state: JournalCursor, offset: number): void {
  if (state.buffer.length >= 2 * MAX_LINE_BYTES) refuse(state, offset, `a line longer than ${MAX_LINE_BYTES} bytes`);
  const bigger = Buffer.allocUnsafe(state.buffer.length * 2);
  state.buffer.copy(bigger);
  state.buffer = bigger;
}

/** Whole lines, beginning at `offset` of the file. Checks over all bytes are made once for all of them. */
function readLines(state: JournalCursor, lines: Buffer, offset: number): void {
  const ascii = isAscii(lines);
  const utf8 = ascii || isUtf8(lines);
  const encoding = ascii ? "latin1" : "utf8";
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    const crc = checkSeal(lines, start, end);
    if (crc < 0) refuse(state, offset + start, "a line that does not match its crc");
    if (!utf8 && !isUtf8(lines.subarray(start, end))) refuse(state, offset + start, "not UTF-8");
    if (state.seq < state.skipTo) skipLine(state, seqAt(lines, start), offset + start, crc);
    else {
      state.lines = lines;
      state.start = start;
      state.end = end;
      handOn(state, lines.toString(encoding, start, end), offset + start, crc);
    }
    state.seq += 1;
    state.crc = crc;
    if (isDone(state)) return;
    start = end + 1;
  }
}

function isDone({ seq, options }: JournalCursor): boolean {
  return seq === options.until;
}

function handOn(state: JournalCursor, line: string, offset: number, crc: number): void {
  const event = parseLine(line);
  if (event === undefined) refuse(state, offset, "not an event");
  take(state, event, offset, crc);
}

function take(state: JournalCursor, event: JournalEvent, offset: number, crc: number): void {
  if (event.seq !== state.seq + 1) refuse(state, offset, `seq ${event.seq}`);
  if (!state.options.canRead(event)) refuse(state, offset, `type ${event.type}, which this version does not know`);
  state.offset = offset;
  state.options.onEvent(event, crc, state);
}

/** A line that the snapshot already holds: its position is checked, its payload is not parsed. */
function skipLine(state: JournalCursor, seq: number, offset: number, crc: number): void {
  if (seq !== state.seq + 1) refuse(state, offset, `seq ${seq}`);
  const { from } = state.options;
  if (from?.seq === state.seq + 1 && hex(crc) !== from.crc) {
    refuse(state, offset, `crc ${hex(crc)}, where the snapshot knows ${from.crc}`);
  }
}

/** The number at the beginning of the line; NaN if there is none. */
function seqAt(lines: Buffer, start: number): number {
  if (!startsWith(lines, start, HEAD)) return Number.NaN;
  let seq = 0;
  for (let at = start + HEAD.length; ; at += 1) {
    const byte = lines[at] ?? 0;
    if (byte === 0x2c) return seq;
    if (byte < 0x30 || byte > 0x39) return Number.NaN;
    seq = seq * 10 + byte - 0x30;
  }
}

/** A record that only lacks its newline counts; anything else there is torn, or damage. */
function takeTail(state: JournalCursor, end: { bytes: number; rest: Buffer }): Tail {
  const tail = judgeTail(end.rest, state.seq + 1);
  if (tail.kind === "damaged") refuse(state, end.bytes, tail.found);
  if (tail.kind !== "whole") return tail;
  const crc = Number.parseInt(tail.crc, 16);
  if (state.seq < state.skipTo) skipLine(state, seqAt(end.rest, 0), end.bytes, crc);
  else {
    Object.assign(state, { lines: end.rest, start: 0, end: end.rest.length });
    take(state, tail.event, end.bytes, crc);
  }
  state.seq += 1;
  state.crc = crc;
  return tail;
}

function refuse(state: JournalCursor, offset: number, found: string): never {
  throw corrupt({ file: state.file, offset, seq: state.seq + 1, found });
}
