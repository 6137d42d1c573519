/** Who is let in at all: tokens, hosts, origins, versions, sizes, and the control API. */
import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ask } from "../wire.ts";
import { expectRefusal, openScene, type Scene } from "./scene.ts";

let scene: Scene;
let origin: URL;
beforeAll(async () => {
  scene = await openScene();
  origin = new URL(scene.sandbox.api);
});
afterAll(() => scene.close());

/** One request whose Host and Origin are ours to choose, which `fetch` does not allow. */
async function raw(path: string, headers: Record<string, string>, method = "GET"): Promise<number> {
  const sent = request({ host: "127.0.0.1", port: origin.port, path, method, headers });
  sent.end();
  const [response] = (await once(sent, "response")) as [{ statusCode?: number; resume(): void }];
  response.resume();
  return response.statusCode ?? 0;
}

const me = "/users/@me";

describe("a token is refused with 401 where", () => {
  test.each([
    ["there is none", undefined],
    ["it is empty", "Bot "],
    ["it is no bot's", "Bot wrong"],
    ["it lacks the word Bot", "bare"],
    ["it comes as another kind", "bearer"],
    ["a person's is called a bot's", "person"],
  ])("%s", async (_law, kind) => {
    const { botToken, owner } = scene.sandbox;
    const token =
      kind === "bare"
        ? botToken
        : kind === "bearer"
          ? `Bearer ${botToken}`
          : kind === "person"
            ? `Bot ${owner.token}`
            : kind;
    expectRefusal(await ask(scene.sandbox.api, "GET", me, token === undefined ? {} : { token }), 401, 0);
  });

  test("what a person may and a bot may not is refused to the bot", async () => {
    const answer = await scene.bot("POST", "/interactions", { type: 2 });
    expect(answer.status).toBe(403);
    expect(answer.code).toBe(20001);
  });

  test("what only a bot may is refused to a person", async () => {
    const answer = await scene.person("GET", "/gateway/bot");
    expect([401, 403]).toContain(answer.status);
  });
});

