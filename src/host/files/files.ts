/**
 * Files with names from others: each is written to the folder of its message, inside that of its session, under a name
 * made here. A planted link, a name that leaves the folder, an existing file: all are refused; a file returned from
 * here is whole, synced and owned only by us.
 */
import { constants } from "node:fs";
import { isUtf8 } from "node:buffer";
import { chmod, lstat, mkdir, open, readdir, readFile, realpath, rm, rmdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../base/disk.ts";
import { isSnowflake } from "../../base/ids.ts";

export interface Files {
  /**
   * An empty folder for this message in the session's; what an earlier attempt left in it is removed.
   * @throws if the path is not safe, or the disk fails
   */
  createFolder(sessionId: string, messageId: string): Promise<Folder>;
  /** The text of a file that was made here; null if it is not UTF-8. @throws what the disk throws */
  readText(path: string): Promise<string | null>;
  /**
   * Removes the folders of messages and sessions no longer needed; returns how many messages. Never throws for what it
   * cannot remove.
   */
  sweep(needed: (id: string) => boolean): Promise<number>;
}

export interface Folder {
  /** A new file, 0600. @throws EEXIST if it exists, what the disk throws, or if it would be outside the folder */
  create(index: number, name: string): Promise<NewFile>;
  /** Makes the names of its files durable. */
  sync(): Promise<void>;
  /** Removes it with everything in it. */
  remove(): Promise<void>;
}

export interface NewFile {
  /** Absolute, without links. */
  readonly path: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Syncs and closes it. */
  finish(): Promise<void>;
  /** Closes and removes it. */
  discard(): Promise<void>;
}

const NAME_CHARS = 80;
const LONGEST_ENDING = 16;

/**
 * `stateDir` may be a link made by the owner; nothing below it may be one. Its folder `uploads` is made when needed.
 */
export function openFiles(stateDir: string): Files {
  const rooted = async (): Promise<string> => safeDirectory(join(await realpath(stateDir), "uploads"));
  return {
    async createFolder(sessionId, messageId) {
      if (!isSnowflake(sessionId) || !isSnowflake(messageId)) throw unsafe("not an id of Discord's");
      const path = join(await safeDirectory(join(await rooted(), sessionId)), messageId);
      if ((await entryAt(path))?.isDirectory()) await rm(path, { recursive: true });
      return folderAt(await safeDirectory(path));
    },
    async readText(path) {
      const bytes = await readFile(path);
      return isUtf8(bytes) ? bytes.toString("utf8") : null;
    },
    async sweep(needed) {
      const root = await rooted();
      const names = (await readdir(root)).filter(isSnowflake);
      const removed = await Promise.all(
        names.map((name) => sweepIn(join(root, name), needed(name), needed).catch(() => 0)),
      );
      return removed.reduce((sum, one) => sum + one, 0);
    },
  };
}

/** Removes what is not needed of a session's folder. @throws if something else is there */
async function sweepIn(path: string, isNeeded: boolean, needed: (messageId: string) => boolean): Promise<number> {
  if (!(await entryAt(path))?.isDirectory()) throw unsafe(path);
  const messages = (await readdir(path)).filter(isSnowflake);
  const gone = messages.filter((name) => !needed(name));
  const removed = await Promise.allSettled(gone.map((name) => removeFolder(join(path, name))));
  const count = removed.filter(({ status }) => status === "fulfilled").length;
  if (!isNeeded && gone.length === messages.length) await removeFolder(path);
  return count;
}

/**
 * A name for a file that somebody else named: its position in the message, the harmless part of its name, its ending.
 */
export function safeName(index: number, name: string): string {
  const plain = name.normalize("NFC").replace(/[^A-Za-z0-9._-]+/g, "_");
  const ending = /\.[A-Za-z0-9]+$/.exec(plain)?.[0] ?? "";
  const kept = ending.length > LONGEST_ENDING ? "" : ending;
  const stem = plain.slice(0, plain.length - kept.length).slice(0, NAME_CHARS - kept.length);
  return `${index}-${stem}${kept}`.replace(/-$/, "-file");
}

/** Makes it 0700 if missing. @throws if something else is there, or a link leads away */
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

/** Whether the opened file is the one at this path now, without a link on the way or a second name. */
async function liesAt(file: FileHandle, path: string): Promise<boolean> {
  const [opened, there, real] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
  return opened.isFile() && opened.nlink === 1 && opened.ino === there.ino && opened.dev === there.dev && real === path;
}

function newFile(file: FileHandle, path: string): NewFile {
  return {
    path,
    async write(bytes) {
      for (let from = 0; from < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, from);
        if (bytesWritten <= 0) throw Object.assign(new Error("EIO: the disk accepted no bytes"), { code: "EIO" });
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

/** A link in its place is left alone: its target is not ours. */
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
