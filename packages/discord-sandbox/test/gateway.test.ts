/** The gateway's promises: every event once and in order, across cuts; and an end to sessions, budgets and patience. */
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox } from "../src/discord-sandbox.ts";
import { openBot, register, type Bot } from "./bot.ts";
import { manualClock } from "./manual-clock.ts";
import { ask, BareGateway, intents, type Heard } from "./wire.ts";

const properties = { os: "linux", browser: "bare", device: "bare" };

function socketTo(sandbox: Sandbox): BareGateway {
  const socket = new BareGateway(`${sandbox.url.replace("http", "ws")}/?v=10&encoding=json`);
  onTestFinished(() => socket.cut());
  return socket;
}

async function resumed(bot: Bot, seq: number): Promise<BareGateway> {
  const ready = await bot.gateway.event("READY");
  const socket = socketTo(bot.sandbox);
  await socket.hear(({ op }) => op === 10);
  socket.send({ op: 6, d: { token: bot.sandbox.botToken, session_id: ready.d["session_id"], seq } });
  return socket;
}

const say = (sandbox: Sandbox, text: string) => sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send(text);
const limit = async (sandbox: Sandbox) =>
  (await ask(sandbox.api, "GET", "/gateway/bot", { token: `Bot ${sandbox.botToken}` })).body["session_start_limit"];

describe("a resume", () => {
  test("gives every missed event once and in order, wherever the line was cut", async () => {
    const bot = await openBot();
    const from = bot.gateway.heard.at(-1)?.s ?? 0;
    const all: number[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), fc.nat(), async (cuts, at) => {
        for (const cut of cuts) {
          await say(bot.sandbox, String(all.length));
          all.push(all.length);
          if (cut) bot.sandbox.faults.gateway({ kind: "cut" });
        }
        const known = at % (all.length + 1);
        // RESUMED takes numbers of its own, so where a message stands is read from a full replay.
        const whole = await resumed(bot, from);
        await whole.event("RESUMED");
        const messages = whole.heard.filter(({ t }) => t === "MESSAGE_CREATE");
        expect(messages.map(({ d }) => Number(d["content"]))).toEqual(all);
        const seq = known === 0 ? from : (messages[known - 1]?.s ?? from);
        const part = await resumed(bot, seq);
        await part.hear(({ t, s }) => t === "RESUMED" && s !== null && s > (whole.heard.at(-1)?.s ?? 0));
        expect(part.heard.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => Number(d["content"]))).toEqual(
          all.slice(known),
        );
        const numbers = part.heard.flatMap(({ s }) => s ?? []);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }),
      { numRuns: 8 },
    );
  });

  test("takes the session over from a socket that is still open", async () => {
    const bot = await openBot();
    const socket = await resumed(bot, 1);
    await socket.event("RESUMED");
    expect(await bot.gateway.closeCode()).toBe(4009);
    await say(bot.sandbox, "here");
    await socket.event("MESSAGE_CREATE");
  });

  test("is possible for a while, and then no more", async () => {
    const bot = await openBot();
    bot.gateway.cut();
    await bot.sandbox.until(({ connections }) => connections().every(({ isBot }) => !isBot));
    bot.clock.advance(4 * 60_000);
    const again = await resumed(bot, 1);
    await again.event("RESUMED");
    again.cut();
    await bot.sandbox.until(({ connections }) => connections().every(({ isBot }) => !isBot));
    bot.clock.advance(6 * 60_000);
    expect((await (await resumed(bot, 1)).hear(({ op }) => op === 9)).d).toBe(false);
  });

  test("is not possible after the client has said goodbye with 1000", async () => {
    const bot = await openBot();
    await bot.gateway.close(1000);
    await bot.sandbox.until(({ connections }) => connections().length === 0);
    expect((await (await resumed(bot, 1)).hear(({ op }) => op === 9)).d).toBe(false);
  });

  test("with another's token is none", async () => {
    const bot = await openBot();
    const { token } = bot.sandbox.addUser("second", { bot: true });
    const ready = await bot.gateway.event("READY");
    const socket = socketTo(bot.sandbox);
    await socket.hear(({ op }) => op === 10);
    socket.send({ op: 6, d: { token, session_id: ready.d["session_id"], seq: 1 } });
    expect((await socket.hear(({ op }) => op === 9)).d).toBe(false);
  });
});

