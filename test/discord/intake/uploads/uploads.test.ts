/** Uploads: from where they are fetched, how much of them is taken, and what is said about the others. */
import * as fc from "fast-check";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { describe, expect, test } from "vitest";
import { allowedAddress } from "../../../../src/discord/intake/uploads.ts";
import { CHANNEL, file, ID, message, open, SESSION, type Answer } from "./door.ts";

const MEGABYTE = 1024 * 1024;

const text = (content = "content"): Response => new Response(content);

/** A body that never says how much it is, of so many bytes; `asked` counts what was really read of it. */
function stream(bytes: number, chunk = MEGABYTE): { response: Response; read(): number } {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, chunk)));
      left -= chunk;
    },
  });
  return { response: new Response(body, { headers: { "content-length": "5" } }), read: () => bytes - left };
}

test("files are kept in the message's order and their paths handed out", async () => {
  const acceptor = open((url) => text(url.pathname));
  const { files, refused } = await acceptor.uploads.download(SESSION, CHANNEL, message(file("b.txt"), file("a.txt")));
  expect(files.map(({ path }) => path)).toEqual([
    join(acceptor.folder, SESSION, ID, "1-b.txt"),
    join(acceptor.folder, SESSION, ID, "2-a.txt"),
  ]);
  expect(files.map(({ path }) => readFileSync(path, "utf8"))).toEqual([
    "/attachments/1/2/b.txt",
    "/attachments/1/2/a.txt",
  ]);
  expect(files.map(({ sha256 }) => sha256)).toEqual(
    files.map(({ path }) => createHash("sha256").update(readFileSync(path)).digest("hex")),
  );
  expect(refused).toEqual([]);
});

test("a file is known by the name that its sender gave it, as far as that is ASCII: Discord has the whole name only as its title", async () => {
  const acceptor = open(() => text());
  const sent = [
    { ...file("c953b519a8c28c42.pdf"), title: "8월 추천 여행지" },
    { ...file("Test.png"), title: "Test测试.png" },
    { ...file("a.txt"), title: "" },
  ];
  await acceptor.uploads.download(SESSION, CHANNEL, message(...sent));
  expect(acceptor.kept()).toEqual(["1-8_.pdf", "2-Test_.png", "3-a.txt"]);
});

test("a message without files makes no folder", async () => {
  const acceptor = open(() => text());
  expect(await acceptor.uploads.download(SESSION, CHANNEL, message())).toEqual({ files: [], refused: [] });
  expect(acceptor.kept()).toEqual([]);
});

