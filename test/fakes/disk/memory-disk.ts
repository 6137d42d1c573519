/**
 * A disk in memory that keeps apart what was written and what would survive a power cut: appended bytes
 * until their sync, names until their directory's sync. `crash` cuts the power: what was not synced is
 * dropped, torn, filled with NULs or kept, and each name not synced is there or not, as chance will.
 */
import { basename, dirname } from "node:path";

import type { Disk, DiskFile, OpenFlags } from "../../../src/base/disk.ts";
import type { Chance } from "./chance.ts";

interface Inode {
  bytes: Buffer;
  length: number;
  /** How many of the bytes a power cut cannot take. */
  durable: number;
  /** What it was before a truncation that is not synced yet. */
  before: Buffer | undefined;
}

type NameChange =
  | { kind: "link"; name: string; inode: Inode }
  | { kind: "rename"; from: string; to: string; inode: Inode }
  | { kind: "unlink"; name: string };

interface Directory {
  names: Map<string, Inode>;
  durable: Map<string, Inode>;
  pending: NameChange[];
}

export class MemoryDisk implements Disk {
  /** Every operation so far. */
  operations = 0;
  /** How many bytes a write takes of those it is given. */
  takes = (length: number): number => length;
  /** A power cut may also leave NULs in the midst of what was not synced, with what follows in place. */
  holes = false;
  /** How often the power was cut: files of an earlier life are dead. */
  life = 0;
  readonly #tree = new Map<string, Directory>();
  #power = Number.POSITIVE_INFINITY;

  constructor(...directories: string[]) {
    for (const path of directories) this.#tree.set(path, { names: new Map(), durable: new Map(), pending: [] });
  }

  /** After so many more operations each one fails, as if the machine had stopped. */
  cutPowerAfter(operations: number): void {
    this.#power = operations;
  }

