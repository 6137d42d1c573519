/**
 * Files that agents send: taken only from the session's own folder, whatever their name says and whatever is there.
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, join, normalize, sep } from "node:path";
import { errnoOf } from "../../base/disk.ts";
import { openOwn, type NotOpened } from "./own-file.ts";

/** Why a file was not taken. */
export type NotTaken = NotOpened | "too_large";

/** The most that Discord accepts anywhere; this server's limit is applied when the file is posted. */
const LARGEST_BYTES = 100 * 1024 * 1024;

/** The content of the file of this name in `folder`, or why it is not taken. Never rejects. */
export async function takeAttachment(folder: string, name: string): Promise<Buffer | NotTaken> {
  try {
    return await readInside(folder, name);
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "missing" : "unreadable";
  }
}

async function readInside(folder: string, name: string): Promise<Buffer | NotTaken> {
  const plain = normalize(name);
  if (name === "" || name.includes("\0") || isAbsolute(plain) || plain === ".." || plain.startsWith(`..${sep}`))
    return "outside";
  const opened = await openOwn(join(await realpath(folder), plain));
  if (typeof opened === "string") return opened;
  const { file, size } = opened;
  try {
    if (size > LARGEST_BYTES) return "too_large";
    // Its current size: what is appended meanwhile is not sent.
    const bytes = Buffer.alloc(size);
    let got = 0;
    for (let read = -1; read !== 0 && got < bytes.length; got += read)
      read = (await file.read(bytes, got, bytes.length - got, got)).bytesRead;
    return bytes.subarray(0, got);
  } finally {
    await file.close();
  }
}
