/** Faults: each does to a request or a socket exactly what it says, as often as it says, and can be waited for. */
import { describe, expect, onTestFinished, test } from "vitest";
import { CONTROL_HEADER } from "../src/control/control.ts";
import { openBot, type Bot } from "./bot.ts";
import { ask, BareGateway, intents } from "./wire.ts";

const post = (bot: Bot, content: string) =>
  bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, { content });
const contents = (bot: Bot): string[] => bot.sandbox.messages(bot.sandbox.channelId).map(({ content }) => content);
const say = (bot: Bot, content: string) =>
  bot.sandbox.channel(bot.sandbox.channelId).user(bot.sandbox.owner.id).send(content);

async function reconnect(bot: Bot, op: Record<string, unknown>): Promise<BareGateway> {
  const socket = new BareGateway(`${bot.sandbox.url.replace("http", "ws")}/?v=10&encoding=json`);
  onTestFinished(() => socket.cut());
  await socket.hear((one) => one.op === 10);
  socket.send(op);
  return socket;
}

async function resume(bot: Bot, seq: number): Promise<BareGateway> {
  const ready = await bot.gateway.event("READY");
  return reconnect(bot, { op: 6, d: { token: bot.sandbox.botToken, session_id: ready.d["session_id"], seq } });
}

describe("a REST fault", () => {
  test("of 5xx before storing stores nothing, and after storing everything", async () => {
    const bot = await openBot();
    bot.sandbox.faults.fail({ operationId: "create_message", status: 503, times: 1 });
    expect((await post(bot, "lost")).status).toBe(503);
    bot.sandbox.faults.fail({ operationId: "create_message", status: 500, when: "after", times: 1 });
    expect((await post(bot, "kept")).status).toBe(500);
    expect((await post(bot, "plain")).status).toBe(200);
    expect(contents(bot)).toEqual(["kept", "plain"]);
    expect(bot.sandbox.violations).toEqual([]);
  });

  test.each([
    ["before", []],
    ["after", ["x"]],
  ] as const)("that resets the connection %s storing leaves %j", async (when, left) => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.reset({ method: "POST", when, times: 1 });
    await expect(post(bot, "x")).rejects.toThrow();
    expect(fault.hits).toBe(1);
    expect(contents(bot)).toEqual(left);
  });

  test.each(["user", "global", "shared"] as const)("of 429 (%s) has that scope's headers and body", async (scope) => {
    const bot = await openBot();
    bot.sandbox.faults.rateLimit({ path: /\/messages$/, scope, retryAfter: 2.5 });
    const { status, body, headers } = await post(bot, "x");
    expect(status).toBe(429);
    expect(body).toEqual({
      message: "You are being rate limited.",
      retry_after: 2.5,
      global: scope === "global",
      code: 0,
    });
    expect(headers.get("retry-after")).toBe("3");
    expect(headers.get("x-ratelimit-scope")).toBe(scope);
    expect(headers.get("x-ratelimit-global")).toBe(scope === "global" ? "true" : null);
    expect(bot.sandbox.invalidRequests).toBe(scope === "shared" ? 0 : 1);
  });

  test("that holds answers once it is lifted, and not before", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.hold({ operationId: "create_message" });
    const answer = post(bot, "held");
    await fault.hit();
    expect(contents(bot)).toEqual([]);
    fault.lift();
    expect((await answer).status).toBe(200);
    expect(contents(bot)).toEqual(["held"]);
  });

  test("that delays is counted on the sandbox's clock", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.delay({ operationId: "create_message", when: "after", ms: 5000 });
    const answer = post(bot, "late");
    await fault.hit();
    bot.clock.advance(4999);
    expect(bot.sandbox.requests).toEqual([]);
    bot.clock.advance(1);
    expect((await answer).status).toBe(200);
  });

  test("that drops never answers; the socket goes when it is lifted", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.drop({ operationId: "create_message", when: "after" });
    const answer = post(bot, "unheard");
    await bot.sandbox.until(() => contents(bot).length === 1);
    fault.lift();
    await expect(answer).rejects.toThrow();
  });

  test("of a refusal has the code and the wait it was given; one of a portal is a page", async () => {
    const bot = await openBot();
    bot.sandbox.faults.fail({ operationId: "create_message", status: 400, code: 20028, retryAfter: 1.5, times: 1 });
    expect(await post(bot, "x")).toMatchObject({ status: 400, code: 20028, body: { retry_after: 1.5 } });
    bot.sandbox.faults.portal({ operationId: "create_message", times: 1 });
    const { status, body, headers } = await post(bot, "x");
    expect([status, headers.get("content-type"), String(body["text"]).slice(0, 15)]).toEqual([
      200,
      "text/html; charset=utf-8",
      "<!doctype html>",
    ]);
    expect(contents(bot)).toEqual([]);
  });

  test("leaves people's clients alone unless it says otherwise", async () => {
    const bot = await openBot();
    bot.sandbox.faults.fail({ operationId: "create_message", status: 500 });
    expect((await say(bot, "hello")).content).toBe("hello");
    bot.sandbox.faults.fail({ operationId: "create_message", status: 500, auth: "any" });
    await expect(say(bot, "hello")).rejects.toMatchObject({ status: 500 });
  });
});

