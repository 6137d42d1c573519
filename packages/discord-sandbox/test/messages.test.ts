/** Messages in the sandbox: stored, listed, edited, repeated, replied to and taken out as Discord does. */
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import type { UserActor } from "../src/discord-sandbox.ts";
import { openBot, type Bot } from "./bot.ts";

let bot: Bot;
let owner: UserActor;
let path: string;
beforeEach(async () => {
  bot = await openBot();
  owner = bot.sandbox.channel(bot.sandbox.channelId).user(bot.sandbox.owner.id);
  path = `/channels/${bot.sandbox.channelId}/messages`;
});

const post = async (body: Record<string, unknown>): Promise<Record<string, unknown>> =>
  (await bot.rest("POST", path, body)).body;
const contents = (): string[] => bot.sandbox.messages(bot.sandbox.channelId).map(({ content }) => content);

describe("a nonce", () => {
  const once = { content: "once", nonce: "n-1", enforce_nonce: true };

  test("used again within minutes gives the first message, whatever else is said", async () => {
    const first = await post(once);
    const again = await post({ ...once, content: "other" });
    expect(again["id"]).toBe(first["id"]);
    expect(contents()).toEqual(["once"]);
  });

  test("used again much later is a new message", async () => {
    await post(once);
    bot.clock.advance(6 * 60_000);
    await post(once);
    expect(contents()).toEqual(["once", "once"]);
  });

  test("that is not enforced prevents nothing", async () => {
    await post({ content: "a", nonce: "n-1" });
    await post({ content: "b", nonce: "n-1" });
    expect(contents()).toEqual(["a", "b"]);
  });

  test("is the author's own: another may use the same", async () => {
    await post(once);
    await owner.send("mine", { nonce: "n-1" });
    expect(contents()).toEqual(["once", "mine"]);
  });

  test("of a message that was deleted since is refused as unknown", async () => {
    const first = await post(once);
    await bot.rest("DELETE", `${path}/${String(first["id"])}`);
    expect(await post(once)).toMatchObject({ code: 10008 });
    expect(contents()).toEqual([]);
  });

  test("is in the answer and in the event, and nowhere later", async () => {
    const sent = await post(once);
    expect(sent["nonce"]).toBe("n-1");
    expect((await bot.gateway.event("MESSAGE_CREATE")).d["nonce"]).toBe("n-1");
    expect((await bot.rest("GET", `${path}/${String(sent["id"])}`)).body).not.toHaveProperty("nonce");
  });

  test("holds for uploads too: the file is not stored twice", async () => {
    const files = [{ name: "a.txt", bytes: "a" }];
    const first = (await bot.rest("POST", path, once, { files })).body;
    const again = (await bot.rest("POST", path, once, { files })).body;
    expect(again["id"]).toBe(first["id"]);
    expect(bot.sandbox.messages(bot.sandbox.channelId)[0]?.attachments).toHaveLength(1);
  });
});

test("a list is any window over the channel, newest first", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 30; n += 1) ids.push(String((await post({ content: String(n) }))["id"]));
  const window = async (query: string): Promise<number[]> => {
    const { body } = await bot.rest("GET", `${path}?${query}`);
    return (body as unknown as { content: string }[]).map(({ content }) => Number(content));
  };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 29 }), fc.integer({ min: 1, max: 35 }), async (at, limit) => {
      const all = ids.map((_, index) => index);
      expect(await window(`limit=${limit}&before=${ids[at]}`)).toEqual(all.slice(0, at).slice(-limit).toReversed());
      expect(await window(`limit=${limit}&after=${ids[at]}`)).toEqual(all.slice(at + 1, at + 1 + limit).toReversed());
      const around = await window(`limit=${limit}&around=${ids[at]}`);
      expect(around).toContain(at);
      expect(around.length).toBeLessThanOrEqual(limit);
      expect(around).toEqual(around.toSorted((a, b) => b - a));
    }),
    { numRuns: 25 },
  );
  expect(await window("limit=100")).toEqual(ids.map((_, index) => 29 - index));
});