describe("only Discord's own addresses are asked", () => {
  const bad = [
    "http://cdn.discordapp.com/attachments/1/2/a",
    "https://cdn.discordapp.com.evil.example/attachments/1/2/a",
    "https://cdn.discordapp.com@evil.example/attachments/1/2/a",
    "https://user:pass@cdn.discordapp.com/attachments/1/2/a",
    "https://cdn.discordapp.com:8443/attachments/1/2/a",
    "https://evil.example/cdn.discordapp.com/attachments/1/2/a",
    "https://cdn.discordapp.com\\@evil.example/attachments/1/2/a",
    "https://evil.example#https://cdn.discordapp.com/attachments/1/2/a",
    "https://cdn.discordapp.com./attachments/1/2/a",
    "https://xcdn.discordapp.com/attachments/1/2/a",
    "https://cdn.discordapp.com/../attachments",
    "https://cdn.discordapp.com/api/v10/users/@me",
    "https://discord.com/attachments/1/2/a",
    "http://127.0.0.1:4000/attachments/1/2/a",
    "http://[::1]/attachments/1/2/a",
    "http://169.254.169.254/attachments/1/2/a",
    "http://localhost/attachments/1/2/a",
    "http://0x7f.1/attachments/1/2/a",
    "file:///etc/passwd",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "//cdn.discordapp.com/attachments/1/2/a",
    "/attachments/1/2/a",
    "",
    "ｈttps://cdn.discordapp.com/attachments/1/2/a",
    "https://сdn.discordapp.com/attachments/1/2/a",
    " ".repeat(10),
    "https://cdn.discordapp.com/attachments/\0",
  ];

  test.each(bad)("not %j", async (url) => {
    const acceptor = open(() => text());
    const { files, refused } = await acceptor.uploads.download(SESSION, CHANNEL, message(file("a.txt", url)));
    expect(acceptor.asked).toEqual([]);
    expect({ files, refused }).toEqual({
      files: [],
      refused: [{ name: "a.txt", why: "it does not come from Discord" }],
    });
    expect(acceptor.kept()).toEqual([]);
  });

  test("any text at all is asked for only at the two hosts, over https", () => {
    const hosts = fc.constantFrom(
      "cdn.discordapp.com",
      "media.discordapp.net",
      "evil.example",
      "127.0.0.1",
      "localhost",
    );
    const around = fc.string({ maxLength: 6 });
    const made = fc.tuple(
      fc.constantFrom("https://", "http://", "ftp://", "//", ""),
      around,
      hosts,
      around,
      fc.constantFrom("/attachments/1", ":443/attachments/1", "@evil.example/attachments/1", ""),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          made.map((parts) => parts.join("")),
        ),
        (address) => {
          const url = allowedAddress(address, "https://discord.com/api");
          if (url === null) return;
          expect(["https://cdn.discordapp.com", "https://media.discordapp.net"]).toContain(url.origin);
          expect(url.username + url.password).toBe("");
        },
      ),
      { numRuns: 20_000 },
    );
  });

  test("the stand-in on this machine is Discord where the API is there, at its own port and no other", () => {
    const api = "http://127.0.0.1:4000/api";
    expect(allowedAddress("http://127.0.0.1:4000/attachments/1/2/a?ex=1", api)?.port).toBe("4000");
    expect(allowedAddress("http://127.0.0.1:4000/media/attachments/1/2/a?width=5", api)?.port).toBe("4000");
    expect(allowedAddress("http://127.0.0.1:4000/media/api/v10/users/@me", api)).toBeNull();
    expect(allowedAddress("http://127.0.0.1:4001/attachments/1/2/a", api)).toBeNull();
    expect(allowedAddress("http://127.0.0.1:4000/api/v10/users/@me", api)).toBeNull();
    expect(allowedAddress("http://discord.example/attachments/1/2/a", "http://discord.example/api")).toBeNull();
  });

  test("a redirect is not followed", async () => {
    const acceptor = open(
      (_url, init) => {
        expect(init.redirect).toBe("manual");
        return new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
      },
      { refetchMessage: async () => message() as APIMessage },
    );
    const { refused } = await acceptor.uploads.download(SESSION, CHANNEL, message(file("a.txt")));
    expect(refused).toEqual([{ name: "a.txt", why: "Discord did not provide it (status 302)" }]);
    expect(acceptor.asked).toHaveLength(1);
  });
});

describe("what is too much", () => {
  test("a file beyond 50 MB is cut off as it streams, whatever its length was said to be", async () => {
    const huge = stream(10_000 * MEGABYTE);
    const acceptor = open((url) => (url.pathname.endsWith("huge") ? huge.response : text()));
    const { files, refused } = await acceptor.uploads.download(
      SESSION,
      CHANNEL,
      message(file("huge"), file("small.txt")),
    );
    expect(refused).toEqual([{ name: "huge", why: "it is larger than 50 MB" }]);
    expect(huge.read()).toBeLessThan(54 * MEGABYTE);
    expect(files.map(({ path }) => path.split("/").at(-1))).toEqual(["2-small.txt"]);
    expect(acceptor.kept()).toEqual(["2-small.txt"]);
  });

  test("exactly 50 MB is taken", async () => {
    const acceptor = open(() => stream(50 * MEGABYTE).response);
    const { files } = await acceptor.uploads.download(SESSION, CHANNEL, message(file("just")));
    expect(readFileSync(files[0]?.path ?? "").length).toBe(50 * MEGABYTE);
  });

  test("beyond twenty files the others are named", async () => {
    const acceptor = open(() => text());
    const all = Array.from({ length: 23 }, (_, index) => file(`${index}.txt`));
    const { files, refused } = await acceptor.uploads.download(SESSION, CHANNEL, message(...all));
    expect(files).toHaveLength(20);
    expect(refused.map(({ name }) => name)).toEqual(["20.txt", "21.txt", "22.txt"]);
    expect(acceptor.asked).toHaveLength(20);
  });

  test("a file that has not come after thirty seconds is given up", async () => {
    const acceptor = open(
      (_url, init) =>
        new Promise((_resolve, reject) => init.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
    );
    const taken = acceptor.uploads.download(SESSION, CHANNEL, message(file("slow")));
    while (acceptor.asked.length === 0) await acceptor.clock.settle();
    await acceptor.clock.advance(30_000);
    expect((await taken).refused).toEqual([{ name: "slow", why: "it did not arrive within 30 seconds" }]);
  });

  test("a body that stops in the middle is not kept", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => controller.error(new Error("reset")),
    });
    const acceptor = open(() => new Response(body), { refetchMessage: () => Promise.reject(new Error("gone")) });
    const { refused } = await acceptor.uploads.download(SESSION, CHANNEL, message(file("half")));
    expect(refused).toEqual([{ name: "half", why: "the connection was lost" }]);
    expect(acceptor.kept()).toEqual([]);
  });
});

