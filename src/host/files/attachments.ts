/**
 * Files that agents send: taken only from the session's own folder, whatever their name says and whatever is there.
 */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { isAbsolute, join, normalize, sep } from "node:path";
import { errnoOf } from "../../base/disk.ts";

/** Why a file was not taken. */
export type NotTaken = "outside" | "missing" | "no_file" | "too_large" | "unreadable";

/** The most that Discord accepts anywhere; this server's limit is applied when the file is posted. */
const LARGEST_BYTES = 100 * 1024 * 1024;

/** The content of the file of this name in `folder`, or why it is not taken. Never rejects. */
export async function takeAttachment(folder: string, name: string): Promise<Buffer | NotTaken> {
  try {
    return await readInside(folder, name);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "missing" : errnoOf(error) === "ELOOP" ? "outside" : "unreadable";
  }
}

/** Opens without following a link or blocking, and reads only if the file really is in the folder, under one name. */
async function readInside(folder: string, name: string): Promise<Buffer | NotTaken> {
  const plain = normalize(name);
  if (name === "" || name.includes("\0") || isAbsolute(plain) || plain === ".." || plain.startsWith(`..${sep}`)) return "outside";
  const root = await realpath(folder);
  const path = join(root, plain);
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    // On Linux the path of the opened file; elsewhere that of what is there now.
    const real = await realpath(process.platform === "linux" ? `/proc/self/fd/${file.fd}` : path);
    if (real !== path) return "outside";
    if (!stats.isFile()) return "no_file";
    // Another hard link to it may be anywhere.
    if (stats.nlink > 1) return "outside";
    if (stats.size > LARGEST_BYTES) return "too_large";
    // Its current size: what is appended meanwhile is not sent.
    const bytes = Buffer.alloc(stats.size);
    let got = 0;
    for (let read = -1; read !== 0 && got < bytes.length; got += read) read = (await file.read(bytes, got, bytes.length - got, got)).bytesRead;
    return bytes.subarray(0, got);
  } finally {
    await file.close();
  }
}