  /** Cuts the power now, applies what that does, and switches it on again. */
  crash(chance: Chance): void {
    this.life += 1;
    this.#power = Number.POSITIVE_INFINITY;
    for (const each of this.#tree.values()) crashDirectory(each, chance, this.holes);
  }

  /** Puts a file there, durable. */
  put(path: string, bytes: Uint8Array): void {
    const inode = { bytes: Buffer.from(bytes), length: bytes.length, durable: bytes.length, before: undefined };
    const { names, durable } = this.#directory(dirname(path));
    names.set(basename(path), inode);
    durable.set(basename(path), inode);
  }

  /** The file's present content. */
  bytes(path: string): Buffer {
    const inode = this.#inode(path);
    return Buffer.from(inode.bytes.subarray(0, inode.length));
  }

  list(path: string): string[] {
    return [...this.#directory(path).names.keys()].sort();
  }

  operate(): void {
    this.operations += 1;
    this.#power -= 1;
    if (this.#power < 0) throw fault("EIO", "no power");
  }

  async open(path: string, flags: OpenFlags): Promise<DiskFile> {
    this.operate();
    const { names, pending } = this.#directory(dirname(path));
    const name = basename(path);
    const there = names.get(name);
    if (there !== undefined) {
      if (flags === "ax" || flags === "wx") throw fault("EEXIST", path);
      return memoryFile(this, there);
    }
    if (flags === "r" || flags === "r+") throw fault("ENOENT", path);
    const inode: Inode = { bytes: Buffer.allocUnsafe(256), length: 0, durable: 0, before: undefined };
    names.set(name, inode);
    pending.push({ kind: "link", name, inode });
    return memoryFile(this, inode);
  }

  async rename(from: string, to: string): Promise<void> {
    this.operate();
    const inode = this.#inode(from);
    const { names, pending } = this.#directory(dirname(from));
    names.delete(basename(from));
    names.set(basename(to), inode);
    pending.push({ kind: "rename", from: basename(from), to: basename(to), inode });
  }

  async unlink(path: string): Promise<void> {
    this.operate();
    this.#inode(path);
    const { names, pending } = this.#directory(dirname(path));
    names.delete(basename(path));
    pending.push({ kind: "unlink", name: basename(path) });
  }

  async mkdir(path: string): Promise<void> {
    this.operate();
    if (this.#tree.has(path)) throw fault("EEXIST", path);
    this.#tree.set(path, { names: new Map(), durable: new Map(), pending: [] });
  }

  async readdir(path: string): Promise<string[]> {
    this.operate();
    return [...this.#directory(path).names.keys()];
  }

  async stat(path: string): Promise<{ size: number; directory: boolean }> {
    this.operate();
    if (this.#tree.has(path)) return { size: 0, directory: true };
    return { size: this.#inode(path).length, directory: false };
  }

  async syncDirectory(path: string): Promise<void> {
    this.operate();
    const directory = this.#directory(path);
    directory.durable = new Map(directory.names);
    directory.pending = [];
  }

  #directory(path: string): Directory {
    const found = this.#tree.get(path);
    if (found === undefined) throw fault("ENOENT", path);
    return found;
  }

  #inode(path: string): Inode {
    const inode = this.#directory(dirname(path)).names.get(basename(path));
    if (inode === undefined) throw fault("ENOENT", path);
    return inode;
  }
}

function memoryFile(disk: MemoryDisk, inode: Inode): DiskFile {
  const born = disk.life;
  function use(): void {
    disk.operate();
    if (born !== disk.life) throw fault("EBADF", "a file of before the crash");
  }
  return {
    async write(bytes, from) {
      use();
      const count = disk.takes(bytes.length - from);
      append(inode, bytes.subarray(from, from + count));
      return count;
    },
    async read(into, offset, length, position) {
      use();
      const count = Math.max(0, Math.min(length, inode.length - position));
      into.set(inode.bytes.subarray(position, position + count), offset);
      return count;
    },
    async datasync() {
      use();
      synced(inode);
    },
    async sync() {
      use();
      synced(inode);
    },
    async truncate(length) {
      use();
      inode.before ??= Buffer.from(inode.bytes.subarray(0, inode.durable));
      inode.length = length;
      inode.durable = Math.min(inode.durable, length);
    },
    async size() {
      use();
      return inode.length;
    },
    async close() {
      use();
    },
  };
}

/** An error as the system gives it. */
export function fault(code: string, what: string): Error {
  return Object.assign(new Error(`${code}: ${what}`), { code });
}

function append(inode: Inode, bytes: Uint8Array): void {
  const needed = inode.length + bytes.length;
  if (needed > inode.bytes.length) {
    const bigger = Buffer.allocUnsafe(needed * 2);
    inode.bytes.copy(bigger, 0, 0, inode.length);
    inode.bytes = bigger;
  }
  inode.bytes.set(bytes, inode.length);
  inode.length = needed;
}

function synced(inode: Inode): void {
  inode.durable = inode.length;
  inode.before = undefined;
}

/**
 * Each name change that was not synced happened or did not; each file keeps its synced bytes and some of the others.
 */
function crashDirectory(directory: Directory, chance: Chance, holes: boolean): void {
  const names = new Map(directory.durable);
  for (const change of directory.pending) {
    if (chance.coin()) continue;
    if (change.kind === "unlink") names.delete(change.name);
    else if (change.kind === "link") names.set(change.name, change.inode);
    else {
      if (names.get(change.from) === change.inode) names.delete(change.from);
      names.set(change.to, change.inode);
    }
  }
  for (const inode of new Set(names.values())) crashFile(inode, chance, holes);
  directory.names = names;
  directory.durable = new Map(names);
  directory.pending = [];
}

function crashFile(inode: Inode, chance: Chance, holes: boolean): void {
  if (inode.before !== undefined && chance.coin()) {
    inode.bytes = inode.before;
    inode.length = inode.before.length;
  } else if (holes && chance.below(3) === 0) {
    const from = inode.durable + chance.below(inode.length - inode.durable + 1);
    inode.bytes.fill(0, from, from + chance.below(inode.length - from + 1));
  } else {
    const loose = inode.length - inode.durable;
    const keep = inode.durable + tornLength(loose, chance);
    // The size may have reached the disk before the bytes did: the rest is NULs.
    if (chance.below(4) === 0) inode.bytes.fill(0, keep, inode.length);
    else inode.length = keep;
  }
  synced(inode);
}

function tornLength(loose: number, chance: Chance): number {
  const kind = chance.below(4);
  if (kind === 0) return 0;
  return kind === 1 ? loose : chance.below(loose + 1);
}