describe("a request is refused where", () => {
  test("its route does not exist", async () => {
    expectRefusal(await scene.bot("GET", "/nowhere"), 404, 0);
  });

  test("its method is another's", async () => {
    expect((await scene.bot("PUT", "/gateway/bot")).status).toBe(405);
  });

  test("its version is no more", async () => {
    const response = await fetch(`${scene.sandbox.api}/v5/gateway`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 50041 });
  });

  test("its body is over 25 MiB (40005)", async () => {
    const files = [0, 1, 2].map((n) => ({ name: `${n}.bin`, bytes: new Uint8Array(9 * 1024 * 1024) }));
    expectRefusal(
      await scene.bot("POST", `/channels/${scene.channel}/messages`, { content: "x" }, { files }),
      413,
      40005,
    );
  });

  test("a file of it is over 10 MiB (40005), where the server's boosts allow no more", async () => {
    const files = [{ name: "big.bin", bytes: new Uint8Array(10 * 1024 * 1024 + 1) }];
    const post = () => scene.bot("POST", `/channels/${scene.channel}/messages`, { content: "x" }, { files });
    expectRefusal(await post(), 413, 40005);
    scene.sandbox.setBoostLevel(2);
    expect((await post()).status).toBe(200);
    scene.sandbox.setBoostLevel(1);
    expectRefusal(await post(), 413, 40005);
  });

  test("it has eleven files (30015)", async () => {
    const files = Array.from({ length: 11 }, (_, n) => ({ name: `${n}.txt`, bytes: "x" }));
    expectRefusal(
      await scene.bot("POST", `/channels/${scene.channel}/messages`, { content: "x" }, { files }),
      400,
      30015,
    );
  });

  test("it names a file that did not come (50146)", async () => {
    const body = { content: "x", attachments: [{ id: "3", filename: "a.txt" }] };
    const files = [{ name: "a.txt", bytes: "x" }];
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/messages`, body, { files }), 400, 50146);
  });

  test("a file's description is over 1024", async () => {
    const body = { content: "x", attachments: [{ id: "0", description: "x".repeat(1025) }] };
    const files = [{ name: "a.txt", bytes: "x" }];
    expectRefusal(
      await scene.bot("POST", `/channels/${scene.channel}/messages`, body, { files }),
      400,
      50035,
      "attachments.0.description",
    );
  });

  test("its multipart has no boundary", async () => {
    const headers = { "content-type": "multipart/form-data" };
    const answer = await scene.bot("POST", `/channels/${scene.channel}/messages`, "--x", { headers });
    expect(answer.status).toBe(400);
  });

  test("its body is of a kind nobody takes", async () => {
    const headers = { "content-type": "text/plain" };
    expectRefusal(await scene.bot("POST", `/channels/${scene.channel}/messages`, "hello", { headers }), 400, 50035);
  });
});

describe("only this machine is served:", () => {
  test.each(["evil.example", "evil.example:80", `127.0.0.1.evil.example:${80}`, "10.0.0.1"])(
    "a request to the host %s is refused",
    async (host) => {
      expect(await raw("/", { host })).toBe(403);
      expect(await raw("/api/v10/gateway", { host })).toBe(403);
    },
  );

  test.each(["http://evil.example", "null", "http://127.0.0.1:1"])(
    "a request from the page %s is refused",
    async (from) => {
      expect(await raw("/api/v10/gateway", { host: origin.host, origin: from })).toBe(403);
    },
  );

  test("a gateway connection from another page is refused", async () => {
    const { body } = await scene.bot("GET", "/gateway/bot");
    const socket = new WebSocket(`${String(body["url"])}/?v=10&encoding=json`, { origin: "http://evil.example" });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toMatch(/403/);
  });

  test("the machine's own names are let in", async () => {
    expect(await raw("/api/v10/gateway", { host: origin.host })).toBe(200);
    expect(await raw("/api/v10/gateway", { host: origin.host, origin: origin.origin })).toBe(200);
  });
});

describe("the control API", () => {
  test.each([
    ["no token", {}],
    ["the bot's", { authorization: "bot" }],
    ["a wrong one", { "x-sandbox-control": "wrong" }],
  ])("is closed to %s", async (_law, headers) => {
    const sent = "authorization" in headers ? { authorization: `Bot ${scene.sandbox.botToken}` } : headers;
    for (const method of ["GET", "POST", "DELETE"])
      expect(await raw("/control/faults", { host: origin.host, ...sent }, method)).toBe(401);
  });

  test("is open to its own", async () => {
    expect(await raw("/control/faults", { host: origin.host, "x-sandbox-control": scene.sandbox.controlToken })).toBe(
      200,
    );
  });
});

describe("an attachment", () => {
  test("is served with its signature and not without, or with another's", async () => {
    const files = [{ name: "a.txt", bytes: "the bytes" }];
    const { body } = await scene.bot("POST", `/channels/${scene.channel}/messages`, { content: "x" }, { files });
    const [attachment] = body["attachments"] as { url: string }[];
    const url = new URL(attachment?.url ?? "");
    expect(await (await fetch(url)).text()).toBe("the bytes");
    url.searchParams.set("hm", "0".repeat(64));
    expect((await fetch(url)).status).toBe(404);
    url.search = "";
    expect((await fetch(url)).status).toBe(404);
  });

  test("is served for a day", async () => {
    const files = [{ name: "a.txt", bytes: "x" }];
    const { body } = await scene.bot("POST", `/channels/${scene.channel}/messages`, { content: "x" }, { files });
    const [attachment] = body["attachments"] as { url: string }[];
    scene.clock.advance(25 * 60 * 60_000);
    expect((await fetch(attachment?.url ?? "")).status).toBe(404);
  });
});
