/** Frames: whatever way the bytes are cut, the same objects come out; and what is no frame is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BellhopError } from "../../src/base/errors.ts";
import { encodeFrame, FRAME_CAP_BYTES, FrameReader } from "../../src/protocol/frame.ts";

describe("frames", () => {
  test("come out as they went in, however their bytes were cut", () => {
    const frame = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(200), { maxLength: 40 }), (frames, cuts) => {
        const sent = frames.map((one) => JSON.parse(JSON.stringify(one)) as Record<string, unknown>);
        let bytes = Buffer.concat(sent.map(encodeFrame));
        const reader = new FrameReader();
        const got = [];
        for (const cut of cuts) {
          got.push(...reader.push(bytes.subarray(0, cut)));
          bytes = bytes.subarray(cut);
        }
        got.push(...reader.push(bytes));
        expect(got).toEqual(sent);
      }),
    );
  });

  test("a line without an end is refused before it fills the memory", () => {
    const reader = new FrameReader();
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    let pushed = 0;
    expect(() => {
      for (; pushed < 10 * FRAME_CAP_BYTES; pushed += chunk.length) reader.push(chunk);
    }).toThrow(BellhopError);
    expect(pushed).toBeLessThan(FRAME_CAP_BYTES);
  });

  test("the longest frame passes, and one byte more does not", () => {
    const longest = { a: "x".repeat(FRAME_CAP_BYTES - 9) };
    const bytes = encodeFrame(longest);
    expect(bytes).toHaveLength(FRAME_CAP_BYTES);
    expect(new FrameReader().push(bytes)).toEqual([longest]);
    expect(() => encodeFrame({ a: `${longest.a}x` })).toThrow(/E_LINK_REFUSED/);
    expect(() => new FrameReader().push(Buffer.from(`{"a":"${longest.a}x"}\n`))).toThrow(/E_LINK_REFUSED/);
  });

  test.each(["", "null", "[]", "1", '"text"', "{", "{}}", "\u0000", "GET / HTTP/1.1", "[".repeat(100_000)])(
    "%s is no frame",
    (line) => {
      expect(() => new FrameReader().push(Buffer.from(`${line.slice(0, 200_000)}\n`))).toThrow(
        /a line that is not a JSON object/,
      );
    },
  );

  test("bytes that are not UTF-8 are no frame", () => {
    expect(() => new FrameReader().push(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 10]))).toThrow(
      /E_LINK_REFUSED/,
    );
  });
});