describe("an address that has expired", () => {
  const expired: Answer = (url) =>
    url.search === "?fresh" ? text() : new Response("This content is no longer available.", { status: 404 });

  test("is asked of Discord anew, once for all the files of a message", async () => {
    let again = 0;
    const old = message(file("a"), file("b"));
    const fresh = {
      id: ID,
      attachments: old.attachments.map((one) => ({ ...one, url: `${one.url}?fresh` })),
    } as APIMessage;
    const acceptor = open(expired, { refetchMessage: async () => (++again, fresh) });
    const { files, refused } = await acceptor.uploads.download(SESSION, CHANNEL, old);
    expect([files.length, refused.length, again]).toEqual([2, 0, 1]);
  });

  test("and expired again is said", async () => {
    const old = message(file("a"));
    const acceptor = open(expired, { refetchMessage: async () => old as APIMessage });
    expect((await acceptor.uploads.download(SESSION, CHANNEL, old)).refused[0]?.why).toBe(
      "Discord did not provide it (status 404)",
    );
    expect(acceptor.asked).toHaveLength(2);
  });

  test("and a fresh one that leads elsewhere is not asked", async () => {
    const old = message(file("a"));
    const evil = {
      id: ID,
      attachments: [{ ...old.attachments[0], url: "http://169.254.169.254/attachments/1/2" }],
    } as APIMessage;
    const acceptor = open(expired, { refetchMessage: async () => evil });
    expect((await acceptor.uploads.download(SESSION, CHANNEL, old)).files).toEqual([]);
    expect(acceptor.asked).toHaveLength(1);
  });
});

test("a folder that cannot be made refuses the files and nothing else", async () => {
  const files = {
    createFolder: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })),
    readText: async () => null,
    sweep: async () => 0,
  };
  const full = open(() => text(), { files });
  expect((await full.uploads.download(SESSION, CHANNEL, message(file("a")))).refused).toEqual([
    { name: "a", why: "it could not be saved on Bellhop's machine (ENOSPC)" },
  ]);
  expect(full.asked).toEqual([]);
});

test("what is not an attachment at all is refused without a throw", async () => {
  const acceptor = open(() => text());
  for (const attachments of [null, "x", [null], [1], [{}], [{ url: 5, filename: {} }]]) {
    const taken = await acceptor.uploads.download(SESSION, CHANNEL, { id: ID, attachments } as unknown as APIMessage);
    expect(taken.files).toEqual([]);
  }
  expect(acceptor.asked).toEqual([]);
});

test("closed in the middle, nothing is said to be taken or refused", async () => {
  const acceptor = open(
    (_url, init) =>
      new Promise((_resolve, reject) => init.signal?.addEventListener("abort", () => reject(new Error("aborted")))),
  );
  const taken = acceptor.uploads.download(SESSION, CHANNEL, message(file("a")));
  while (acceptor.asked.length === 0) await acceptor.clock.settle();
  acceptor.uploads.close();
  await expect(taken).rejects.toThrow();
  expect(acceptor.kept()).toEqual([]);
});

test("within an hour no more than 2 GB is taken, and an hour later it is again", async () => {
  const acceptor = open(() => stream(50 * MEGABYTE).response);
  const forget = {
    id: "1",
    path: "",
    finish: async () => undefined,
    discard: async () => undefined,
    write: async () => undefined,
  };
  const folder = { create: async () => forget, sync: async () => undefined, remove: async () => undefined };
  const wide = open(() => stream(50 * MEGABYTE).response, {
    clock: acceptor.clock,
    files: { createFolder: async () => folder, readText: async () => null, sweep: async () => 0 },
  });
  const twenty = Array.from({ length: 20 }, (_, index) => file(String(index)));
  for (let round = 0; round < 2; round += 1)
    expect((await wide.uploads.download(SESSION, CHANNEL, message(...twenty))).refused).toEqual([]);
  expect((await wide.uploads.download(SESSION, CHANNEL, message(file("a"), file("b")))).refused.at(-1)?.why).toBe(
    "more than 2048 MB arrived within one hour",
  );
  await acceptor.clock.advance(3_660_000);
  expect((await wide.uploads.download(SESSION, CHANNEL, message(file("a")))).refused).toEqual([]);
});
