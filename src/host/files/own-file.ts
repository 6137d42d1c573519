/**
 * Opens a file in a folder that agents can write to: the one that really is at this path, under one name, with no link
 * on the way, whatever has been put there.
 */
import { constants } from "node:fs";
import { open, realpath, type FileHandle } from "node:fs/promises";
import { errnoOf } from "../../base/disk.ts";

/** Why it is not opened. */
export type OpenFailure = "outside" | "missing" | "no_file" | "unreadable";

export interface OwnFile {
  file: FileHandle;
  size: number;
}

/** Does not block, and never rejects. The caller closes it. @param path absolute and without links */
export async function openOwn(path: string): Promise<OwnFile | OpenFailure> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const why = await notOwn(file, path).catch(() => "unreadable" as const);
    if (typeof why !== "string") return { file, size: why.size };
    await file.close();
    return why;
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "missing" : errnoOf(error) === "ELOOP" ? "outside" : "unreadable";
  }
}

async function notOwn(file: FileHandle, path: string): Promise<OpenFailure | { size: number }> {
  const stats = await file.stat();
  // On Linux the path of the opened file; elsewhere that of what is there now.
  const real = await realpath(process.platform === "linux" ? `/proc/self/fd/${file.fd}` : path);
  if (real !== path) return "outside";
  if (!stats.isFile()) return "no_file";
  // Another hard link to it may be anywhere.
  return stats.nlink > 1 ? "outside" : { size: stats.size };
}
