/**
 * `STATE_DIR/reserve`: a mebibyte of real bytes that is kept for the journal. The first write that finds no room gives
 * it up, so that what runs can be finished and recorded. From then on the disk counts as full, and nothing new starts.
 * The reserve is made again by itself once there is room for it twice over, so that what starts then finds some too.
 * None of this is an event: it is a fact about the disk, not about the state.
 */
import { randomBytes } from "node:crypto";
import { lstat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { isoTime, type Clock } from "../base/clock.ts";
import { errnoOf, lacksRoom, writeAtomically, type Disk, type DiskFile } from "../base/disk.ts";
import type { Finding } from "../base/finding.ts";
import { fileTime, LIVE } from "./writer.ts";

const RESERVE = "reserve";
const RESERVE_BYTES = 1024 * 1024;

/** While the disk is full. A look costs one system call. */
const LOOK_MS = 2_000;
/** A quota is not seen by that look, and each try takes all that it has left for a moment. */
const LONGEST_MS = 60_000;

export interface Reserve {
  /** Whether a write has found no room, and the reserve has not been made again since. */
  readonly full: boolean;
  /** A write has found no room: gives the reserve up. Resolves when its room is free. Never rejects. */
  freeReserve(): Promise<void>;
  /** Calls back whenever `full` changes. Returns a function that stops it. */
  watch(changed: () => void): () => void;
  close(): Promise<void>;
}

export interface ReserveOptions {
  /** The state directory, locked by us. */
  dir: string;
  disk: Disk;
  clock: Clock;
  /** `aside`: something else stood under its name; `unmade`: it cannot be made, though there is room. */
  onNotice(kind: "full" | "made" | "aside" | "unmade", details: { file: string; error?: string; aside?: string }): void;
  /** Free bytes where the directory is; null if unknown. */
  free?(dir: string): Promise<number | null>;
}

/**
 * Resolves when it is there, or the disk is known to be full. What stands under its name and is not ours is set aside.
 */
export async function openReserve(options: ReserveOptions): Promise<Reserve> {
  const reserve = new DiskReserve(options);
  await reserve.open();
  return reserve;
}

class DiskReserve implements Reserve {
  readonly #options: ReserveOptions;
  readonly #path: string;
  readonly #watchers = new Set<() => void>();
  #full = false;
  #closed = false;
  #pauseMs = LOOK_MS;
  #making: Promise<void> = Promise.resolve();
  #releasing: Promise<void> | null = null;
  #forgetLook: (() => void) | null = null;

  constructor(options: ReserveOptions) {
    this.#options = options;
    this.#path = join(options.dir, RESERVE);
  }

  get full(): boolean {
    return this.#full;
  }

  async open(): Promise<void> {
    const stands = await whatStands(this.#path);
    if (stands === "whole") return;
    if (stands === "foreign") await this.#setAside();
    await this.#checkSpace();
  }

  freeReserve(): Promise<void> {
    this.#setFull(true);
    return (this.#releasing ??= this.#giveUp().finally(() => (this.#releasing = null)));
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#forgetLook?.();
    await this.#making;
  }

  /** One that is being made takes room too, and is removed when it is done. */
  async #giveUp(): Promise<void> {
    const { disk, dir } = this.#options;
    await this.#making;
    this.#setFull(true);
    this.#lookLater(LOOK_MS);
    try {
      await disk.unlink(this.#path);
      // Some file systems give freed room out only then.
      await disk.syncDirectory(dir);
    } catch {
      // It has been given up already, or something else stands there.
    }
  }

  async #setAside(): Promise<void> {
    const { disk, clock } = this.#options;
    const aside = `${this.#path}.aside-${fileTime(isoTime(clock.now()))}`;
    await disk.rename(this.#path, aside).then(
      () => this.#options.onNotice("aside", { file: this.#path, aside }),
      (error: unknown) => this.#options.onNotice("unmade", { file: this.#path, error: errnoOf(error) }),
    );
  }

  async #checkSpace(): Promise<void> {
    const { dir, free = freeBytes } = this.#options;
    const bytes = await free(dir);
    if (this.#closed) return;
    if (bytes !== null && bytes < 2 * RESERVE_BYTES) {
      this.#setFull(true);
      return this.#lookLater(LOOK_MS);
    }
    this.#making = this.#make();
    await this.#making;
  }

  async #make(): Promise<void> {
    const { disk } = this.#options;
    try {
      // Random, so that no file system stores it in less.
      await writeAtomically(disk, this.#path, randomBytes(RESERVE_BYTES));
    } catch (error) {
      if (lacksRoom(error)) {
        this.#setFull(true);
        this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_MS);
        return this.#lookLater(this.#pauseMs);
      }
      // There is room, so nothing has to wait for this.
      this.#options.onNotice("unmade", { file: this.#path, error: errnoOf(error) });
    }
    this.#pauseMs = LOOK_MS;
    this.#setFull(false);
  }

  #lookLater(ms: number): void {
    if (this.#closed || this.#forgetLook) return;
    this.#forgetLook = this.#options.clock.after(ms, () => {
      this.#forgetLook = null;
      void this.#checkSpace();
    });
  }

  #setFull(full: boolean): void {
    if (this.#full === full) return;
    this.#full = full;
    this.#options.onNotice(full ? "full" : "made", { file: this.#path });
    for (const changed of [...this.#watchers]) changed();
  }
}

/** Whether it is there, if a daemon has been at work in this directory. */
export async function checkReserve(dir: string): Promise<Finding[]> {
  const file = join(dir, RESERVE);
  const isUsed = await lstat(join(dir, LIVE)).then(
    () => true,
    () => false,
  );
  if (!isUsed || (await whatStands(file)) === "whole") return [];
  return [
    { check: "disk", verdict: "bad", says: "doctor.disk.reserve", args: { file }, mend: { says: "doctor.disk.mend" } },
  ];
}

/** Whether it is a file of ours with all its bytes, one without, nothing, or something else. */
async function whatStands(path: string): Promise<"whole" | "short" | "foreign"> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return "short";
  // The bytes of a file with two names stay when one is removed.
  if (!stats.isFile() || stats.nlink > 1) return "foreign";
  return stats.size === RESERVE_BYTES && stats.blocks * 512 >= RESERVE_BYTES ? "whole" : "short";
}

async function freeBytes(dir: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/**
 * The disk, where a call that finds no room gives up the reserve. With `again`, a call of which nothing can have
 * happened is then made once more; a sync never is: one that failed once may succeed without having written anything.
 */
export function withReserve(disk: Disk, reserve: Reserve, again: "again" | "fails"): Disk {
  async function guarded<T>(act: () => Promise<T>, repeats = again === "again"): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      await reserve.freeReserve();
      if (!repeats) throw error;
      return act();
    }
  }
  const fileOf = (file: DiskFile): DiskFile => ({
    write: (bytes, from) => guarded(() => file.write(bytes, from)),
    read: (into, at, length, position) => file.read(into, at, length, position),
    datasync: () => guarded(() => file.datasync(), false),
    sync: () => guarded(() => file.sync(), false),
    truncate: (length) => file.truncate(length),
    size: () => file.size(),
    close: () => file.close(),
  });
  return {
    open: async (path, flags) => fileOf(await guarded(() => disk.open(path, flags))),
    rename: (from, to) => guarded(() => disk.rename(from, to)),
    unlink: (path) => disk.unlink(path),
    mkdir: (path) => guarded(() => disk.mkdir(path)),
    readdir: (path) => disk.readdir(path),
    stat: (path) => disk.stat(path),
    syncDirectory: (path) => guarded(() => disk.syncDirectory(path), false),
  };
}
