/** Threads in the sandbox: how they begin, who is in them, how they are put away and come back. */
import { beforeEach, describe, expect, test } from "vitest";
import { Bit } from "../src/state/permissions.ts";
import type { UserActor } from "../src/discord-sandbox.ts";
import { openBot, type Bot } from "./bot.ts";
import { BareGateway, intents } from "./wire.ts";

let bot: Bot;
let owner: UserActor;
beforeEach(async () => {
  bot = await openBot();
  owner = bot.sandbox.channel(bot.sandbox.channelId).user(bot.sandbox.owner.id);
});

const inThread = (id: string): UserActor => bot.sandbox.channel(id).user(bot.sandbox.owner.id);

async function start(body: Record<string, unknown> = {}): Promise<string> {
  const answer = await bot.rest("POST", `/channels/${bot.sandbox.channelId}/threads`, {
    name: "work",
    type: 11,
    ...body,
  });
  expect(answer.status).toBe(201);
  return String(answer.body["id"]);
}

describe("a thread from a message", () => {
  test("has the message's id, and the message says so", async () => {
    const message = await owner.send("let us talk");
    const { status, body } = await bot.rest(
      "POST",
      `/channels/${bot.sandbox.channelId}/messages/${message.id}/threads`,
      { name: "talk" },
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ id: message.id, type: 11, owner_id: bot.sandbox.botId, message_count: 0 });
    expect(bot.sandbox.message(message.id)).toMatchObject({ flags: 32, thread: { id: message.id, name: "talk" } });
    expect(bot.sandbox.messages(message.id)).toMatchObject([
      { type: 21, referenced_message: { content: "let us talk" } },
    ]);
    expect((await bot.gateway.event("THREAD_CREATE")).d).toMatchObject({ id: message.id, newly_created: true });
  });
});

describe("a thread without one", () => {
  test("is announced in its channel", async () => {
    const id = await start();
    expect(bot.sandbox.messages(bot.sandbox.channelId)).toMatchObject([
      { type: 18, content: "work", message_reference: { channel_id: id } },
    ]);
    expect(bot.sandbox.threadMembers(id)).toEqual([bot.sandbox.botId]);
  });

  test("is a private one unless its type is given, and that the bot may not make", async () => {
    const { code } = await bot.rest("POST", `/channels/${bot.sandbox.channelId}/threads`, { name: "work" });
    expect(code).toBe(50013);
  });
});

test("who writes in a thread becomes a member of it", async () => {
  const id = await start();
  await inThread(id).send("hello");
  expect(bot.sandbox.threadMembers(id)).toEqual([bot.sandbox.botId, bot.sandbox.owner.id]);
  expect(bot.sandbox.threads()).toMatchObject([{ id, message_count: 1, total_message_sent: 1, member_count: 2 }]);
});

describe("an archived thread", () => {
  test("comes back when somebody writes in it, and that is told before the message", async () => {
    const id = await start();
    await inThread(id).archive();
    await inThread(id).send("once more");
    await bot.gateway.event("MESSAGE_CREATE");
    const told = bot.gateway.heard.filter(({ d }) => d?.["id"] === id || d?.["channel_id"] === id).map(({ t }) => t);
    expect(told).toEqual([
      "THREAD_CREATE",
      "THREAD_MEMBERS_UPDATE",
      "THREAD_UPDATE",
      "THREAD_UPDATE",
      "MESSAGE_CREATE",
    ]);
    expect(bot.sandbox.channelObject(id)).toMatchObject({ thread_metadata: { archived: false } });
  });

  test("takes nothing else", async () => {
    const id = await start();
    const sent = await inThread(id).send("hello");
    await inThread(id).archive();
    const path = `/channels/${id}`;
    expect((await bot.rest("PATCH", path, { name: "other" })).code).toBe(50083);
    expect((await bot.rest("PUT", `${path}/messages/${sent.id}/reactions/${encodeURIComponent("👍")}/@me`)).code).toBe(
      50083,
    );
    expect((await bot.rest("PUT", `${path}/thread-members/@me`)).code).toBe(50083);
    expect((await bot.rest("PATCH", path, { archived: false, name: "other" })).body).toMatchObject({
      name: "other",
      thread_metadata: { archived: false },
    });
  });

  test("is in the archived list and no longer in the active one", async () => {
    const [kept, put] = [await start({ name: "kept" }), await start({ name: "put away" })];
    await inThread(put).archive();
    const active = (await bot.rest("GET", `/guilds/${bot.sandbox.guildId}/threads/active`)).body;
    const archived = (await bot.rest("GET", `/channels/${bot.sandbox.channelId}/threads/archived/public`)).body;
    expect(active).toMatchObject({ threads: [{ id: kept }], members: [{ id: kept, user_id: bot.sandbox.botId }] });
    expect(archived).toMatchObject({ threads: [{ id: put }], has_more: false });
  });
});

