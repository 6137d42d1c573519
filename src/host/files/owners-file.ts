/**
 * Replaces the content of a file that belongs to its owner. A link to it and its mode stay as they are, and nothing is
 * replaced that somebody else has changed meanwhile. After a crash it has the old content or the new one, complete.
 */
import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";

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
    if (!same(await fs.readFile(path).catch(absent), was)) return false;
    if (next === null) await fs.unlink(path);
    else await fs.rename(fresh, path);
  } finally {
    await fs.rm(fresh, { force: true });
  }
  return true;
}

export function same(one: Buffer | null, other: Buffer | null): boolean {
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
