/**
 * The few file calls used for everything durable, as an interface, so that a test can intercept them. A `Disk` promises
 * no more than the system does: a write may be short, and nothing is durable until it is synced; `writeAll` and
 * `writeAtomically` build on that.
 */
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";

/** `a` and `ax` append; `ax` and `wx` fail with EEXIST if the file exists; `r+` edits in place. */
export type OpenFlags = "r" | "r+" | "a" | "ax" | "wx";

export interface DiskFile {
  /** Writes from `bytes[from]` on; returns the number of bytes written, which may be fewer than requested. */
  write(bytes: Uint8Array, from: number): Promise<number>;
  /** Reads up to `length` bytes at `position` of the file to `into[at]`; returns 0 at the end. */
  read(into: Uint8Array, at: number, length: number, position: number): Promise<number>;
  /** Makes content and size durable; other metadata may not be. */
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  /** A second call does nothing. */
  close(): Promise<void>;
}

export interface Disk {
  /** A new file gets mode 0600. */
  open(path: string, flags: OpenFlags): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Creates one directory with mode 0700; EEXIST if it already exists. */
  mkdir(path: string): Promise<void>;
  readdir(path: string): Promise<string[]>;
  /** Size in bytes and whether it is a directory; does not follow symlinks. */
  stat(path: string): Promise<{ size: number; directory: boolean }>;
  /** Makes creations, renames and removals in this directory durable. */
  syncDirectory(path: string): Promise<void>;
}

/** A pipe in a file's place must not block: nobody could stop the daemon then. */
const READ = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK;

export const nodeDisk: Disk = {
  async open(path, flags) {
    return nodeFile(await call<number>((done) => fs.open(path, flags === "r" ? READ : flags, 0o600, done)));
  },
  rename: (from, to) => act((done) => fs.rename(from, to, done)),
  unlink: (path) => act((done) => fs.unlink(path, done)),
  mkdir: (path) => act((done) => fs.mkdir(path, 0o700, done)),
  readdir: (path) => call<string[]>((done) => fs.readdir(path, done)),
  async stat(path) {
    const stats = await call<fs.Stats>((done) => fs.lstat(path, done));
    return { size: stats.size, directory: stats.isDirectory() };
  },
  async syncDirectory(path) {
    // Windows cannot open a directory to sync it; NTFS journals names itself.
    if (process.platform === "win32") return;
    const fd = fs.openSync(path, "r");
    try {
      await act((done) => fs.fsync(fd, done));
    } finally {
      fs.closeSync(fd);
    }
  },
};

/**
 * Writes all of `bytes`, even if single writes are short.
 * @throws what the disk throws; EIO if it writes nothing and gives no error
 */
export async function writeAll(file: DiskFile, bytes: Uint8Array): Promise<void> {
  let out = 0;
  while (out < bytes.length) {
    const wrote = await file.write(bytes, out);
    if (wrote <= 0) throw Object.assign(new Error("EIO: the disk accepted no bytes"), { code: "EIO" });
    out += wrote;
  }
}

