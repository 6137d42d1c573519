/**
 * `snapshot.json`: the state at one position of the journal, so that a start need not read all of it. It is replaced
 * atomically and sealed like a journal line; a missing or damaged one, or one of another shape, only costs time, because
 * the journal rebuilds it.
 *
 * One is taken after fifty events or five seconds, never two within five seconds, and never for more than a fiftieth of
 * the time, so that a large state is written less often. One that fails is reported and retried later; it never delays
 * or endangers the journal, which has everything.
 */
import { FORMAT, SHAPE } from "../core/state.ts";
import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { errnoOf, readWhole, writeAtomically, type Disk } from "../base/disk.ts";
import type { Clock } from "../base/clock.ts";
import { BellhopError } from "../base/errors.ts";
import { corrupt, SNAPSHOT } from "./writer.ts";
import { checkSeal, hex, type Position } from "./format.ts";

export type SnapshotState = Record<string, unknown>;

export type LoadedSnapshot =
  | { kind: "good"; at: Position; state: SnapshotState; bytes: number }
  | { kind: "missing" }
  | { kind: "unusable"; found: string };

const RESERVED = ["shape", "last_seq", "last_crc", "crc"];

/**
 * Writes the state as it was right after the event at `at`; durable when it resolves, with its size in bytes.
 * @throws what the disk throws; TypeError if the state has a key that is the snapshot's own
 */
