/** Pictures: how large they are, and the media proxy, which makes them smaller. */
import { describe, expect, test } from "vitest";
import { openBot } from "./bot.ts";
import { png, readPng } from "./png.ts";

const hex = (...parts: string[]): Buffer => Buffer.from(parts.join("").replaceAll(" ", ""), "hex");
const text = (words: string): string => Buffer.from(words, "latin1").toString("hex");

interface Attached {
  url: string;
  proxy_url: string;
  width?: number;
  height?: number;
}

async function upload(bytes: Buffer, name = "a.png"): Promise<Attached> {
  const bot = await openBot();
  const { sandbox } = bot;
  const { attachments } = await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).upload([{ name, bytes }]);
  return attachments[0] as Attached;
}

async function proxied({ proxy_url }: Attached, query: string): Promise<Response> {
  return fetch(`${proxy_url}&${query}`);
}

describe("the size of a picture stands at its attachment:", () => {
  test.each([
    ["PNG", png(20, 10), [20, 10]],
    ["GIF", hex(text("GIF89a"), "2c01 c800 00 00 00"), [300, 200]],
    [
      "JPEG, behind what a camera writes",
      hex("ffd8 ffe1 0010", text("Exif"), "00".repeat(10), "ffdb 0003 00", "ffc2 0011 08 0bd0 0fc0 03", "00".repeat(9)),
      [4032, 3024],
    ],
    [
      "WebP, with loss",
      hex(text("RIFF"), "00000000", text("WEBPVP8 "), "00000000 000000 9d012a a00f b80b"),
      [4000, 3000],
    ],
    [
      "WebP, without loss",
      hex(text("RIFF"), "00000000", text("WEBPVP8L"), "00000000 2f 9f8fed02", "00".repeat(5)),
      [4000, 2999],
    ],
    [
      "WebP, animated",
      hex(text("RIFF"), "00000000", text("WEBPVP8X"), "00000000 00000000 9f0f00 b70b00"),
      [4000, 3000],
    ],
    ["words", Buffer.from("no picture at all, although it is called one"), [undefined, undefined]],
    ["nothing", Buffer.alloc(0), [undefined, undefined]],
    ["a PNG of no size", png(1, 1).fill(0, 16, 24), [undefined, undefined]],
    ["the beginning of a JPEG", hex("ffd8 ffe1"), [undefined, undefined]],
  ])("%s", async (_name, bytes, [width, height]) => {
    const attached = await upload(bytes);
    expect([attached.width, attached.height]).toEqual([width, height]);
  });
});

describe("the media proxy", () => {
  test.each([0, 2, 3, 4, 6] as const)(
    "makes a PNG of the type %i smaller, however its lines are written",
    async (type) => {
      const byteAt = (x: number, y: number, channel: number): number => (x * 7 + y * 31 + channel * 5) & 0xff;
      const attached = await upload(png(40, 20, { type, byteAt, filterOf: (y) => y % 5 }));
      const response = await proxied(attached, "width=20&height=10");
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
      const { width, height, pixels } = readPng(Buffer.from(await response.arrayBuffer()));
      const wanted = readPng(png(20, 10, { type, byteAt: (x, y, channel) => byteAt(x * 2, y * 2, channel) }));
      expect({ width, height, pixels }).toEqual(wanted);
    },
  );

  test("keeps the shape of a picture, never makes it larger, and gives it as it is if no size is asked for", async () => {
    const whole = png(40, 20);
    const attached = await upload(whole);
    const sizes = await Promise.all(
      ["width=10&height=10", "width=10", "height=10", "width=80&height=80", "width=x&height=0", ""].map(
        async (query) => {
          const { width, height } = readPng(Buffer.from(await (await proxied(attached, query)).arrayBuffer()));
          return `${width}x${height}`;
        },
      ),
    );
    expect(sizes).toEqual(["10x5", "10x5", "20x10", "40x20", "40x20", "40x20"]);
    // The other address knows nothing of sizes.
    const original = await fetch(`${attached.url}&width=10&height=5`);
    expect(Buffer.from(await original.arrayBuffer())).toEqual(whole);
  });

  test.each([
    ["a file that is no picture", Buffer.from("words")],
    ["a kind that is not made smaller here", hex(text("GIF89a"), "2c01 c800 00 00 00")],
    ["more than eight bits a channel", png(40, 20, { depth: 16 })],
    ["an interlaced one", png(40, 20, { interlaced: true })],
    ["one that ends too early", png(40, 20).subarray(0, 60)],
    ["one that says that it is larger than it is", png(40, 20).fill(1, 22, 24)],
  ])("has no smaller one of %s", async (_name, bytes) => {
    expect((await proxied(await upload(bytes), "width=10&height=5")).status).toBe(415);
  });

  test("gives nothing for a link that was changed", async () => {
    const attached = await upload(png(40, 20));
    const changed = { ...attached, proxy_url: attached.proxy_url.replace(/hm=../, "hm=zz") };
    expect((await proxied(changed, "width=10&height=5")).status).toBe(404);
  });
});
