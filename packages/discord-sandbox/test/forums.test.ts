/** Forums in the sandbox: posts, their first messages, and their tags. */
import { beforeEach, describe, expect, test } from "vitest";
import type { UserActor } from "../src/discord-sandbox.ts";
import { botIn, openBot, type Bot } from "./bot.ts";

let bot: Bot;
let forum: string;
let tags: Record<string, string>;
const ownerIn = (id: string): UserActor => bot.sandbox.channel(id).user(bot.sandbox.owner.id);

beforeEach(async () => {
  bot = await openBot();
  forum = bot.sandbox.addChannel("ideas", { forum: { tags: ["waiting", "done"] } });
  const { available_tags } = bot.sandbox.channelObject(forum) as { available_tags: { id: string; name: string }[] };
  tags = Object.fromEntries(available_tags.map(({ id, name }) => [name, id]));
});

describe("a post", () => {
  test("of a bot's is a thread whose first message has its id and stands in it", async () => {
    const { status, body } = await bot.rest("POST", `/channels/${forum}/threads`, {
      name: "An idea",
      message: { content: "What if?" },
      applied_tags: [tags["done"]],
    });
    const id = String(body["id"]);
    expect(status).toBe(201);
    expect(body).toMatchObject({ type: 11, parent_id: forum, applied_tags: [tags["done"]], message: { id } });
    expect(bot.sandbox.messages(id)).toMatchObject([{ id, channel_id: id, type: 0, content: "What if?" }]);
    expect(bot.sandbox.messages(forum)).toEqual([]);
    expect(bot.sandbox.channelObject(forum)).toMatchObject({ type: 15, last_message_id: id });
    expect(bot.sandbox.channelObject(id)).toMatchObject({ message_count: 0, total_message_sent: 0 });
  });

  test("of a person's is told with its thread before its message, and to a bot that comes later", async () => {
    const { id } = await ownerIn(forum).createPost("An idea", "What if?", { tags: [tags["waiting"] ?? ""] });
    await bot.gateway.event("MESSAGE_CREATE");
    const told = bot.gateway.heard.filter(({ d }) => d?.["id"] === id).map(({ t }) => t);
    expect(told).toEqual(["THREAD_CREATE", "MESSAGE_CREATE"]);
    expect((await bot.gateway.event("THREAD_CREATE")).d).toMatchObject({
      newly_created: true,
      parent_id: forum,
      applied_tags: [tags["waiting"]],
    });
    const { gateway } = await botIn(bot.sandbox, bot.clock);
    const { channels, threads } = (await gateway.event("GUILD_CREATE")).d as Record<string, Record<string, unknown>[]>;
    expect(channels?.find((one) => one["id"] === forum)).toMatchObject({
      type: 15,
      available_tags: [{}, {}],
      flags: 0,
    });
    expect(threads).toMatchObject([{ id, applied_tags: [tags["waiting"]] }]);
  });

  test("may have files, and takes messages as any thread", async () => {
    const { id } = await ownerIn(forum).createPost("A log", "", {
      files: [{ name: "a.txt", bytes: Buffer.from("x") }],
    });
    await ownerIn(id).send("and this");
    expect(bot.sandbox.messages(id)).toMatchObject([{ attachments: [{ filename: "a.txt" }] }, { content: "and this" }]);
    expect(bot.sandbox.channelObject(id)).toMatchObject({ message_count: 1 });
  });
});

test("the tags of a post are replaced by its author and by who manages threads, and that is told", async () => {
  const { id } = await ownerIn(forum).createPost("An idea", "What if?", { tags: [tags["waiting"] ?? ""] });
  const { body } = await bot.rest("PATCH", `/channels/${id}`, { applied_tags: [tags["done"]] });
  expect(body).toMatchObject({ applied_tags: [tags["done"]] });
  expect((await bot.gateway.event("THREAD_UPDATE")).d).toMatchObject({ id, applied_tags: [tags["done"]] });
  await ownerIn(id).setTags([]);
  expect(bot.sandbox.channelObject(id)).toMatchObject({ applied_tags: [] });
});

test("a forum's tags are changed by who manages channels; a tag keeps its id", async () => {
  bot.sandbox.setBotPermissions(8n);
  const { body } = await bot.rest("PATCH", `/channels/${forum}`, {
    available_tags: [
      { id: tags["done"], name: "finished" },
      { name: "new", moderated: true },
    ],
    flags: 16,
  });
  expect(body).toMatchObject({
    flags: 16,
    available_tags: [
      { id: tags["done"], name: "finished", moderated: false },
      { name: "new", moderated: true },
    ],
  });
});
