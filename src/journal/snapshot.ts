/**
 * `snapshot.json`: the state at one position of the journal, so that a start need not read all of it. It is replaced
 * atomically and sealed like a journal line; a missing or damaged one only costs time, because the journal rebuilds it.
 */
import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { crc32 } from "node:zlib";

import { type Disk, errnoOf, readWhole, writeAtomically } from "../base/disk.ts";
import { corrupt } from "./failure.ts";
import { type Position, checkSeal, hex } from "./format.ts";
import { SNAPSHOT } from "./segments.ts";

export type SnapshotState = Record<string, unknown>;

export type LoadedSnapshot =
  | { kind: "good"; at: Position; state: SnapshotState; bytes: number }
  | { kind: "missing" }
  | { kind: "unusable"; found: string };

/** The highest format this release reads; the state says which one it is in. */
const VERSION = 2;
const RESERVED = ["last_seq", "last_crc", "crc"];

/**
 * Writes the state as it was right after the event at `at`; durable when it resolves, with its size in bytes.
 * @throws what the disk throws; TypeError if the state has a key that is the snapshot's own
 */
export async function writeSnapshot(disk: Disk, dir: string, at: Position, state: object): Promise<number> {
  const taken = RESERVED.find((key) => Object.hasOwn(state, key));
  if (taken !== undefined) throw new TypeError(`the state must not have a key ${taken}`);
  const pieces = sealed({ version: 1, last_seq: at.seq, last_crc: at.crc, ...state });
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  try {
    await writeAtomically(disk, join(dir, SNAPSHOT), pieces);
    return length;
  } finally {
    // Given back at once: by the next large collection there would be several snapshots of them.
    for (const { buffer } of pieces) buffer.transfer(0);
  }
}

/** Large enough for memory that malloc can give back piece by piece. */
const PIECE_CHARS = 128 * 1024;

/**
 * The state's JSON and its seal, in pieces. One text of it all would have twice its size where a single character is an
 * emoji, be copied for each thing done to it, and stay until the next large collection.
 */
function sealed(state: object): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let crc = 0;
  let text = "";
  for (const part of parts(state)) {
    text += part;
    if (text.length <= PIECE_CHARS) continue;
    const piece = encoder.encode(text);
    crc = crc32(piece, crc);
    pieces.push(piece);
    text = "";
  }
  pieces.push(encoder.encode(`${text},"crc":"${hex(crc32(`${text}}`, crc))}"}\n`));
  return pieces;
}

/** What `JSON.stringify` makes of the state, entry by entry of its records and without the last brace. */
function* parts(state: object): Generator<string> {
  let before = "{";
  for (const [key, value] of Object.entries(state) as [string, unknown][]) {
    const head = `${before}${JSON.stringify(key)}:`;
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      if (value === undefined) continue;
      yield head + JSON.stringify(value);
    } else {
      yield head;
      yield* entries(value);
    }
    before = ",";
  }
}

function* entries(record: object): Generator<string> {
  let before = "{";
  for (const [id, entry] of Object.entries(record) as [string, unknown][]) {
    if (entry === undefined) continue;
    yield `${before}${JSON.stringify(id)}:${JSON.stringify(entry)}`;
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

/**
 * The snapshot, or why it cannot be used.
 * @throws BellhopError E_JOURNAL_CORRUPT for an intact one of a later version: continuing without it would be a
 * downgrade
 */
export async function loadSnapshot(disk: Disk, dir: string): Promise<LoadedSnapshot> {
  const path = join(dir, SNAPSHOT);
  let bytes: Buffer | undefined;
  try {
    bytes = await readWhole(disk, path);
  } catch (error) {
    return { kind: "unusable", found: errnoOf(error) };
  }
  if (bytes === undefined) return { kind: "missing" };
  const content = unseal(bytes);
  if (typeof content === "string") return { kind: "unusable", found: content };
  const { last_seq: seq, last_crc: crc, crc: _seal, ...state } = content;
  const { version } = state;
  if (typeof version === "number" && version > VERSION) {
    throw corrupt({ file: path, offset: 0, seq: 0, found: `snapshot version ${version}; this Bellhop reads ${VERSION}` });
  }
  if (typeof version !== "number" || version < 1 || !Number.isSafeInteger(seq) || Number(seq) < 1 || typeof crc !== "string") {
    return { kind: "unusable", found: "version, last_seq or last_crc is missing" };
  }
  return { kind: "good", at: { seq: Number(seq), crc }, state, bytes: bytes.length };
}

/** The object in the bytes, or a string that says what is wrong with them. */
function unseal(bytes: Buffer): SnapshotState | string {
  const end = bytes.length - 1;
  if (bytes[end] !== 10 || checkSeal(bytes, 0, end) < 0) return "its crc does not match";
  if (!isUtf8(bytes)) return "not UTF-8";
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8", 0, end));
    return typeof value === "object" && value !== null ? { ...value } : "not an object";
  } catch {
    return "not JSON";
  }
}