describe("a gateway fault", () => {
  test("that withholds answers heartbeats and sends no events", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.gateway({ kind: "withhold" });
    await say(bot, "untold");
    await fault.hit();
    bot.gateway.send({ op: 1, d: null });
    await bot.gateway.hear(({ op }) => op === 11);
    expect(bot.gateway.heard.filter(({ t }) => t === "MESSAGE_CREATE")).toEqual([]);
  });

  test("that says sends these frames, and one in mid-frame leaves a session to resume", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "say", frames: ['{"op":77}'] });
    await bot.gateway.hear(({ op }) => op === 77);
    const before = bot.gateway.heard.findLast(({ s }) => s !== null)?.s ?? 0;
    bot.sandbox.faults.gateway({ kind: "half_frame" });
    expect(await bot.gateway.closeCode()).toBe(1006);
    await (await resume(bot, before)).event("RESUMED");
  });

  test("that opens no socket lasts as often as it says", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "no_upgrade", times: 1 });
    await expect(reconnect(bot, {})).rejects.toThrow();
    await reconnect(bot, { op: 1, d: null });
  });

  test("that cuts after an event: the event is replayed to who did not see it, once", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "cut_after", t: "MESSAGE_CREATE", times: 1 });
    const before = bot.gateway.heard.at(-1)?.s ?? 0;
    await say(bot, "one");
    await bot.gateway.closeCode();
    await say(bot, "two");
    const socket = await resume(bot, before);
    await socket.event("RESUMED");
    expect(socket.heard.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d, s }) => [d["content"], s])).toEqual([
      ["one", before + 1],
      ["two", before + 2],
    ]);
  });

  test("that doubles sends the very same event, number and all", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "duplicate", t: "MESSAGE_CREATE", times: 1 });
    await say(bot, "one");
    await say(bot, "two");
    await bot.gateway.hear(({ d }) => d?.["content"] === "two");
    const heard = bot.gateway.heard.filter(({ t }) => t === "MESSAGE_CREATE");
    expect(heard.map(({ d }) => d["content"])).toEqual(["one", "one", "two"]);
    expect(heard[0]).toEqual(heard[1]);
  });

  test("that reorders sends the next event first", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "reorder", t: "MESSAGE_CREATE", times: 1 });
    for (const text of ["one", "two", "three"]) await say(bot, text);
    await bot.gateway.hear(({ d }) => d?.["content"] === "three");
    expect(bot.gateway.heard.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d["content"])).toEqual([
      "two",
      "one",
      "three",
    ]);
  });

  test("of silence: the socket stays and says nothing; a new one works and gets what was missed", async () => {
    const bot = await openBot();
    const before = bot.gateway.heard.at(-1)?.s ?? 0;
    bot.sandbox.faults.gateway({ kind: "silence" });
    await say(bot, "into the void");
    bot.gateway.send({ op: 1, d: null });
    // Nor does it say that no heartbeat has come.
    bot.clock.advance(1_000_000);
    expect(bot.sandbox.violations).toEqual([]);
    const socket = await resume(bot, before);
    await socket.event("RESUMED");
    expect(socket.heard.map(({ d }) => d?.["content"])).toContain("into the void");
    expect(bot.gateway.heard.map(({ op, d }) => [op, d?.["content"]])).not.toContainEqual([0, "into the void"]);
    expect(bot.gateway.heard.map(({ op }) => op)).not.toContain(11);
  });

  test("that withholds acknowledgements withholds so many", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.gateway({ kind: "miss_acks", times: 1 });
    bot.gateway.send({ op: 1, d: 1 });
    await fault.hit();
    expect(bot.gateway.heard.map(({ op }) => op)).not.toContain(11);
    bot.gateway.send({ op: 1, d: 1 });
    expect((await bot.gateway.hear(({ op }) => op === 11)).d).toBeNull();
  });

  test("that holds HELLO back until it is lifted", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.gateway({ kind: "slow_hello", times: 1 });
    const socket = new BareGateway(`${bot.sandbox.url.replace("http", "ws")}/?v=10`);
    onTestFinished(() => socket.cut());
    await fault.hit();
    expect(socket.heard).toEqual([]);
    fault.lift();
    expect((await socket.hear(({ op }) => op === 10)).d["heartbeat_interval"]).toBe(41_250);
  });

  test.each([7, 9, 1])("sends op %i", async (op) => {
    const bot = await openBot();
    bot.sandbox.faults.gateway(
      op === 7 ? { kind: "reconnect" } : op === 1 ? { kind: "ask_heartbeat" } : { kind: "invalidate", resumable: true },
    );
    expect((await bot.gateway.hear((one) => one.op === op)).d).toBe(op === 9 ? true : null);
  });

  test("that invalidates a session ends it: it is not resumed", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "invalidate", resumable: false });
    expect((await bot.gateway.hear(({ op }) => op === 9)).d).toBe(false);
    const socket = await resume(bot, 1);
    expect((await socket.hear(({ op }) => op === 9)).d).toBe(false);
  });

  test("that refuses a resume refuses it once, and the session is gone", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "refuse_resume", times: 1 });
    bot.gateway.cut();
    for (const _try of [1, 2]) expect((await (await resume(bot, 1)).hear(({ op }) => op === 9)).d).toBe(false);
  });

  test("closes with the code it is told", async () => {
    const bot = await openBot();
    bot.sandbox.faults.gateway({ kind: "close", code: 4000 });
    expect(await bot.gateway.closeCode()).toBe(4000);
    expect(bot.sandbox.violations).toEqual([]);
  });

  test("that takes the guild away gives it back when lifted, to old sessions and new", async () => {
    const bot = await openBot();
    const fault = bot.sandbox.faults.gateway({ kind: "unavailable" });
    expect((await bot.gateway.event("GUILD_DELETE")).d).toEqual({ id: bot.sandbox.guildId, unavailable: true });
    const late = await reconnect(bot, {
      op: 2,
      d: { token: bot.sandbox.botToken, intents, properties: { os: "linux", browser: "bare", device: "bare" } },
    });
    await late.event("READY");
    expect(late.heard.map(({ t }) => t)).not.toContain("GUILD_CREATE");
    fault.lift();
    expect((await late.event("GUILD_CREATE")).d["id"]).toBe(bot.sandbox.guildId);
    await say(bot, "back");
    await bot.gateway.hear(({ d }) => d?.["content"] === "back");
    expect(bot.gateway.heard.filter(({ t }) => t === "GUILD_CREATE")).toHaveLength(2);
  });
});

