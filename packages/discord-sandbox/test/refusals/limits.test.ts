/** How fast is too fast: buckets with true headers, fifty a second, the rename limit no header shows. */
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { sceneForTest, type Scene } from "./scene.ts";

const send = (scene: Scene, channel = scene.channel): ReturnType<Scene["bot"]> =>
  scene.hurried("POST", `/channels/${channel}/messages`, { content: "x" });

/** Asks for the same thing many times over one connection, each as soon as it can be written. */
async function repeat(scene: Scene, path: string, times: number): Promise<void> {
  const { host, hostname, port } = new URL(scene.sandbox.url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`.repeat(times));
  let answered = 0;
  let rest = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    const pieces = (rest + chunk.toString("latin1")).split("HTTP/1.1 401");
    answered += pieces.length - 1;
    rest = (pieces.at(-1) ?? "").slice(-11);
    if (answered >= times) break;
  }
}

/** Sends until it is refused; how many were taken, and the refusal. */
async function until429(ask: () => ReturnType<Scene["bot"]>, most = 200) {
  for (let taken = 0; taken < most; taken += 1) {
    const answer = await ask();
    if (answer.status === 429) return { taken, answer };
  }
  throw new Error(`${most} requests were taken`);
}

describe("a bucket", () => {
  test("says truly how many are left and when it is full again", async () => {
    const scene = await sceneForTest();
    const first = await send(scene);
    const limit = Number(first.headers.get("x-ratelimit-limit"));
    const left = Number(first.headers.get("x-ratelimit-remaining"));
    expect(left).toBe(limit - 1);
    for (let count = 1; count <= left; count += 1) {
      const answer = await send(scene);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-ratelimit-remaining")).toBe(String(left - count));
      expect(answer.headers.get("x-ratelimit-bucket")).toBe(first.headers.get("x-ratelimit-bucket"));
    }
    const over = await send(scene);
    expect(over.status).toBe(429);
    expect(over.body).toMatchObject({
      global: false,
      retry_after: Number(first.headers.get("x-ratelimit-reset-after")),
    });
    expect(over.headers.get("x-ratelimit-scope")).toBe("user");
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0);
    scene.clock.advance(Number(first.headers.get("x-ratelimit-reset-after")) * 1000);
    expect((await send(scene)).status).toBe(200);
  });

  test("that is empty stores nothing", async () => {
    const scene = await sceneForTest();
    const { taken } = await until429(() => send(scene));
    const { body } = await scene.person("GET", `/channels/${scene.channel}/messages?limit=100`);
    expect(body).toHaveLength(taken);
  });

  test("is another's in another channel", async () => {
    const scene = await sceneForTest();
    const thread = await scene.thread();
    await until429(() => send(scene));
    expect((await send(scene, thread)).status).toBe(200);
  });

  test("of deleting is not the one of sending", async () => {
    const scene = await sceneForTest();
    const message = await scene.message();
    await until429(() => send(scene));
    expect((await scene.hurried("DELETE", `/channels/${scene.channel}/messages/${message}`)).status).toBe(204);
  });

  test("holds even wrong requests", async () => {
    const scene = await sceneForTest();
    const wrong = () => scene.hurried("POST", `/channels/${scene.channel}/messages`, {});
    const { taken } = await until429(wrong);
    expect(taken).toBe(5);
  });
});

describe("the whole bot", () => {
  test("is held at 50 requests a second, over all routes", async () => {
    const scene = await sceneForTest();
    let turn = 0;
    const routes = ["/users/@me", "/gateway/bot", `/guilds/${scene.guild}`, `/channels/${scene.channel}`];
    const { taken, answer } = await until429(() => scene.hurried("GET", routes[turn++ % routes.length] ?? ""));
    expect(taken).toBe(50);
    expect(answer.body).toMatchObject({ global: true });
    expect(answer.headers.get("x-ratelimit-global")).toBe("true");
    expect(answer.headers.get("x-ratelimit-scope")).toBe("global");
    scene.clock.advance(1000);
    expect((await scene.hurried("GET", "/users/@me")).status).toBe(200);
  });
});

describe("a thread", () => {
  test("is renamed twice in ten minutes, and the headers do not tell", async () => {
    const scene = await sceneForTest();
    const thread = await scene.thread();
    const rename = (name: string) => scene.hurried("PATCH", `/channels/${thread}`, { name });
    expect((await rename("one")).status).toBe(200);
    const second = await rename("two");
    expect(Number(second.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(0);
    const third = await rename("three");
    expect(third.status).toBe(429);
    expect(Number(third.body["retry_after"])).toBeGreaterThan(500);
    expect((await scene.hurried("PATCH", `/channels/${thread}`, { auto_archive_duration: 60 })).status).toBe(200);
    scene.clock.advance(600_000);
    expect((await rename("three")).status).toBe(200);
  });
});

describe("requests that are invalid", () => {
  test("10,000 of them in ten minutes end in a block", async () => {
    const scene = await sceneForTest();
    await repeat(scene, "/api/v10/users/@me", 10_000);
    expect(scene.sandbox.invalidRequests).toBe(10_000);
    expect((await scene.bot("GET", "/users/@me")).status).toBe(200);
    await repeat(scene, "/api/v10/users/@me", 1);
    const blocked = await scene.bot("GET", "/users/@me");
    expect({ status: blocked.status, code: blocked.code }).toEqual({ status: 403, code: 40333 });
    scene.clock.advance(600_001);
    expect((await scene.bot("GET", "/users/@me")).status).toBe(200);
  });
});
