/** The kind and the size of a picture, as its own header has them. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { png } from "../../packages/discord-sandbox/test/png.ts";
import { readPictureHeader } from "../../src/base/picture-header.ts";

const hex = (...parts: string[]): Buffer => Buffer.from(parts.join("").replaceAll(" ", ""), "hex");
const text = (words: string): string => Buffer.from(words, "latin1").toString("hex");
const FRAME = "ffc0 0011 08 0bd0 0fc0 03 012200 021101 031101";

/** The beginnings of files that Chromium has written, of 3000 × 2500 pixels. */
const WEBP = "UklGRmo7AABXRUJQVlA4WAoAAAAwAAAAtwsAwwkASUNDUMgBAAAAAAHI";

describe("it is read from", () => {
  test.each([
    ["a PNG", png(4000, 3000), "png", [4000, 3000]],
    ["a GIF", hex(text("GIF89a"), "b80b 3408 f700 00"), "gif", [3000, 2100]],
    ["a WebP of a browser", Buffer.from(WEBP, "base64"), "webp", [3000, 2500]],
    [
      "a lossy WebP",
      hex(text("RIFF"), "00000000", text("WEBPVP8 "), "00000000 000000 9d012a a04f b88b"),
      "webp",
      [4000, 3000],
    ],
    [
      "a lossless WebP",
      hex(text("RIFF"), "00000000", text("WEBPVP8L"), "00000000 2f 9f8fed02", "00".repeat(5)),
      "webp",
      [4000, 2999],
    ],
    ["a JPEG", hex("ffd8 ffe0 0010", text("JFIF"), "00".repeat(10), FRAME), "jpeg", [4032, 3024]],
    ["a progressive JPEG", hex("ffd8 ffdb 0003 00", FRAME.replace("ffc0", "ffc2")), "jpeg", [4032, 3024]],
    [
      "a JPEG with a preview of its own in what its camera wrote",
      hex("ffd8 ffe1 001b", text("Exif"), "ffd8", FRAME.replace("0bd0 0fc0", "0078 00a0"), "ff ff ffc4 0003 00", FRAME),
      "jpeg",
      [4032, 3024],
    ],
  ])("%s", (_name, bytes, kind, [width, height]) => {
    expect(readPictureHeader(bytes)).toEqual({ kind, size: { width, height } });
  });
});

test.each([
  ["a JPEG whose size stands further behind", hex("ffd8 ffe1 fffe", "00".repeat(100)), "jpeg"],
  ["a JPEG that ends at once", hex("ffd8 ff"), "jpeg"],
  ["a JPEG with a part that has no length", hex("ffd8 ffe1 0000", "00".repeat(30)), "jpeg"],
  ["a PNG without pixels", png(4000, 3000).fill(0, 16, 20), "png"],
  ["a PNG that is cut off", png(4000, 3000).subarray(0, 20), "png"],
  ["a WebP of a later kind", hex(text("RIFF"), "00000000", text("WEBPVP9 "), "00".repeat(20)), "webp"],
])("%s is known by its kind only", (_name, bytes, kind) => {
  expect(readPictureHeader(bytes)).toEqual({ kind, size: null });
});

test.each([
  ["words", Buffer.from("GIF by name only")],
  ["nothing", Buffer.alloc(0)],
  ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>')],
  ["a PDF", Buffer.from("%PDF-1.7")],
  ["a RIFF that is sound", hex(text("RIFF"), "00000000", text("WAVEfmt "), "00".repeat(20))],
  ["what only begins like a PNG", hex("89504e470d0a1a0a", "00".repeat(30))],
])("%s is no picture", (_name, bytes) => {
  expect(readPictureHeader(bytes)).toBeNull();
});

test("whatever comes, it ends and does not throw", () => {
  const begun = fc.constantFrom(
    Buffer.alloc(0),
    hex("ffd8ff"),
    hex("89504e470d0a1a0a 0000000d", text("IHDR")),
    Buffer.from("GIF89a"),
    hex(text("RIFF"), "00000000", text("WEBPVP8X")),
  );
  fc.assert(
    fc.property(begun, fc.uint8Array({ maxLength: 200 }), (head, rest) => {
      const found = readPictureHeader(Buffer.concat([head, rest]));
      if (found?.size) expect(Math.min(found.size.width, found.size.height)).toBeGreaterThan(0);
    }),
    { numRuns: 20_000 },
  );
});