export async function writeSnapshot(disk: Disk, dir: string, at: Position, state: object): Promise<number> {
  const taken = RESERVED.find((key) => Object.hasOwn(state, key));
  if (taken !== undefined) throw new TypeError(`the state must not have a key ${taken}`);
  const pieces = sealed({ version: 1, shape: SHAPE, last_seq: at.seq, last_crc: at.crc, ...state });
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
 * @throws BellhopError E_JOURNAL_CORRUPT for an intact one of another version: this release would misread it, and
 * what is in its journal too
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
  const { shape = 1, last_seq: seq, last_crc: crc, crc: _seal, ...state } = content;
  const { version } = state;
  // The state says which format it is in; 1: none yet.
  if (typeof version === "number" && version > 1 && version !== FORMAT) {
    throw corrupt({
      file: path,
      offset: 0,
      seq: 0,
      found: `snapshot version ${version}; this Bellhop reads ${FORMAT}`,
    });
  }
  if (
    typeof version !== "number" ||
    version < 1 ||
    !Number.isSafeInteger(seq) ||
    Number(seq) < 1 ||
    typeof crc !== "string"
  ) {
    return { kind: "unusable", found: "version, last_seq or last_crc is missing" };
  }
  if (shape !== SHAPE)
    return { kind: "unusable", found: `its state has shape ${String(shape)}; this Bellhop's has ${SHAPE}` };
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

export interface SnapshotRhythm {
  /** A snapshot is due after this many events … */
  everyEvents: number;
  /** … or this long after the first event it lacks; never two within this time. */
  everyMs: number;
}

/** `SNAPSHOT_EVERY_EVENTS` and `SNAPSHOT_EVERY_SECONDS`. */
export const SNAPSHOT_RHYTHM: SnapshotRhythm = { everyEvents: 50, everyMs: 5000 };

export interface SnapshotPolicy {
  /** Where the snapshot on disk ends, as far as is known. */
  readonly covered: number;
  /** Event `seq`, and all before it, are on disk. */
  recordSynced(seq: number): void;
  /** A snapshot that ends at `seq` was taken. */
  recordSnapshot(seq: number): void;
  /** The last one took this long. */
  took(ms: number): void;
  /** Milliseconds until one is due, 0 if it is due now, undefined if it would hold nothing new. */
  dueIn(): number | undefined;
}

/** A snapshot is followed by this many times as long without one. */
const REST = 50;

/** The two limits, by the monotonic clock. `taken` is where the snapshot on disk ends, 0 if there is none. */
export function snapshotPolicy(clock: Clock, rhythm: SnapshotRhythm, taken: number): SnapshotPolicy {
  let last = taken;
  let covered = taken;
  let firstAt = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  let rest = rhythm.everyMs;
  return {
    get covered() {
      return covered;
    },
    recordSynced(seq) {
      if (last === covered) firstAt = clock.monotonic();
      last = Math.max(last, seq);
    },
    recordSnapshot(seq) {
      takenAt = firstAt = clock.monotonic();
      covered = seq;
    },
    took(ms) {
      rest = Math.max(rhythm.everyMs, ms * REST);
    },
    dueIn() {
      if (last <= covered) return undefined;
      const now = clock.monotonic();
      const worthIt = last - covered >= rhythm.everyEvents ? now : firstAt + rhythm.everyMs;
      return Math.max(0, worthIt - now, takenAt + rest - now);
    },
  };
}

/** A snapshot that could be written: the last event in it, and the write, which resolves when it is durable. */
export interface Taking {
  seq: number;
  write(): Promise<void>;
}

export interface SnapshotTaker {
  recordSynced(seq: number): void;
  /** Remembers how to take one, and takes it when it is due. */
  takeWhenDue(take: () => Taking): void;
  /**
   * Takes one now, unless the last one has everything. Resolves when it is durable.
   * @throws E_DISK_FULL while none may be taken; what the disk throws
   */
  takeNow(take: () => Taking): Promise<void>;
  /** Waits for one that is being written; then, if wanted, takes what is still missing. */
  close(andTakeLast: boolean): Promise<void>;
}

/** The shortest pause after a failed snapshot. */
const RETRY_MS = 1000;

/** Runs `take` in the policy's rhythm while it may, one at a time; `failed` is called with every error. */
export function snapshotTaker(
  clock: Clock,
  policy: SnapshotPolicy,
  failed: (error: unknown) => void,
  mayTake = (): boolean => true,
): SnapshotTaker {
  let take: (() => Taking) | undefined;
  let busy: Promise<void> | undefined;
  let forget: (() => void) | undefined;
  let closed = false;

  function look(): void {
    const due = policy.dueIn();
    if (closed || busy !== undefined || due === undefined) return;
    if (due > 0) forget ??= clock.after(due, wake);
    else start();
  }

  function wake(): void {
    forget = undefined;
    look();
  }

  function start(): void {
    busy = takeOne().then(
      (took) => {
        busy = undefined;
        if (took) look();
      },
      (error: unknown) => {
        busy = undefined;
        failed(error);
        // Not at once, whatever the rhythm: a disk that refuses would keep us busy with nothing else.
        if (!closed) forget ??= clock.after(Math.max(RETRY_MS, policy.dueIn() ?? 0), wake);
      },
    );
  }

  /** False if the state has not advanced since the last one: the next call of `soon` then checks again. */
  async function takeOne(): Promise<boolean> {
    if (take === undefined || !mayTake()) return false;
    // A failed attempt counts too: the rhythm holds while the disk refuses.
    const before = policy.covered;
    policy.recordSnapshot(before);
    const { seq, write } = take();
    if (seq <= before) return false;
    policy.recordSnapshot(seq);
    const from = clock.monotonic();
    try {
      await write();
      policy.took(clock.monotonic() - from);
      return true;
    } catch (error) {
      policy.recordSnapshot(before);
      throw error;
    }
  }

  return {
    recordSynced: (seq) => policy.recordSynced(seq),
    takeWhenDue(next) {
      take = next;
      look();
    },
    async takeNow(next) {
      take = next;
      while (busy !== undefined) await busy;
      if (!mayTake()) throw new BellhopError("E_DISK_FULL");
      const taken = takeOne();
      busy = taken.then(
        () => undefined,
        () => undefined,
      );
      await taken.finally(() => {
        busy = undefined;
        look();
      });
    },
    async close(andTakeLast) {
      closed = true;
      forget?.();
      await busy;
      if (andTakeLast && policy.dueIn() !== undefined) start();
      await busy;
    },
  };
}
