/** Of a picture that is too large for its agent, a smaller copy is fetched, or it is known that there is none. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { APIAttachment, APIMessage } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { png } from "../../../../packages/discord-sandbox/test/png.ts";
import type { UploadedFile } from "../../../../src/core/jobs/run.ts";
import { CHANNEL, ID, open, SESSION, type Answer } from "./door.ts";

const SIGNED = "ex=1&is=2&hm=3&";
let count = 0;

/** `shown`: its size as Discord tells it. */
function picture(filename: string, shown?: readonly [number, number], proxy = "media.discordapp.net"): APIAttachment {
  const path = `/attachments/1/2/${filename}?${SIGNED}`;
  return {
    id: String(++count),
    filename,
    url: `https://cdn.discordapp.com${path}`,
    proxy_url: `https://${proxy}${path}`,
    ...(shown && { width: shown[0], height: shown[1] }),
  } as APIAttachment;
}

const sent = (
  attachments: APIAttachment[],
  smaller = true,
): Parameters<ReturnType<typeof open>["uploads"]["download"]>[2] => ({
  id: ID,
  attachments,
  smaller,
});

/** The one answers with what was sent, the other with what becomes of it. */
const discord =
  (whole: Uint8Array, copy: (url: URL, init: RequestInit) => Response | Promise<Response>): Answer =>
  (url, init) =>
    url.hostname === "cdn.discordapp.com" ? new Response(new Uint8Array(whole)) : copy(url, init);
const bytes = (content: Uint8Array): Response => new Response(new Uint8Array(content));
const told = ({ large }: UploadedFile): unknown => large && { ...large, copy: large.copy && basename(large.copy.path) };

const WHOLE = png(4000, 3000, { type: 0 });
const SMALL = png(2000, 1500, { type: 0 });

test("it lies beside the original, which stays as it came, and is asked for by its signed address with a size", async () => {
  const acceptor = open(discord(WHOLE, () => bytes(SMALL)));
  const { files, refused } = await acceptor.uploads.download(
    SESSION,
    CHANNEL,
    sent([picture("shot.png", [4000, 3000])]),
  );
  const [file] = files;
  expect(refused).toEqual([]);
  expect(acceptor.asked).toEqual([
    `https://cdn.discordapp.com/attachments/1/2/shot.png?${SIGNED}`,
    `https://media.discordapp.net/attachments/1/2/shot.png?${SIGNED}width=2000&height=1500`,
  ]);
  expect(acceptor.kept()).toEqual(["1-2000px-shot.png", "1-shot.png"]);
  expect(file?.large).toMatchObject({ width: 4000, height: 3000, copy: { width: 2000, height: 1500 } });
  const copy = file?.large?.copy;
  expect([file?.path, copy?.path].map((path) => readFileSync(path ?? ""))).toEqual([WHOLE, SMALL]);
  expect(copy?.sha256).toBe(createHash("sha256").update(SMALL).digest("hex"));
  expect(statSync(copy?.path ?? "").mode & 0o777).toBe(0o600);
});

test("a picture that its camera has turned is asked for as Discord shows it", async () => {
  const acceptor = open(discord(WHOLE, () => bytes(png(1500, 2000, { type: 0 }))));
  const { files } = await acceptor.uploads.download(SESSION, CHANNEL, sent([picture("shot.png", [3000, 4000])]));
  expect(acceptor.asked[1]).toMatch(/width=1500&height=2000$/);
  expect(files.map(told)).toEqual([{ width: 4000, height: 3000, copy: "1-2000px-shot.png" }]);
});

test.each([
  ["a picture of 2,000 pixels a side", png(2000, 2000, { type: 0 }), "a.png"],
  ["words", Buffer.from("words"), "a.txt"],
  ["an SVG, however large it says it is", Buffer.from('<svg width="9000" height="9000"/>'), "a.svg"],
  ["nothing", Buffer.alloc(0), "a.png"],
])("there is none of %s, and nothing is said", async (_name, content, name) => {
  const acceptor = open(discord(content, () => bytes(SMALL)));
  const { files } = await acceptor.uploads.download(SESSION, CHANNEL, sent([picture(name, [9000, 9000])]));
  expect([files.map(told), acceptor.asked.length]).toEqual([[undefined], 1]);
});

test("there is none where the agent makes pictures smaller by itself, and the size is known in case another takes over", async () => {
  const acceptor = open(discord(WHOLE, () => bytes(SMALL)));
  const { files } = await acceptor.uploads.download(SESSION, CHANNEL, sent([picture("shot.png")], false));
  expect(acceptor.asked).toHaveLength(1);
  expect(files.map(told)).toEqual([{ width: 4000, height: 3000, copy: null }]);
});

