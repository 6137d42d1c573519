/**
 * Which files a repository tracks, read from its index alone: no program runs, so it is safe for a repository that an
 * agent has written to. The format is https://git-scm.com/docs/index-format, versions 2 to 4. What cannot be read for
 * certain counts as tracked.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./git-process.ts";

const MOST_BYTES = 256 * 1024 * 1024;
/** Times, device, inode, mode, owner and size of a file, before the id of its content. */
const STAT_BYTES = 40;
const MODE_AT = 24;
const KIND = 0xf000;
const SUBMODULE = 0xe000;
const FOLDER = 0x4000;
const HAS_MORE_FLAGS = 0x4000;
const LENGTH = 0xfff;

/**
 * Whether the repository tracks the file at this path, something below it, or a submodule or a sparse folder around it.
 * Letter case is ignored, because some file systems ignore it.
 * @param path below the repository's root, with slashes
 */
export function isTracked({ gitDir }: Repository, path: string): boolean {
  const file = join(gitDir, "index");
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (!found.isFile() || found.size > MOST_BYTES) return true;
    const index = readFileSync(file);
    // An id of SHA-256 is longer. With the wrong length, the lengths of the names cannot be right.
    return search(index, 20, path) ?? search(index, 32, path) ?? true;
  } catch {
    return true;
  }
}

/** Undefined: it is no index with ids of this length. */
function search(index: Buffer, idBytes: number, path: string): boolean | undefined {
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const sought = path.toLowerCase();
  let at = 12;
  let name: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + idBytes;
    const flags = index.readUInt16BE(flagsAt);
    const kind = index.readUInt32BE(at + MODE_AT) & KIND;
    let from = flagsAt + ((flags & HAS_MORE_FLAGS) === 0 ? 2 : 4);
    const kept = version === 4 ? varint(index, from) : { value: name.length, next: from };
    from = kept.next;
    const end = index.indexOf(0, from);
    const prefix = name.length - kept.value;
    if (end < 0 || prefix < 0) return undefined;
    name =
      prefix === 0 ? index.subarray(from, end) : Buffer.concat([name.subarray(0, prefix), index.subarray(from, end)]);
    const length = flags & LENGTH;
    if (length === LENGTH ? name.length < LENGTH : name.length !== length) return undefined;
    if (concerns(name, kind, sought)) return true;
    at = version === 4 ? end + 1 : at + Math.ceil((end + 1 - at) / 8) * 8;
  }
  // A split index: most of its entries are in another file.
  for (; at + 8 <= index.length - idBytes; at += 8 + index.readUInt32BE(at + 4))
    if (index.toString("latin1", at, at + 4) === "link") return true;
  return false;
}

function concerns(name: Buffer, kind: number, sought: string): boolean {
  const isAround = kind === SUBMODULE || kind === FOLDER;
  if (name.length < sought.length && !isAround) return false;
  const text = name.toString("utf8").toLowerCase();
  return (
    text === sought ||
    text.startsWith(`${sought}/`) ||
    (isAround && sought.startsWith(text.endsWith("/") ? text : `${text}/`))
  );
}

/** As in a pack: seven bits a byte, the most significant first, one added for each byte that follows. */
function varint(bytes: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = bytes.readUInt8(next);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    next += 1;
    byte = bytes.readUInt8(next);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: next + 1 };
}
