/**
 * The only writer of the journal: one file descriptor for the process's life, opened for appending. An append resolves
 * only when its bytes are synced; everything appended meanwhile shares the next write and sync. After any error nothing
 * is ever written or synced again, and every append rejects: a sync that failed once may succeed the second time
 * without having written anything.
 */
import { join } from "node:path";
import { type Disk, type DiskFile, writeAll, errnoOf } from "../base/disk.ts";
import { BellhopError, theirWords } from "../base/errors.ts";

interface WriterOptions {
  disk: Disk;
  dir: string;
  live: LiveFile;
  /** The size in bytes at which the live file is closed and renamed. */
  segmentBytes: number;
}

/** One write and one sync. Its appends share one promise: they succeed or fail together. */
interface Batch {
  readonly firstSeq: number;
  readonly chunks: Uint8Array[];
  bytes: number;
  readonly done: PromiseWithResolvers<void>;
  /** It has nothing to write: the live file is closed. */
  readonly closes?: true;
}

/** No single write is larger than this, so that no append waits behind an endless one. */
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Opens the live file, creating it if missing; when this resolves, its content and its name are durable, including what
 * an earlier process wrote but did not sync.
 * @throws BellhopError E_JOURNAL_WRITE
 */
export async function openWriter(options: WriterOptions): Promise<Writer> {
  const { disk, dir, live } = options;
  const file = await attempt(join(dir, LIVE), "open", () => openLive(disk, dir, live.exists ? "a" : "ax"));
  return new Writer(options, file);
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #path: string;
  #file: DiskFile;
  #size: number;
  #firstSeq: number | undefined;
  #queue: Batch[] = [];
  #running: Promise<void> | undefined;
  #failed: BellhopError | undefined;
  #closing = false;
  #scratch = Buffer.allocUnsafeSlow(64 * 1024);

  constructor(options: WriterOptions, file: DiskFile) {
    this.#options = options;
    this.#path = join(options.dir, LIVE);
    this.#file = file;
    this.#size = options.live.bytes;
    this.#firstSeq = options.live.firstSeq;
  }

  /** The failure that ended it, if any. */
  get failed(): BellhopError | undefined {
    return this.#failed;
  }

  /**
   * Appends whole lines, newlines included; the first has the number `firstSeq`. Call order is file order.
   * @returns when the bytes are durable; rejects with E_JOURNAL_WRITE, and so does every later append
   */
  append(lines: Uint8Array, firstSeq: number): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    if (this.#closing) return Promise.reject(diskFailed(this.#path, "write", new Error("closed")));
    let batch = this.#queue.at(-1);
    if (batch === undefined || batch.bytes >= BATCH_BYTES) {
      batch = { firstSeq, chunks: [], bytes: 0, done: Promise.withResolvers<void>() };
      this.#queue.push(batch);
    }
    batch.chunks.push(lines);
    batch.bytes += lines.length;
    this.#running ??= this.#run();
    return batch.done.promise;
  }

  /**
   * Closes the live file, with all that was appended, and begins a new one; without an effect on an empty one.
   * @returns when that is durable; rejects as `append` does
   */
  rotate(): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(this.#failed);
    if (this.#closing) return Promise.reject(diskFailed(this.#path, "rename", new Error("closed")));
    const { promise, ...rest } = Promise.withResolvers<void>();
    this.#queue.push({ firstSeq: 0, chunks: [], bytes: BATCH_BYTES, done: { promise, ...rest }, closes: true });
    this.#running ??= this.#run();
    return promise;
  }

  /** Waits for all appends, then closes the file. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#running;
    await this.#file.close().catch(() => undefined);
  }

  async #run(): Promise<void> {
    await everybodySpoke();
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) {
      try {
        if (this.#firstSeq !== undefined && (batch.closes || this.#size >= this.#options.segmentBytes))
          await this.#rotate(this.#firstSeq);
        if (!batch.closes) await this.#put(batch);
      } catch (error) {
        this.#fail(diskFailed(this.#path, "write", error), batch);
        return;
      }
      if (!batch.closes) {
        this.#firstSeq ??= batch.firstSeq;
        this.#size += batch.bytes;
      }
      batch.done.resolve();
      await everybodySpoke();
    }
    this.#running = undefined;
  }

  async #put(batch: Batch): Promise<void> {
    const bytes = this.#gather(batch);
    await attempt(this.#path, "write", () => writeAll(this.#file, bytes));
    await attempt(this.#path, "sync", () => this.#file.datasync());
  }

  /**
   * Only one write runs at a time, so one buffer serves them all: a new one for each cost a tenth of the group commit.
   */
  #gather(batch: Batch): Uint8Array {
    const [only] = batch.chunks;
    if (only !== undefined && batch.chunks.length === 1) return only;
    if (this.#scratch.length < batch.bytes) this.#scratch = Buffer.allocUnsafeSlow(batch.bytes * 2);
    let at = 0;
    for (const chunk of batch.chunks) {
      this.#scratch.set(chunk, at);
      at += chunk.length;
    }
    return this.#scratch.subarray(0, at);
  }

  async #rotate(firstSeq: number): Promise<void> {
    const { disk, dir } = this.#options;
    // Each batch in it was synced, so nothing is left to sync.
    await attempt(this.#path, "close", () => this.#file.close());
    await rotate(disk, dir, firstSeq);
    this.#file = await attempt(this.#path, "open", () => openLive(disk, dir, "ax"));
    this.#size = 0;
    this.#firstSeq = undefined;
  }

  #fail(error: BellhopError, batch: Batch): void {
    this.#failed = error;
    const waiting = [batch, ...this.#queue];
    this.#queue = [];
    for (const { done } of waiting) done.reject(error);
  }
}

async function openLive(disk: Disk, dir: string, flags: "a" | "ax"): Promise<DiskFile> {
  const file = await disk.open(join(dir, LIVE), flags);
  try {
    await file.sync();
    await disk.syncDirectory(dir);
    return file;
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Resolves after everything that is ready in this turn has run, so that callers just answered, and those they woke, are
 * in the next batch and not in the one after.
 */
async function everybodySpoke(): Promise<void> {
  await undefined;
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
}

/*
 * The journal's files and their rotation. `events.ndjson` is the one being written; when full it becomes `events-<first
 * seq>.ndjson` and stays forever, so the names alone say where each sequence number is.
 */

export const LIVE = "events.ndjson";
export const SNAPSHOT = "snapshot.json";

interface JournalSegment {
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
  readonly segments: JournalSegment[];
  readonly live: boolean;
  readonly names: string[];
}

const SEGMENT = /^events-([0-9]{12,16})\.ndjson$/;

export function segmentName(firstSeq: number): string {
  return `events-${String(firstSeq).padStart(12, "0")}.ndjson`;
}

/** Gives the full live file, which is closed and synced, the name that it keeps. @throws E_JOURNAL_WRITE */
async function rotate(disk: Disk, dir: string, firstSeq: number): Promise<void> {
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

/*
 * The journal's failures: damage (what is on disk is not what was written) or a disk that refuses. Both name the file,
 * so that a person can look at it.
 */

/** Where the journal is damaged. */
export interface Damage {
  readonly file: string;
  /** Bytes from the start of the file to the start of the wrong line. */
  readonly offset: number;
  /** The sequence number expected there. */
  readonly seq: number;
  /** What is there instead, in a few words. */
  readonly found: string;
}

export function corrupt(damage: Damage): BellhopError {
  return new BellhopError("E_JOURNAL_CORRUPT", { ...damage });
}

/** A failed disk call; `operation` is its verb: open, read, write, sync, rename. */
export function diskFailed(file: string, operation: string, error: unknown): BellhopError {
  if (error instanceof BellhopError) return error;
  const reason = theirWords(`${operation} ${file}: ${errnoOf(error)}`);
  return new BellhopError("E_JOURNAL_WRITE", { file, operation, reason }, { cause: error });
}

/** A disk call whose failure names the file. @throws E_JOURNAL_WRITE */
async function attempt<T>(file: string, operation: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw diskFailed(file, operation, error);
  }
}
