/**
 * Files that strangers named: each goes into a folder of its own below one root, under a name made here, and never
 * anywhere else. A link planted on the way, a name that climbs, a file that is there already: all are refused, and
 * what is handed out is whole, synced and owned by nobody but us.
 */
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, realpath, rm, rmdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../base/disk.ts";
import { isSnowflake } from "../base/ids.ts";

export interface Files {
  /** An empty folder for this message; what an earlier try left in it is removed. @throws where the place is not safe, or the disk fails */
  begin(messageId: string): Promise<Folder>;
  /** Removes the folders of messages nobody needs any more; returns how many. Never throws for what it cannot remove. */
  sweep(needed: (messageId: string) => boolean): Promise<number>;
}

export interface Folder {
  /** A new file, 0600. @throws EEXIST where there is one, what the disk throws, or where it would not lie in the folder */
  create(index: number, name: string): Promise<NewFile>;
  /** The names of its files are durable. */
  sync(): Promise<void>;
  /** Takes it away with all that is in it. */
  remove(): Promise<void>;
}

export interface NewFile {
  /** Absolute, without links. */
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Synced and closed. */
  finish(): Promise<void>;
  /** Closed and removed. */
  discard(): Promise<void>;
}

const NAME_CHARS = 80;
const LONGEST_ENDING = 16;

/** `stateDir` may be a link of the owner's own making; below it nothing may be. The folder `uploads` is made when first needed. */
export function openFiles(stateDir: string): Files {
  const rooted = async (): Promise<string> => safeDirectory(join(await realpath(stateDir), "uploads"));
  return {
    async begin(messageId) {
      if (!isSnowflake(messageId)) throw unsafe("not a message id");
      const path = join(await rooted(), messageId);
      if ((await entryAt(path))?.isDirectory()) await rm(path, { recursive: true });
      return folderAt(await safeDirectory(path));
    },
    async sweep(needed) {
      const root = await rooted();
      const gone = (await readdir(root)).filter((name) => isSnowflake(name) && !needed(name));
      const removed = await Promise.allSettled(gone.map((name) => removeFolder(join(root, name))));
      return removed.filter(({ status }) => status === "fulfilled").length;
    },
  };
}

/** A name for a file that somebody else named: its place in the message, then what is harmless of the name, its ending kept. */
export function safeName(index: number, name: string): string {
  const plain = name.normalize("NFC").replace(/[^A-Za-z0-9._-]+/g, "_");
  const ending = /\.[A-Za-z0-9]+$/.exec(plain)?.[0] ?? "";
  const kept = ending.length > LONGEST_ENDING ? "" : ending;
  const stem = plain.slice(0, plain.length - kept.length).slice(0, NAME_CHARS - kept.length);
  return `${index}-${stem}${kept}`.replace(/-$/, "-file");
}

/** Makes it 0700 where there is none. @throws where something else stands there, or a link leads away */
async function safeDirectory(path: string): Promise<string> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (errnoOf(error) !== "EEXIST") throw error;
  });
  const entry = await lstat(path);
  const ours = process.getuid === undefined || entry.uid === process.getuid();
  if (!entry.isDirectory() || !ours || (await realpath(path)) !== path) throw unsafe(path);
  if ((entry.mode & 0o077) !== 0) await chmod(path, 0o700);
  return path;
}

function folderAt(folder: string): Folder {
  return {
    async create(index, name) {
      const path = join(folder, safeName(index, name));
      const file = await open(path, "wx", 0o600);
      if (await liesAt(file, path)) return newFile(file, path);
      await file.close();
      throw unsafe(path);
    },
    async sync() {
      const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    remove: () => removeFolder(folder),
  };
}

/** Whether what was opened is what stands under this path now, with no link on the way and no second name. */
async function liesAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, there, real] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
  return opened.isFile() && opened.nlink === 1 && opened.ino === there.ino && opened.dev === there.dev && real === path;
}

function newFile(file: FileHandle, path: string): NewFile {
  return {
    path,
    async write(bytes) {
      for (let from = 0; from < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, from);
        if (bytesWritten <= 0) throw Object.assign(new Error("EIO: the disk took no bytes"), { code: "EIO" });
        from += bytesWritten;
      }
    },
    async finish() {
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async discard() {
      await file.close().catch(() => undefined);
      await rm(path, { force: true });
    },
  };
}

/** A link in its place is left alone: what it leads to is not ours. */
async function removeFolder(path: string): Promise<void> {
  if (!(await entryAt(path))?.isDirectory()) throw unsafe(path);
  for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
  await rmdir(path);
}

async function entryAt(path: string): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function unsafe(what: string): Error {
  return Object.assign(new Error(`EUNSAFE: ${what}`), { code: "EUNSAFE" });
}
