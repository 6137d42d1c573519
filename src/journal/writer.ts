/**
 * The one hand that writes the journal: a file descriptor held for life, opened for appending. What was
 * handed over resolves only when its bytes are synced; everything handed over meanwhile shares the next
 * write and sync. After any error nothing is ever written or synced again, and every append rejects:
 * a sync that failed once may succeed the second time without having written anything.
 */
import { join } from "node:path";

import { type Disk, type DiskFile, writeAll } from "../base/disk.ts";
import type { BellhopError } from "../base/errors.ts";
import { diskFailed } from "./failure.ts";
import type { LiveFile } from "./reader.ts";
import { LIVE, segmentName } from "./segments.ts";

export interface WriterOptions {
  disk: Disk;
  dir: string;
  live: LiveFile;
  /** The live file is closed and renamed once it holds this many bytes. */
  segmentBytes: number;
}

export interface Writer {
  /**
   * Hands over whole lines, newlines included, of which the first has the number `firstSeq`. Order of
   * calls is order in the file.
   * @returns when the bytes are durable; rejects with E_JOURNAL_WRITE, then and ever after
   */
  append(lines: Uint8Array, firstSeq: number): Promise<void>;
  /** The failure that ended it, if one did. */
  readonly failed: BellhopError | undefined;
  /** Waits for what was handed over, then lets go of the file. */
  close(): Promise<void>;
}

/** One write and one sync. Its appends share one promise: they stand or fall together. */
interface Batch {
  readonly firstSeq: number;
  readonly chunks: Uint8Array[];
  bytes: number;
  readonly done: PromiseWithResolvers<void>;
}

/** More than this is not put into one write, so that no append waits behind an endless one. */
const BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Opens the live file, making it where there is none; when this resolves, all that stands in it and its
 * name are durable, also what an earlier process wrote and did not live to sync.
 * @throws BellhopError E_JOURNAL_WRITE
 */
export async function openWriter(options: WriterOptions): Promise<Writer> {
  const { disk, dir } = options;
  const path = join(dir, LIVE);
  const file = await attempt(path, "open", () => openLive(disk, dir, options.live.exists ? "a" : "ax"));
  return makeWriter(options, file);
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

function makeWriter({ disk, dir, live, segmentBytes }: WriterOptions, opened: DiskFile): Writer {
  const path = join(dir, LIVE);
  let file = opened;
  let { bytes: size, firstSeq: first } = live;
  let queue: Batch[] = [];
  let running: Promise<void> | undefined;
  let failed: BellhopError | undefined;
  let closing = false;
  let scratch = Buffer.allocUnsafeSlow(64 * 1024);

  async function run(): Promise<void> {
    await everybodySpoke();
    for (let batch = queue.shift(); batch !== undefined; batch = queue.shift()) {
      try {
        if (first !== undefined && size >= segmentBytes) await rotate(first);
        await put(batch);
      } catch (error) {
        fail(diskFailed(path, "write", error), batch);
        return;
      }
      first ??= batch.firstSeq;
      size += batch.bytes;
      batch.done.resolve();
      await everybodySpoke();
    }
    running = undefined;
  }

  async function put(batch: Batch): Promise<void> {
    const bytes = gather(batch);
    await attempt(path, "write", () => writeAll(file, bytes));
    await attempt(path, "sync", () => file.datasync());
  }

  /** One write at a time, so one buffer serves them all: a new one for each cost a tenth of the group commit. */
  function gather(batch: Batch): Uint8Array {
    const [only] = batch.chunks;
    if (only !== undefined && batch.chunks.length === 1) return only;
    if (scratch.length < batch.bytes) scratch = Buffer.allocUnsafeSlow(batch.bytes * 2);
    let at = 0;
    for (const chunk of batch.chunks) {
      scratch.set(chunk, at);
      at += chunk.length;
    }
    return scratch.subarray(0, at);
  }

  async function rotate(firstSeq: number): Promise<void> {
    const segment = join(dir, segmentName(firstSeq));
    await attempt(path, "sync", () => file.sync());
    await attempt(path, "close", () => file.close());
    await attempt(segment, "rename", () => disk.rename(path, segment));
    // Before the name is taken again: a crash must not find the new file under it and the old one under none.
    await attempt(dir, "sync", () => disk.syncDirectory(dir));
    file = await attempt(path, "open", () => openLive(disk, dir, "ax"));
    size = 0;
    first = undefined;
  }

  function fail(error: BellhopError, batch: Batch): void {
    failed = error;
    const waiting = [batch, ...queue];
    queue = [];
    for (const { done } of waiting) done.reject(error);
  }

  function append(lines: Uint8Array, firstSeq: number): Promise<void> {
    if (failed !== undefined) return Promise.reject(failed);
    if (closing) return Promise.reject(diskFailed(path, "write", new Error("closed")));
    let batch = queue.at(-1);
    if (batch === undefined || batch.bytes >= BATCH_BYTES) {
      batch = { firstSeq, chunks: [], bytes: 0, done: Promise.withResolvers<void>() };
      queue.push(batch);
    }
    batch.chunks.push(lines);
    batch.bytes += lines.length;
    running ??= run();
    return batch.done.promise;
  }

  async function close(): Promise<void> {
    closing = true;
    await running;
    await file.close().catch(() => undefined);
  }

  return {
    append,
    close,
    get failed() {
      return failed;
    },
  };
}

/**
 * Resolves after everything that is ready to run in this turn has run, so that those who were just
 * answered, and whoever they woke, are in the next batch and not in the one after.
 */
async function everybodySpoke(): Promise<void> {
  await undefined;
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
}

async function attempt<T>(file: string, operation: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw diskFailed(file, operation, error);
  }
}
