/**
 * The exact bytes of what the owner is asked to allow: `STATE_DIR/decisions/<decision_id>.json`. They are written and
 * synced before anything is asked, and the journal keeps their digest; what is shown is read from here, and what is
 * done is compared with it.
 */
import fs from "node:fs/promises";
import { createHash, randomBytes } from "node:crypto";
import { join, basename, dirname, sep } from "node:path";
import { inFolder, openFolder, readWhole, writeNew, type Disk } from "../../base/disk.ts";
import { isDecisionId } from "../../base/ids.ts";
import { constants, existsSync, realpathSync, statSync } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";

export interface DecisionFiles {
  /**
   * Writes and syncs; returns the SHA-256 of the file as 64 hex digits.
   * @throws TypeError for an invalid decision id; what the disk throws
   */
  write(decisionId: string, bytes: string): Promise<string>;
  /** The text, or null if there is none with this id. @throws what the disk throws */
  read(decisionId: string): Promise<string | null>;
}

const KEPT = 16;
const KEPT_CHARS = 200_000;

/** @param stateDir absolute; its folder `decisions` is made if missing. @throws what the disk throws */
export async function openDecisionFiles(disk: Disk, stateDir: string): Promise<DecisionFiles> {
  const folder = await openFolder(disk, stateDir, "decisions");
  const latest = new Map<string, string>();
  const pathOf = (decisionId: string): string => join(folder, `${decisionId}.json`);
  return {
    async write(decisionId, bytes) {
      if (!isDecisionId(decisionId)) throw new TypeError(`no decision's id: ${decisionId}`);
      await inFolder(disk, folder, () => writeNew(disk, pathOf(decisionId), Buffer.from(bytes, "utf8")));
      remember(latest, decisionId, bytes);
      return digestOf(bytes);
    },
    async read(decisionId) {
      if (!isDecisionId(decisionId)) return null;
      return latest.get(decisionId) ?? (await readWhole(disk, pathOf(decisionId)))?.toString("utf8") ?? null;
    },
  };
}

/** What a decision asked, byte for byte; null if the file is missing or has been altered. @throws as `read` */
export async function askedBytes(
  files: Pick<DecisionFiles, "read">,
  { decision_id, subject }: { decision_id: string; subject: { sha256: string } | null },
): Promise<string | null> {
  const bytes = await files.read(decision_id);
  return bytes !== null && digestOf(bytes) === subject?.sha256 ? bytes : null;
}

/** SHA-256 of the text's UTF-8, as 64 hex digits. */
export function digestOf(bytes: string): string {
  return createHash("sha256").update(bytes, "utf8").digest("hex");
}

/** What was asked last is shown right after, so it is cached. */
function remember(latest: Map<string, string>, decisionId: string, bytes: string): void {
  if (bytes.length > KEPT_CHARS) return;
  latest.set(decisionId, bytes);
  const [oldest] = latest.keys();
  if (latest.size > KEPT && oldest !== undefined) latest.delete(oldest);
}

/*
 * Replaces the content of a file that belongs to its owner. A link to it and its mode stay as they are, and nothing is
 * replaced that somebody else has changed meanwhile. After a crash it has the old content or the new one, complete.
 */

/** Its owner has taken away his own right to write it. */
export class ReadOnly extends Error {
  override readonly name = "ReadOnly";
}

/**
 * False if it is not what it was when it was read.
 * @param path without links
 * @param was null: there was none
 * @param next null: it is removed
 * @throws ReadOnly, and what the disk throws
 */
export async function replaceOwners(path: string, was: Buffer | null, next: Buffer | null): Promise<boolean> {
  const mode = was === null ? 0o600 : (await fs.stat(path)).mode & 0o777;
  // The rename below would replace it all the same.
  if ((mode & 0o200) === 0) throw new ReadOnly("the file is read-only");
  const fresh = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString("hex")}.tmp`);
  try {
    if (next !== null) await writeSynced(fresh, next, mode);
    if (!equalBytes(await fs.readFile(path).catch(absent), was)) return false;
    if (next === null) await fs.unlink(path);
    else await fs.rename(fresh, path);
  } finally {
    await fs.rm(fresh, { force: true });
  }
  return true;
}

export function equalBytes(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

function absent(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}

async function writeSynced(path: string, bytes: Buffer, mode: number): Promise<void> {
  const file = await fs.open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/*
 * Looks at a directory that somebody wants to work in: whether it exists and is readable, and its real path. The answer
 * is about this moment, so the caller that starts work in it looks again.
 */

export type Directory =
  /** `path` contains no links. `wide`: it holds the whole home directory, or the whole machine. */
  | { is: "directory"; path: string; wide: boolean }
  /** `closed`: it exists but is not readable. `ours`: it holds Bellhop's state directory or is inside it. */
  | { is: "absent" | "file" | "closed" | "ours" };

interface KeptFolders {
  /** The home directory of the user Bellhop runs as, if there is one. */
  home: string | undefined;
  /** Absolute. */
  stateDir: string;
}

/** Never throws. @param path absolute */
export async function lookAtDirectory(path: string, { home, stateDir }: KeptFolders): Promise<Directory> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isDirectory()) return { is: "file" };
    await access(real, constants.R_OK | constants.X_OK);
    if (isOurs(real, stateDir)) return { is: "ours" };
    return {
      is: "directory",
      path: real,
      wide: holds(real, home === undefined ? "/" : await realpath(home).catch(() => home)),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { is: code === "EACCES" || code === "EPERM" ? "closed" : "absent" };
  }
}

/** The same synchronously, for where a job is to run: its real path, or null if there is no directory. */
export function standingDirectory(path: string, stateDir: string): { path: string; ours: boolean } | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? { path: real, ours: isOurs(real, stateDir) } : null;
  } catch {
    return null;
  }
}

/** An agent that works there could write Bellhop's own state. */
function isOurs(real: string, stateDir: string): boolean {
  // Before the first start there is none.
  const own = existsSync(stateDir) ? realpathSync(stateDir) : stateDir;
  return holds(real, own) || holds(own, real);
}

function holds(outer: string, inner: string): boolean {
  return outer === inner || inner.startsWith(outer.endsWith(sep) ? outer : `${outer}${sep}`);
}
