/**
 * A disk whose operations can be made to fail: the n-th one, once or from there on, with any error or with a
 * write that falls short. It watches that nobody writes to or syncs a file on which a write or sync has failed.
 */
import type { Disk, DiskFile } from "../../../src/base/disk.ts";
import { fault } from "./memory-disk.ts";

export interface Fault {
  /** Which operation, counted from 1. */
  at: number;
  /** An errno, or `short` for a write that takes half of what it is given. */
  error: string;
  /** Every operation from there on, not only that one. */
  forEver: boolean;
}

export interface FaultyDisk extends Disk {
  readonly operations: number;
  /** Whether it failed where content or names were to be changed, made durable or opened; not in closing or tidying. */
  readonly hurt: boolean;
  /** Writes, syncs and truncations of a file on which one of them had failed before. */
  readonly touchedAfterFailure: string[];
}

export function faultyDisk(inner: Disk, planned: Fault): FaultyDisk {
  let operations = 0;
  let hurt = false;
  const touchedAfterFailure: string[] = [];

  function due(): boolean {
    operations += 1;
    return planned.forEver ? operations >= planned.at : operations === planned.at;
  }

  async function operate<T>(what: string, act: (hit: boolean) => Promise<T>): Promise<T> {
    const hit = due();
    if (!hit || planned.error === "short") return act(hit);
    if (!/^(close|unlink)/.test(what)) hurt = true;
    throw fault(planned.error, what);
  }

  function watch(path: string, file: DiskFile): DiskFile {
    let failed = false;
    async function change<T>(what: string, act: (hit: boolean) => Promise<T>): Promise<T> {
      if (failed) touchedAfterFailure.push(`${what} ${path}`);
      try {
        return await operate(`${what} ${path}`, act);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
    return {
      write: (bytes, from) =>
        change("write", (half) => {
          const until = half ? from + Math.max(1, (bytes.length - from) >> 1) : bytes.length;
          return file.write(bytes.subarray(0, until), from);
        }),
      read: (into, at, length, position) => operate(`read ${path}`, () => file.read(into, at, length, position)),
      datasync: () => change("datasync", () => file.datasync()),
      sync: () => change("sync", () => file.sync()),
      truncate: (length) => change("truncate", () => file.truncate(length)),
      size: () => operate(`size ${path}`, () => file.size()),
      close: () => operate(`close ${path}`, () => file.close()),
    };
  }

  return {
    get operations() {
      return operations;
    },
    get hurt() {
      return hurt;
    },
    touchedAfterFailure,
    open: (path, flags) => operate(`open ${path}`, async () => watch(path, await inner.open(path, flags))),
    rename: (from, to) => operate(`rename ${from}`, () => inner.rename(from, to)),
    unlink: (path) => operate(`unlink ${path}`, () => inner.unlink(path)),
    mkdir: (path) => operate(`mkdir ${path}`, () => inner.mkdir(path)),
    readdir: (path) => operate(`readdir ${path}`, () => inner.readdir(path)),
    stat: (path) => operate(`stat ${path}`, () => inner.stat(path)),
    syncDirectory: (path) => operate(`syncdir ${path}`, () => inner.syncDirectory(path)),
  };
}