test("a quiet thread is archived by itself, and one with a message in between later", async () => {
  const [quiet, busy] = [await start({ auto_archive_duration: 60 }), await start({ auto_archive_duration: 60 })];
  bot.clock.advance(40 * 60_000);
  await inThread(busy).send("still here");
  bot.clock.advance(30 * 60_000);
  const archived = () =>
    bot.sandbox
      .threads()
      .filter((one) => one.thread_metadata?.archived)
      .map(({ id }) => id);
  expect(archived()).toEqual([quiet]);
  bot.clock.advance(40 * 60_000);
  expect(archived()).toEqual([quiet, busy]);
});

test("a locked thread is written in by who manages threads, and by nobody else", async () => {
  const id = await start();
  const { id: other, token } = bot.sandbox.addUser("member");
  await inThread(id).lock();
  await expect(bot.sandbox.channel(id).user(other).send("let me in")).rejects.toMatchObject({ code: 160005 });
  await inThread(id).archive();
  expect((await bot.rest("PATCH", `/channels/${id}`, { archived: false }, { token })).code).toBe(160005);
  expect((await bot.rest("POST", `/channels/${id}/messages`, { content: "I may" })).status).toBe(200);
});

test("a thread that is deleted is told, and its message loses the mark", async () => {
  const message = await owner.send("let us talk");
  await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages/${message.id}/threads`, { name: "talk" });
  expect((await bot.rest("DELETE", `/channels/${message.id}`)).status).toBe(200);
  expect((await bot.gateway.event("THREAD_DELETE")).d).toEqual({
    id: message.id,
    guild_id: bot.sandbox.guildId,
    parent_id: bot.sandbox.channelId,
    type: 11,
  });
  expect(bot.sandbox.message(message.id)).toMatchObject({ flags: 0 });
  expect((await bot.rest("GET", `/channels/${message.id}`)).code).toBe(10003);
});

test("a bot that comes later is told of the active threads it can see", async () => {
  const open = await start({ name: "open" });
  const put = await start({ name: "put away" });
  await inThread(put).archive();
  const later = new BareGateway(`${bot.sandbox.url.replace("http", "ws")}/?v=10&encoding=json`);
  await later.identify(bot.sandbox.addUser("second", { bot: true }).token, intents);
  const { d } = await later.event("GUILD_CREATE");
  later.cut();
  expect((d["threads"] as { id: string }[]).map(({ id }) => id)).toEqual([open]);
});

describe("sight of a channel", () => {
  test("that is lost and won back comes with its threads", async () => {
    const id = await start();
    const { sandbox } = bot;
    const hide = { id: sandbox.guildId, type: 0 as const, allow: "0", deny: String(Bit.ViewChannel) };
    const hideBot = { id: sandbox.botId, type: 1 as const, allow: "0", deny: String(Bit.ViewChannel) };
    sandbox.setOverwrites(sandbox.channelId, [hide, hideBot]);
    expect((await bot.gateway.event("CHANNEL_DELETE")).d).toMatchObject({ id: sandbox.channelId });
    expect((await bot.rest("GET", `/channels/${sandbox.channelId}/messages`)).code).toBe(50001);
    expect((await bot.rest("GET", `/channels/${id}`)).code).toBe(50001);
    await inThread(id).send("behind your back");
    sandbox.setOverwrites(sandbox.channelId, []);
    expect((await bot.gateway.event("THREAD_LIST_SYNC")).d).toMatchObject({
      channel_ids: [sandbox.channelId],
      threads: [{ id }],
      members: [{ id, user_id: sandbox.botId }],
    });
    expect(bot.gateway.heard.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d["content"])).not.toContain(
      "behind your back",
    );
  });

  test("a permission taken away is missed at once", async () => {
    const id = await start();
    bot.sandbox.setEveryonePermissions(Bit.ViewChannel);
    bot.sandbox.setBotPermissions(Bit.ViewChannel | Bit.SendMessages);
    expect((await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, { content: "x" })).status).toBe(200);
    expect((await bot.rest("POST", `/channels/${id}/messages`, { content: "x" })).code).toBe(50013);
    expect(
      (await bot.rest("POST", `/channels/${bot.sandbox.channelId}/messages`, { embeds: [{ title: "x" }] })).code,
    ).toBe(50013);
  });
});