test("over HTTP a fault is set, waited for and lifted, with the control token only", async () => {
  const bot = await openBot();
  const { sandbox } = bot;
  const control = async (method: string, path: string, body?: unknown, token = sandbox.controlToken) => {
    const response = await fetch(`${sandbox.url}/control${path}`, {
      method,
      headers: { [CONTROL_HEADER]: token, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>) };
  };
  expect((await control("POST", "/faults", { kind: "fail", status: 502 }, "guess")).status).toBe(401);
  expect((await control("POST", "/faults", { kind: "dance" })).status).toBe(400);
  const made = await control("POST", "/faults", { kind: "fail", operationId: "create_message", status: 502, times: 2 });
  expect(made).toMatchObject({ status: 201, body: { kind: "fail", hits: 0 } });
  const id = String(made.body?.["id"]);
  const hit = control("GET", `/faults/${id}?hits=1`);
  expect((await post(bot, "x")).status).toBe(502);
  expect((await hit).body).toMatchObject({ hits: 1 });
  expect((await control("DELETE", `/faults/${id}`)).status).toBe(204);
  expect((await post(bot, "y")).status).toBe(200);
  await control("POST", "/faults", { kind: "close", code: 4000 });
  expect(await bot.gateway.closeCode()).toBe(4000);
});

test("what the bot does wrong is written down, what was done to it is not", async () => {
  const bot = await openBot();
  const { sandbox } = bot;
  await ask(sandbox.api, "GET", "/users/@me", { token: "Bot nonsense" });
  await post(bot, "");
  await bot.rest("DELETE", `/channels/${sandbox.channelId}`);
  await bot.rest("GET", `/channels/${sandbox.channelId}/messages/1`);
  sandbox.faults.fail({ status: 500, times: 1 });
  await post(bot, "x");
  expect(sandbox.violations.map(({ kind, code }) => [kind, code])).toEqual([
    ["unauthorized", 0],
    ["bad_request", 50006],
    ["forbidden", 50013],
    ["not_found", 10008],
  ]);
  expect(sandbox.violations[1]?.exchange).toMatchObject({
    operationId: "create_message",
    requestBody: { content: "" },
  });
  expect(sandbox.invalidRequests).toBe(2);
});
