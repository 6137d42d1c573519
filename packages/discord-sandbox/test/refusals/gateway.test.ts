/**
 * What the gateway does not take: each close code of Discord's is earned once, and resuming is refused where it must
 * be.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BareGateway } from "../wire.ts";
import { intents } from "../wire.ts";
import { openScene, sceneForTest, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const properties = { os: "linux", browser: "bare", device: "bare" };
const identify = (more: Record<string, unknown> = {}) => ({
  op: 2,
  d: { token: scene.sandbox.botToken, intents, properties, ...more },
});

async function closedBy(...payloads: unknown[]): Promise<number> {
  const socket = await scene.gateway();
  for (const payload of payloads) socket.send(payload);
  return socket.closeCode();
}

async function closedAfterReady(...payloads: unknown[]): Promise<number> {
  const socket = await scene.listener();
  for (const payload of payloads) socket.send(payload);
  return socket.closeCode();
}

/** A heartbeat that is exactly so many bytes long. */
function heartbeatOf(bytes: number): string {
  const bare = JSON.stringify({ op: 1, d: null, filling: "" });
  return bare.replace('""', `"${"x".repeat(bytes - bare.length)}"`);
}

test("what is exactly at a limit is taken: a payload of 4096 bytes, 120 payloads in a minute", async () => {
  const socket = await scene.listener();
  socket.send(heartbeatOf(4096));
  for (let sent = 2; sent < 120; sent += 1) socket.send({ op: 1, d: null });
  await socket.hearMany(118, ({ op }) => op === 11);
  socket.send({ op: 1, d: null });
  await socket.hearMany(119, ({ op }) => op === 11);
});

describe("the gateway closes with", () => {
  test("4001 after an op it does not know", async () => {
    expect(await closedAfterReady({ op: 99, d: null })).toBe(4001);
  });

  test.each([
    ["what is no JSON", "{ op: 1 }"],
    ["what is no object", "[1]"],
    ["a payload of 4097 bytes", heartbeatOf(4097)],
  ])("4002 after %s", async (_what, payload) => {
    expect(await closedAfterReady(payload)).toBe(4002);
  });

  test("4003 after anything but a greeting from who has not greeted", async () => {
    expect(await closedBy({ op: 3, d: { since: null, activities: [], status: "online", afk: false } })).toBe(4003);
  });

  test.each([
    ["a wrong token", "wrong"],
    ["no token", ""],
    ["the token of a bot that does not exist", "MQ.AAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  ])("4004 after %s", async (_what, token) => {
    expect(await closedBy(identify({ token }))).toBe(4004);
  });

  test("4005 after a second greeting", async () => {
    expect(await closedAfterReady(identify())).toBe(4005);
  });

  test("4007 after a resume from a number it never sent", async () => {
    const first = await scene.listener();
    const ready = await first.event("READY");
    first.cut();
    expect(
      await closedBy({
        op: 6,
        d: { token: scene.sandbox.botToken, session_id: ready.d["session_id"], seq: 9_999_999 },
      }),
    ).toBe(4007);
  });

  test("4008 after the 121st payload in a minute, the greeting counted", async () => {
    expect(await closedAfterReady(...Array.from({ length: 120 }, () => ({ op: 1, d: null })))).toBe(4008);
  });

  test.each([
    ["more shards than one says there are", [2, 2]],
    ["a shard that is no pair", [0]],
    ["none at all", [0, 0]],
  ])("4010 after %s", async (_what, shard) => {
    expect(await closedBy(identify({ shard }))).toBe(4010);
  });

  test("4013 after an intent that does not exist", async () => {
    expect(await closedBy(identify({ intents: 1 << 30 }))).toBe(4013);
  });

  test("4012 for a version that is no more", async () => {
    const { body } = await scene.bot("GET", "/gateway/bot");
    const { BareGateway: Bare } = await import("../wire.ts");
    const socket: BareGateway = new Bare(`${String(body["url"])}/?v=5&encoding=json`);
    expect(await socket.closeCode()).toBe(4012);
  });
});

describe("an intent that is not switched on", () => {
  test("closes with 4014", async () => {
    const own = await sceneForTest();
    own.sandbox.setIntents({ messageContent: false });
    const socket = await own.gateway();
    socket.send({ op: 2, d: { token: own.sandbox.botToken, intents, properties } });
    expect(await socket.closeCode()).toBe(4014);
  });

  test("and without it a person's message comes without its text", async () => {
    const socket = await scene.gateway();
    await socket.identify(scene.sandbox.botToken, intents & ~(1 << 15));
    await scene.person("POST", `/channels/${scene.channel}/messages`, { content: "secret", embeds: [] });
    const { d } = await socket.event("MESSAGE_CREATE");
    expect(d["content"]).toBe("");
  });

  test("except where the bot is mentioned, or it is the bot's own", async () => {
    const socket = await scene.gateway();
    await socket.identify(scene.sandbox.botToken, intents & ~(1 << 15));
    await scene.person("POST", `/channels/${scene.channel}/messages`, { content: `<@${scene.sandbox.botId}> hear me` });
    expect((await socket.event("MESSAGE_CREATE")).d["content"]).toMatch(/hear me$/);
    await scene.message("my own");
    expect((await socket.hear(({ d }) => d?.["content"] === "my own")).t).toBe("MESSAGE_CREATE");
  });

  test("an event nobody asked for is not told", async () => {
    const socket = await scene.gateway();
    await socket.identify(scene.sandbox.botToken, 1);
    await scene.message();
    await scene.thread();
    await socket.event("THREAD_CREATE");
    expect(socket.heard.map(({ t }) => t)).not.toContain("MESSAGE_CREATE");
  });
});

describe("a session", () => {
  const resume = (ready: { d: Record<string, unknown> }, seq: number, more: Record<string, unknown> = {}) => ({
    op: 6,
    d: { token: scene.sandbox.botToken, session_id: ready.d["session_id"], seq, ...more },
  });

  test("that does not exist is not resumed", async () => {
    const socket = await scene.gateway();
    socket.send({ op: 6, d: { token: scene.sandbox.botToken, session_id: "nothing", seq: 1 } });
    expect((await socket.hear(({ op }) => op === 9)).d).toBe(false);
  });

  test("that was ended with 1000 is not resumed", async () => {
    const first = await scene.listener();
    const ready = await first.event("READY");
    await first.close(1000);
    const second = await scene.gateway();
    second.send(resume(ready, 1));
    expect((await second.hear(({ op }) => op === 9)).d).toBe(false);
  });

  test("is not resumed by another token", async () => {
    const first = await scene.listener();
    const ready = await first.event("READY");
    first.cut();
    expect(await closedBy(resume(ready, 1, { token: "wrong" }))).toBe(4004);
  });

  test("that was cut off is told what it missed, once and in order", async () => {
    const first = await scene.listener();
    const ready = await first.event("READY");
    const last = (await first.event("GUILD_CREATE")).s ?? 0;
    first.cut();
    for (const content of ["one", "two", "three"]) await scene.message(content);
    const second = await scene.gateway();
    second.send(resume(ready, last));
    await second.event("RESUMED");
    const events = second.heard.filter(({ op }) => op === 0);
    expect(events.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d["content"])).toEqual([
      "one",
      "two",
      "three",
    ]);
    expect(events.map(({ s }) => s)).toEqual(events.map((_event, index) => last + 1 + index));
  });
});