describe("without a copy the original is kept, and nothing else:", () => {
  const truncated = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(SMALL.subarray(0, 60))),
    pull: (controller) => controller.error(new Error("reset")),
  });
  test.each<[string, () => Response | Promise<Response>]>([
    ["Discord has none", () => new Response(null, { status: 415 })],
    ["its proxy fails", () => new Response("oops", { status: 503 })],
    ["its proxy leads elsewhere", () => new Response(null, { status: 302, headers: { location: "http://[::1]/" } })],
    ["the connection is lost before", () => Promise.reject(new Error("reset"))],
    ["the connection is lost in the middle", () => new Response(truncated)],
    ["the original comes back", () => bytes(WHOLE)],
    ["it is hardly smaller", () => bytes(png(2001, 1501, { type: 0 }))],
    ["it is a stamp", () => bytes(png(100, 75, { type: 0 }))],
    ["it has another shape", () => bytes(png(2000, 1000, { type: 0 }))],
    ["it is of another kind", () => bytes(Buffer.from("474946383961d007dc05f70000", "hex"))],
    ["it is no picture", () => bytes(Buffer.from("<html>"))],
    ["it is nothing", () => bytes(Buffer.alloc(0))],
  ])("%s", async (_name, copy) => {
    const acceptor = open(discord(WHOLE, copy));
    const { files, refused } = await acceptor.uploads.download(
      SESSION,
      CHANNEL,
      sent([picture("shot.png", [4000, 3000])]),
    );
    expect(refused).toEqual([]);
    expect(files.map(told)).toEqual([{ width: 4000, height: 3000, copy: null }]);
    expect(acceptor.kept()).toEqual(["1-shot.png"]);
    expect(acceptor.asked).toHaveLength(2);
  });

  test("Discord's address for it is not Discord's", async () => {
    const acceptor = open(discord(WHOLE, () => bytes(SMALL)));
    const elsewhere = ["evil.example", "127.0.0.1", "media.discordapp.net@evil.example", "media.discordapp.net:8443"];
    const all = [
      ...elsewhere.map((host) => picture("shot.png", [4000, 3000], host)),
      { ...picture("shot.png"), proxy_url: null } as unknown as APIAttachment,
    ];
    const { files } = await acceptor.uploads.download(SESSION, CHANNEL, sent(all));
    expect(files.map(({ large }) => large?.copy)).toEqual([null, null, null, null, null]);
    expect(acceptor.asked.every((url) => url.startsWith("https://cdn.discordapp.com/"))).toBe(true);
  });

  test("it has not come within ten seconds", async () => {
    const acceptor = open(
      discord(
        WHOLE,
        (_url, init) =>
          new Promise((_resolve, reject) => init.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
      ),
    );
    const taken = acceptor.uploads.download(SESSION, CHANNEL, sent([picture("shot.png", [4000, 3000])]));
    while (acceptor.asked.length < 2) await acceptor.clock.settle();
    await acceptor.clock.advance(10_000);
    expect((await taken).files.map(told)).toEqual([{ width: 4000, height: 3000, copy: null }]);
  });
});

test("a header that lies about its size makes no copy of another picture pass for it", async () => {
  // It says that it is 4000 × 3000, and Discord, which has looked, that it is 40 × 30.
  const liar = Buffer.from(png(40, 30, { type: 0 }));
  liar.writeUInt32BE(4000, 16);
  liar.writeUInt32BE(3000, 20);
  const acceptor = open(discord(liar, () => bytes(png(40, 30, { type: 0 }))));
  const { files } = await acceptor.uploads.download(SESSION, CHANNEL, sent([picture("shot.png", [40, 30])]));
  expect(files.map(told)).toEqual([{ width: 4000, height: 3000, copy: null }]);
});

test("of ten of which three have no copy, seven have one each, in their order, also where the names are long and alike", async () => {
  const name = "x".repeat(200);
  const all = Array.from({ length: 10 }, () => picture(`${name}.png`, [4000, 3000]));
  let asked = 0;
  const acceptor = open(
    discord(WHOLE, () => ([2, 5, 9].includes(asked++) ? new Response(null, { status: 500 }) : bytes(SMALL))),
  );
  const { files, refused } = await acceptor.uploads.download(SESSION, CHANNEL, sent(all));
  expect([files.length, refused]).toEqual([10, []]);
  expect(files.filter(({ large }) => large?.copy !== null)).toHaveLength(7);
  for (const [index, { path, large }] of files.entries()) {
    expect(basename(path)).toMatch(new RegExp(`^${index + 1}-x+\\.png$`));
    if (large?.copy) expect(basename(large.copy.path)).toMatch(new RegExp(`^${index + 1}-2000px-x+\\.png$`));
  }
  expect(acceptor.kept()).toHaveLength(17);
});

test("an address that has expired is renewed, and so is that of the copy", async () => {
  const old = picture("shot.png", [4000, 3000]);
  const fresh = { ...old, url: `${old.url}fresh=1`, proxy_url: `${old.proxy_url}fresh=1` };
  const acceptor = open(
    (url) => {
      if (!url.search.includes("fresh=1")) return new Response(null, { status: 404 });
      return bytes(url.hostname === "cdn.discordapp.com" ? WHOLE : SMALL);
    },
    { refetchMessage: async () => ({ id: ID, attachments: [fresh] }) as unknown as APIMessage },
  );
  const { files } = await acceptor.uploads.download(SESSION, CHANNEL, sent([old]));
  expect(files.map(told)).toEqual([{ width: 4000, height: 3000, copy: "1-2000px-shot.png" }]);
  expect(acceptor.asked.at(-1)).toMatch(/fresh=1&width=2000&height=1500$/);
});

test("the files of the message that is pointed at have theirs too", async () => {
  const acceptor = open(discord(WHOLE, () => bytes(SMALL)));
  const { files, quoted } = await acceptor.uploads.download(SESSION, CHANNEL, {
    ...sent([]),
    quoted: [picture("shot.png", [4000, 3000])],
  });
  expect([files, quoted?.map(told)]).toEqual([[], [{ width: 4000, height: 3000, copy: "1-2000px-shot.png" }]]);
});