test("a bot that sends no heartbeat is let go, and may resume", async () => {
  const bot = await openBot();
  bot.clock.advance(41_250);
  bot.gateway.send({ op: 1, d: 1 });
  await bot.gateway.hear(({ op }) => op === 11);
  bot.clock.advance(82_499);
  await say(bot.sandbox, "still heard");
  await bot.gateway.event("MESSAGE_CREATE");
  bot.clock.advance(1);
  expect(await bot.gateway.closeCode()).toBe(4009);
  await (await resumed(bot, 1)).event("RESUMED");
});

describe("the budget of IDENTIFYs", () => {
  test("goes down with each, and comes back after a day", async () => {
    const bot = await openBot();
    expect(await limit(bot.sandbox)).toMatchObject({ total: 1000, remaining: 999, max_concurrency: 16 });
    bot.clock.advance(24 * 60 * 60_000);
    expect(await limit(bot.sandbox)).toEqual({ total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 16 });
  });

  test("overspent costs the token", async () => {
    const { sandbox, gateway } = await openBot({ identifyTotal: 1 });
    const { botToken } = sandbox;
    const socket = socketTo(sandbox);
    await socket.hear(({ op }) => op === 10);
    socket.send({ op: 2, d: { token: botToken, intents, properties } });
    expect(await socket.closeCode()).toBe(4004);
    expect(await gateway.closeCode()).toBe(4004);
    expect((await ask(sandbox.api, "GET", "/users/@me", { token: `Bot ${botToken}` })).status).toBe(401);
    expect(sandbox.violations.map(({ kind }) => kind)).toContain("identify_budget");
  });

  test("with a concurrency of one, a second within five seconds must wait", async () => {
    const clock = manualClock();
    const sandbox = await startSandbox({ clock, maxConcurrency: 1 });
    onTestFinished(() => sandbox.close());
    await socketTo(sandbox).identify(sandbox.botToken, intents);
    const hasty = socketTo(sandbox);
    await hasty.hear(({ op }) => op === 10);
    hasty.send({ op: 2, d: { token: sandbox.botToken, intents, properties } });
    expect((await hasty.hear(({ op }) => op === 9)).d).toBe(false);
    clock.advance(5000);
    await socketTo(sandbox).identify(sandbox.botToken, intents);
  });
});

test("a direct message is received on shard 0 with its content, whatever the intents for content", async () => {
  const bot = await openBot();
  const { sandbox } = bot;
  const { body } = await bot.rest("POST", "/users/@me/channels", { recipient_id: sandbox.owner.id });
  const [zero, one] = [socketTo(sandbox), socketTo(sandbox)];
  const plain = intents & ~(1 << 15);
  await zero.identify(sandbox.botToken, plain, { shard: [0, 2] });
  await one.identify(sandbox.botToken, plain, { shard: [1, 2] });
  await sandbox.channel(String(body["id"])).user(sandbox.owner.id).send("psst");
  const heard = await zero.event("MESSAGE_CREATE");
  expect(heard.d).toMatchObject({ content: "psst", channel_id: body["id"] });
  expect(heard.d).not.toHaveProperty("guild_id");
  one.send({ op: 1, d: null });
  await one.hear(({ op }) => op === 11);
  expect(one.heard.map(({ t }: Heard) => t)).not.toContain("MESSAGE_CREATE");
});

test("an interaction is for its own application, not for another bot in the same guild", async () => {
  const bot = await openBot();
  await register(bot);
  const second = socketTo(bot.sandbox);
  await second.identify(bot.sandbox.addUser("second", { bot: true }).token, intents);
  await bot.sandbox.channel(bot.sandbox.channelId).user(bot.sandbox.owner.id).slash("job stop");
  await bot.gateway.event("INTERACTION_CREATE");
  second.send({ op: 1, d: null });
  await second.hear(({ op }) => op === 11);
  expect(second.heard.map(({ t }: Heard) => t)).not.toContain("INTERACTION_CREATE");
});

test("a person outside the guild sees and receives nothing of it", async () => {
  const bot = await openBot();
  const stranger = bot.sandbox.addUser("stranger", { guildMember: false });
  const socket = socketTo(bot.sandbox);
  const ready = await socket.identify(stranger.token, 0);
  expect(ready.d["guilds"]).toEqual([]);
  await say(bot.sandbox, "members only");
  await bot.gateway.event("MESSAGE_CREATE");
  socket.send({ op: 1, d: null });
  await socket.hear(({ op }) => op === 11);
  expect(socket.heard.map(({ t }: Heard) => t)).toEqual([null, "READY", null]);
  expect(
    (await ask(bot.sandbox.api, "GET", `/channels/${bot.sandbox.channelId}/messages`, { token: stranger.token })).code,
  ).toBe(50001);
});
