/** PNG files for tests, as large as wanted, of few bytes, and what is in one. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

interface PngOptions {
  /** 0: grey, 2: colours, 3: a palette, 4: grey with alpha, 6: colours with alpha. */
  type?: 0 | 2 | 3 | 4 | 6;
  /** A channel's byte of a pixel. */
  byteAt?: (x: number, y: number, channel: number) => number;
  /** How its lines are written, by the number of the line. */
  filterOf?: (y: number) => number;
  depth?: number;
  interlaced?: boolean;
}

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

export function png(width: number, height: number, options: PngOptions = {}): Buffer {
  const { type = 2, byteAt = () => 0x40, filterOf = () => 0, depth = 8, interlaced = false } = options;
  const channels = CHANNELS[type];
  const line = width * channels;
  const pixels = Buffer.alloc(line * height);
  for (let at = 0; at < pixels.length; at += 1) {
    const [y, x] = [Math.floor(at / line), at % line];
    pixels[at] = byteAt(Math.floor(x / channels), y, x % channels);
  }
  const lines = Buffer.alloc((line + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const filter = filterOf(y);
    lines[y * (line + 1)] = filter;
    for (let x = 0; x < line; x += 1) {
      const [left, up, corner] = [
        x < channels ? 0 : (pixels[y * line + x - channels] ?? 0),
        y === 0 ? 0 : (pixels[(y - 1) * line + x] ?? 0),
        x < channels || y === 0 ? 0 : (pixels[(y - 1) * line + x - channels] ?? 0),
      ];
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      lines[y * (line + 1) + 1 + x] = ((pixels[y * line + x] ?? 0) - guess) & 0xff;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, type, 0, 0, interlaced ? 1 : 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    ...(type === 3 ? [chunk("PLTE", Buffer.alloc(768, 7))] : []),
    chunk("IDAT", deflateSync(lines)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Its size, and the bytes of its pixels if its lines are written as they are. */
export function readPng(bytes: Buffer): { width: number; height: number; pixels: Buffer } {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) throw new Error("no PNG file");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const named = bytes.subarray(at + 4, at + 8 + length);
    if (bytes.readUInt32BE(at + 8 + length) !== crc32(named)) throw new Error("a part is damaged");
    if (named.toString("latin1", 0, 4) === "IDAT") parts.push(named.subarray(4));
    at += 12 + length;
  }
  const lines = inflateSync(Buffer.concat(parts));
  const line = lines.length / height;
  const pixels = Array.from({ length: height }, (_, y) => lines.subarray(y * line + 1, (y + 1) * line));
  return { width, height, pixels: Buffer.concat(pixels) };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
