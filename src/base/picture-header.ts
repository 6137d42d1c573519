/**
 * What a picture's own header says of it: PNG, GIF, JPEG and WebP, which agents take. A name or what somebody else says
 * of the file is no proof. Pure; hostile bytes give null.
 */

export interface PictureHeader {
  kind: "png" | "gif" | "jpeg" | "webp";
  /** Pixels, as they are stored: a camera may say that they are to be turned. Null: they stand further behind. */
  size: PictureSize | null;
}

export interface PictureSize {
  width: number;
  height: number;
}

/** So much of a file is enough for nearly all: cameras write a lot before a JPEG's size. */
export const HEADER_BYTES = 256 * 1024;

/** @param bytes the beginning of the file; null: it is no picture of these kinds */
export function readPictureHeader(bytes: Buffer): PictureHeader | null {
  const named = (at: number, name: string): boolean => bytes.toString("latin1", at, at + name.length) === name;
  if (named(0, "\x89PNG\r\n\x1a\n") && named(12, "IHDR"))
    return header("png", bytes, 24, () => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]);
  if (named(0, "GIF87a") || named(0, "GIF89a"))
    return header("gif", bytes, 10, () => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]);
  if (named(0, "RIFF") && named(8, "WEBP")) return header("webp", bytes, 30, () => webpSize(bytes));
  if (named(0, "\xff\xd8\xff")) return header("jpeg", bytes, 4, () => jpegSize(bytes));
  return null;
}

function header(
  kind: PictureHeader["kind"],
  bytes: Buffer,
  least: number,
  sizeOf: () => readonly [width: number, height: number] | null,
): PictureHeader {
  const [width = 0, height = 0] = (bytes.length >= least ? sizeOf() : null) ?? [];
  return { kind, size: width > 0 && height > 0 ? { width, height } : null };
}

/** Of lossy, lossless and extended files: https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(bytes: Buffer): [number, number] | null {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case "VP8X":
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
    default:
      return null;
  }
}

/** Huffman tables, a reserved mark and arithmetic coding: numbered like frames, but none. */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** In the first frame. What stands before it, such as a camera's preview with a size of its own, is skipped whole. */
function jpegSize(bytes: Buffer): [number, number] | null {
  for (let at = 2; at + 9 <= bytes.length;) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker))
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}