describe("a reply", () => {
  test("points at its message, carries it along and mentions its author", async () => {
    const question = await owner.send("who?");
    const reply = await post({ content: "me", message_reference: { message_id: question.id } });
    expect(reply).toMatchObject({
      type: 19,
      message_reference: { message_id: question.id, type: 0 },
      referenced_message: { content: "who?" },
      mentions: [{ id: bot.sandbox.owner.id }],
    });
  });

  test("mentions nobody where that is asked for", async () => {
    const question = await owner.send("who?");
    const reply = await post({
      content: "me",
      message_reference: { message_id: question.id },
      allowed_mentions: { parse: [] },
    });
    expect(reply["mentions"]).toEqual([]);
  });

  test("to what is gone is refused, or sent as a plain message where that is allowed", async () => {
    const reference = { message_id: "1" };
    expect(await post({ content: "me", message_reference: reference })).toMatchObject({
      code: 50035,
      errors: { message_reference: { _errors: [{ code: "REPLIES_UNKNOWN_MESSAGE" }] } },
    });
    expect(await post({ content: "me", message_reference: { ...reference, fail_if_not_exists: false } })).toMatchObject(
      { type: 0 },
    );
  });

  test("keeps its place when the message it points at is deleted", async () => {
    const question = await owner.send("who?");
    const reply = await post({ content: "me", message_reference: { message_id: question.id } });
    await owner.delete(question.id);
    expect((await bot.rest("GET", `${path}/${String(reply["id"])}`)).body["referenced_message"]).toBeNull();
  });
});

describe("an edit", () => {
  test("changes what it names and leaves the rest", async () => {
    const sent = await post({
      content: "text",
      embeds: [{ title: "T" }],
      components: [{ type: 1, components: [{ type: 2, style: 1, label: "x", custom_id: "x" }] }],
    });
    const { body } = await bot.rest("PATCH", `${path}/${String(sent["id"])}`, { components: [] });
    expect(body).toMatchObject({ content: "text", embeds: [{ title: "T" }], components: [] });
    const { d } = await bot.gateway.event("MESSAGE_UPDATE");
    expect(d).toMatchObject({ id: sent["id"], content: "text", components: [] });
  });

  test("keeps the files it lists, drops the others and adds new ones", async () => {
    const files = ["a", "b"].map((name) => ({ name: `${name}.txt`, bytes: name }));
    const sent = (await bot.rest("POST", path, { content: "files" }, { files })).body;
    const [, second] = sent["attachments"] as { id: string; url: string }[];
    const body = { attachments: [{ id: second?.id }, { id: "0", description: "new" }] };
    const edited = await bot.rest("PATCH", `${path}/${String(sent["id"])}`, body, {
      files: [{ name: "c.txt", bytes: "c" }],
    });
    expect(edited.body["attachments"]).toMatchObject([
      { filename: "b.txt" },
      { filename: "c.txt", description: "new" },
    ]);
  });

  test("of another's message is refused", async () => {
    const theirs = await owner.send("mine");
    expect((await bot.rest("PATCH", `${path}/${theirs.id}`, { content: "yours" })).code).toBe(50005);
  });
});

describe("a file", () => {
  const upload = async (): Promise<URL> => {
    const sent = (await bot.rest("POST", path, {}, { files: [{ name: "an image?.html", bytes: "<script>" }] })).body;
    return new URL((sent["attachments"] as { url: string }[])[0]?.url ?? "");
  };

  test("is served by its signed link, and never as a page of ours", async () => {
    const response = await fetch(await upload());
    expect(await response.text()).toBe("<script>");
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
  });

  test("is not served under a link that was changed or has expired", async () => {
    const link = await upload();
    const longer = new URL(link);
    longer.searchParams.set("ex", "ffffffff");
    expect((await fetch(longer)).status).toBe(404);
    bot.clock.advance(25 * 60 * 60_000);
    expect((await fetch(link)).status).toBe(404);
  });

  test("is gone with its message", async () => {
    const link = await upload();
    const [message] = bot.sandbox.messages(bot.sandbox.channelId);
    await bot.rest("DELETE", `${path}/${message?.id ?? ""}`);
    expect((await fetch(link)).status).toBe(404);
  });
});

