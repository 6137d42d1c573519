/**
 * What Discord's media proxy does with pictures: it knows how large they are, and makes a smaller one. Only PNG files
 * of eight bits a channel, not interlaced, are made smaller here, by their nearest pixels.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

export interface Size {
  width: number;
  height: number;
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
/** Bytes of a pixel, by the colour type of a PNG file. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const MOST_PIXELS = 64 * 1024 * 1024;

/** Of a PNG, GIF, JPEG or WebP file, as its header says; null: it is none. */
export function pictureSize(bytes: Buffer): Size | null {
  const size = pngSize(bytes) ?? gifSize(bytes) ?? jpegSize(bytes) ?? webpSize(bytes);
  return size === null || size.width === 0 || size.height === 0 ? null : size;
}

/** The picture so large that it fits into this, never larger than it is; null: it cannot be made so here. */
export function smallerPicture(bytes: Buffer, within: Size): Buffer | null {
  const size = pictureSize(bytes);
  if (size === null) return null;
  const share = Math.min(within.width / size.width, within.height / size.height, 1);
  if (share === 1) return bytes;
  const to = (length: number): number => Math.max(1, Math.round(length * share));
  try {
    return smallerPng(bytes, size, { width: to(size.width), height: to(size.height) });
  } catch {
    return null;
  }
}

function smallerPng(bytes: Buffer, from: Size, to: Size): Buffer | null {
  const chunks = pngChunks(bytes);
  const header = chunks.find(({ name }) => name === "IHDR")?.data;
  const channels = CHANNELS[header?.[9] ?? -1];
  if (!header || header[8] !== 8 || header[12] !== 0 || channels === undefined) return null;
  if (from.width * from.height > MOST_PIXELS) return null;
  const pixels = unfiltered(chunks, from, channels);
  const line = to.width * channels + 1;
  const smaller = Buffer.alloc(line * to.height);
  for (let y = 0; y < to.height; y += 1) {
    const row = Math.floor((y * from.height) / to.height) * from.width;
    for (let x = 0; x < to.width; x += 1) {
      const at = (row + Math.floor((x * from.width) / to.width)) * channels;
      pixels.copy(smaller, y * line + 1 + x * channels, at, at + channels);
    }
  }
  header.writeUInt32BE(to.width, 0);
  header.writeUInt32BE(to.height, 4);
  const kept = chunks.filter(({ name }) => name === "PLTE" || name === "tRNS");
  return Buffer.concat([
    PNG,
    ...[
      { name: "IHDR", data: header },
      ...kept,
      { name: "IDAT", data: deflateSync(smaller) },
      { name: "IEND", data: Buffer.alloc(0) },
    ].map(pngChunk),
  ]);
}

interface Chunk {
  name: string;
  data: Buffer;
}

function pngChunks(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = PNG.length; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    chunks.push({
      name: bytes.toString("latin1", at + 4, at + 8),
      data: Buffer.from(bytes.subarray(at + 8).subarray(0, length)),
    });
    at += length + 12;
  }
  return chunks;
}

function pngChunk({ name, data }: Chunk): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** Its pixels, line after line: each line says how its bytes are told from those beside and above them. */
function unfiltered(chunks: readonly Chunk[], { width, height }: Size, channels: number): Buffer {
  const packed = Buffer.concat(chunks.filter(({ name }) => name === "IDAT").map(({ data }) => data));
  const line = width * channels;
  const lines = inflateSync(packed, { maxOutputLength: (line + 1) * height });
  if (lines.length !== (line + 1) * height) throw new Error("lines are missing");
  const pixels = Buffer.alloc(line * height);
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (line + 1)] ?? 0;
    for (let x = 0; x < line; x += 1) {
      const at = y * line + x;
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - line] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[at - line - channels] ?? 0);
      pixels[at] = (lines[y * (line + 1) + 1 + x] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return pixels;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4: {
      const guess = left + up - corner;
      const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
    }
    default:
      throw new Error(`no such filter: ${filter}`);
  }
}

function pngSize(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(PNG)) return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | null {
  if (bytes.length < 10 || !/^GIF8[79]a/.test(bytes.toString("latin1", 0, 6))) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function jpegSize(bytes: Buffer): Size | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30 || bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP")
    return null;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