/** Hands everything that is to be written to `write`, one after the other. */
type PieceByPiece = (write: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/**
 * Replaces the content of `path`: after a crash at any moment the file has either the old or the new content, complete;
 * when this resolves, the new content is durable. It may come in pieces, which are written one after the other, or be
 * handed over bit by bit.
 * @throws what the disk throws; the temporary file is removed, and before the rename the old content stays
 */
export async function writeAtomically(
  disk: Disk,
  path: string,
  bytes: Uint8Array | readonly Uint8Array[] | PieceByPiece,
): Promise<void> {
  const directory = dirname(path);
  const temporary = join(directory, `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    await writeSynced(disk, temporary, bytes instanceof Uint8Array ? [bytes] : bytes);
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await disk.syncDirectory(directory);
}

/**
 * Writes `bytes` to a name that is not used yet and that nobody reads until it is mentioned elsewhere, so no temporary
 * name is needed, and content and name are synced in parallel. An existing file is replaced.
 * @throws what the disk throws
 */
export async function writeNew(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  let file: DiskFile;
  try {
    file = await disk.open(path, "wx");
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return writeAtomically(disk, path, bytes);
  }
  try {
    await writeAll(file, bytes);
    await Promise.all([file.sync(), disk.syncDirectory(dirname(path))]);
  } finally {
    void file.close().catch(() => undefined);
  }
}

/**
 * Creates a folder in `parent`, durably; an existing one is used. Returns its path.
 * @throws what the disk throws
 */
export async function openFolder(disk: Disk, parent: string, name: string): Promise<string> {
  const folder = join(parent, name);
  try {
    await disk.mkdir(folder);
    await disk.syncDirectory(parent);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return folder;
}

/**
 * For what is done in a folder that `openFolder` has made: if somebody has removed it meanwhile, it is made again, and
 * the same is done once more. `made` is called before that.
 * @throws what the disk throws
 */
export async function inFolder<T>(
  disk: Disk,
  folder: string,
  act: () => Promise<T>,
  made: () => void = () => undefined,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    await openFolder(disk, dirname(folder), basename(folder));
    made();
    return act();
  }
}

const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/;
/** What stands behind the file's name in it. */
const LEFT_CHARS = ".0123456789abcdef.tmp".length;

/** Whether an interrupted `writeAtomically` leaves behind files with names like this. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/**
 * Removes what a kill during a `writeAtomically` left in a folder, of the files with these names; there may be no such
 * folder. Only for whoever writes there alone.
 * @throws what the disk throws, except ENOENT
 */
export async function removeTemporaries(
  disk: Disk,
  folder: string,
  isOurs: (name: string) => boolean = () => true,
): Promise<void> {
  try {
    for (const name of await disk.readdir(folder))
      if (isTemporary(name) && isOurs(name.slice(1, -LEFT_CHARS))) await disk.unlink(join(folder, name));
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

/**
 * The whole file; `undefined` if it does not exist.
 * @throws what the disk throws, except ENOENT
 */
export async function readWhole(disk: Disk, path: string): Promise<Buffer | undefined> {
  const file = await openIfThere(disk, path);
  if (file === undefined) return undefined;
  try {
    const bytes = Buffer.allocUnsafe(await file.size());
    let got = 0;
    while (got < bytes.length) {
      const read = await file.read(bytes, got, bytes.length - got, got);
      if (read === 0) break;
      got += read;
    }
    return bytes.subarray(0, got);
  } finally {
    await file.close();
  }
}

/**
 * The file, for reading; `undefined` if it does not exist.
 * @throws what the disk throws, except ENOENT
 */
export async function openIfThere(disk: Disk, path: string): Promise<DiskFile | undefined> {
  try {
    return await disk.open(path, "r");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a call failed because the disk, or what this user may have of it, is full. */
export function lacksRoom(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** The system's code for an error (`ENOSPC`), or the error's own message if it has none. */
export function errnoOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}

async function writeSynced(disk: Disk, path: string, pieces: readonly Uint8Array[] | PieceByPiece): Promise<void> {
  const file = await disk.open(path, "wx");
  try {
    if (typeof pieces === "function") await pieces((piece) => writeAll(file, piece));
    else for (const piece of pieces) await writeAll(file, piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Up to this size a write is a copy into the page cache, faster than handing it to another thread; a group commit of 64
 * lines is a fifth faster this way. So is what the system knows of an open file, and closing it. The sync, which may
 * take long, never blocks.
 */
const DIRECT_BYTES = 64 * 1024;

function nodeFile(fd: number): DiskFile {
  let closed = false;
  // A closed file descriptor may already belong to another file: it must not be used or closed again.
  function refuseClosed(): void {
    if (closed) throw Object.assign(new Error("EBADF: the file is closed"), { code: "EBADF" });
  }
  return {
    async write(bytes, from) {
      refuseClosed();
      const length = bytes.length - from;
      if (length <= DIRECT_BYTES) return fs.writeSync(fd, bytes, from, length, null);
      return call<number>((done) => fs.write(fd, bytes, from, length, null, done));
    },
    read: (into, at, length, position) => call<number>((done) => fs.read(fd, into, at, length, position, done)),
    async datasync() {
      refuseClosed();
      await act((done) => fs.fdatasync(fd, done));
    },
    async sync() {
      refuseClosed();
      await act((done) => fs.fsync(fd, done));
    },
    async truncate(length) {
      refuseClosed();
      await act((done) => fs.ftruncate(fd, length, done));
    },
    size: async () => fs.fstatSync(fd).size,
    async close() {
      if (closed) return;
      closed = true;
      fs.closeSync(fd);
    },
  };
}

function call<T>(start: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => (error ? reject(error) : resolve(value)));
  });
}

function act(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()));
  });
}