test("ids written as numbers, as discord.py writes them, are the same ids to the last digit", async () => {
  const { id } = await owner.send("first");
  const answer = await bot.rest(
    "POST",
    path,
    `{"content": "second", "message_reference": {"message_id": ${id}, "channel_id": ${bot.sandbox.channelId}}}`,
  );
  expect(answer.body).toMatchObject({
    content: "second",
    message_reference: { message_id: id, channel_id: bot.sandbox.channelId },
  });
  const upload = await bot.rest(
    "POST",
    path,
    { attachments: [{ id: 0, filename: "b.txt" }] },
    { files: [{ name: "a.txt", bytes: "x" }] },
  );
  expect(upload.body).toMatchObject({ attachments: [{ filename: "b.txt" }] });
});

test("a file keeps only ASCII of its name, and has the rest as its title", async () => {
  const bytes = Buffer.from("x");
  const { attachments } = await owner.upload([
    { name: "견적서.pdf", bytes },
    { name: "Test测试.png", bytes },
    { name: "plain (1).txt", bytes },
  ]);
  expect(attachments).toMatchObject([
    { filename: expect.stringMatching(/^[0-9a-f]{16}\.pdf$/), title: "견적서" },
    { filename: "Test.png", title: "Test测试" },
    { filename: "plain_1_.txt" },
  ]);
  expect(attachments[2]).not.toHaveProperty("title");
});

test("white space around a text is cut off, and a text of nothing else is empty", async () => {
  expect(await post({ content: "  hello\n" })).toMatchObject({ content: "hello" });
  expect(await post({ content: " \n " })).toMatchObject({ code: 50006 });
});

test("a person's mention of the bot, of everyone and of nobody is told apart", async () => {
  const hi = await owner.send(`<@${bot.sandbox.botId}> and @everyone`);
  expect(hi).toMatchObject({ mention_everyone: true, mentions: [{ id: bot.sandbox.botId }] });
  expect(await post({ content: "@everyone" })).toMatchObject({ mention_everyone: false });
});

test("typing is received by the others, and not stored as a message", async () => {
  await owner.typing();
  expect((await bot.gateway.event("TYPING_START")).d).toMatchObject({
    user_id: bot.sandbox.owner.id,
    channel_id: bot.sandbox.channelId,
  });
  await bot.rest("POST", `/channels/${bot.sandbox.channelId}/typing`);
  expect(bot.sandbox.typing().map(({ userId }) => userId)).toEqual([bot.sandbox.owner.id, bot.sandbox.botId]);
  expect(contents()).toEqual([]);
});

test("a reaction is counted once for each person and told with its author", async () => {
  const sent = String((await post({ content: "vote" }))["id"]);
  await owner.react(sent, "👍");
  await owner.react(sent, "👍");
  await bot.rest("PUT", `${path}/${sent}/reactions/${encodeURIComponent("👍")}/@me`);
  expect(bot.sandbox.message(sent)?.reactions).toMatchObject([{ emoji: { id: null, name: "👍" }, count: 2 }]);
  expect((await bot.gateway.event("MESSAGE_REACTION_ADD")).d).toMatchObject({
    user_id: bot.sandbox.owner.id,
    message_author_id: bot.sandbox.botId,
  });
  await owner.unreact(sent, "👍");
  expect(bot.sandbox.reactions(sent)).toEqual({ "👍": [bot.sandbox.botId] });
});
