/**
 * The owner's files as they came. They lie where agents can write, perhaps for long before their job begins, so each is
 * held against the digest that was taken at its arrival before an agent is given it.
 */
import { createHash } from "node:crypto";
import type { UploadedFile } from "../../core/jobs/run.ts";
import { openOwn } from "./own-file.ts";

const PART_BYTES = 1024 * 1024;

/**
 * The first of these that is not what arrived: changed, replaced, moved or unreadable; undefined: there is none. Never
 * rejects.
 */
export async function changedUpload(files: readonly UploadedFile[]): Promise<UploadedFile | undefined> {
  for (const file of files) if (!(await read(file, () => undefined))) return file;
  return undefined;
}

/** Its bytes; null if they are more than that, or not those that arrived. Never rejects. */
export async function readUpload(file: UploadedFile, largest: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  return (await read(file, (part) => parts.push(Buffer.from(part)), largest)) ? Buffer.concat(parts) : null;
}

/** Resolves with whether it is what arrived. */
async function read(
  { path, sha256 }: UploadedFile,
  take: (part: Buffer) => void,
  largest = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const opened = await openOwn(path);
  if (typeof opened === "string") return false;
  const { file, size } = opened;
  try {
    if (size > largest) return false;
    const hash = createHash("sha256");
    const part = Buffer.allocUnsafe(Math.min(PART_BYTES, size + 1));
    // Up to its size as it was opened: one that grows meanwhile is not read for ever.
    for (let at = 0; at <= size;) {
      const { bytesRead } = await file.read(part, 0, part.length, at);
      if (bytesRead === 0) break;
      hash.update(part.subarray(0, bytesRead));
      take(part.subarray(0, bytesRead));
      at += bytesRead;
    }
    return hash.digest("hex") === sha256;
  } catch {
    return false;
  } finally {
    await file.close();
  }
}
