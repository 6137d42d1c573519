/** What a guild's owner or the developer portal can take away from a bot that is connected, and give back. */
import { expect, test } from "vitest";
import { openBot } from "./bot.ts";

test("a bot that is put out is told that the guild is gone, can do nothing there, and is told of all of it when it is back", async () => {
  const bot = await openBot();
  const { sandbox } = bot;
  const back = sandbox.kick(sandbox.botId);
  expect((await bot.gateway.event("GUILD_DELETE")).d).toEqual({ id: sandbox.guildId });
  expect(await bot.rest("GET", `/channels/${sandbox.channelId}/messages`)).toMatchObject({
    status: 403,
    body: { code: 50001 },
  });
  await sandbox.channel(sandbox.channelId).user(sandbox.owner.id).send("unheard");
  back();
  const again = await bot.gateway.hear(({ t, s }) => t === "GUILD_CREATE" && (s ?? 0) > 2);
  expect(again.d).toMatchObject({ id: sandbox.guildId });
  expect((await bot.rest("GET", `/channels/${sandbox.channelId}/messages`)).body).toMatchObject([
    { content: "unheard" },
  ]);
  expect(bot.gateway.heard.some(({ t }) => t === "MESSAGE_CREATE")).toBe(false);
});

test("content switched off in the portal is blank from then on, and there again when it is switched on", async () => {
  const bot = await openBot();
  const { sandbox } = bot;
  const owner = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
  for (const messageContent of [false, true]) {
    sandbox.setIntents({ messageContent });
    const { id } = await owner.send("words");
    const heard = await bot.gateway.hear(({ t, d }) => t === "MESSAGE_CREATE" && d["id"] === id);
    expect(heard.d["content"]).toBe(messageContent ? "words" : "");
  }
});

test("a file that is not given out for once is given out after that", async () => {
  const bot = await openBot();
  const { sandbox } = bot;
  const owner = sandbox.channel(sandbox.channelId).user(sandbox.owner.id);
  const { attachments } = await owner.upload([{ name: "a.txt", bytes: Buffer.from("a") }]);
  const fault = sandbox.faults.fail({ path: "/attachments/", auth: "any", status: 404, times: 1 });
  const answers = [await fetch(attachments[0]?.url ?? ""), await fetch(attachments[0]?.url ?? "")];
  expect([answers.map(({ status }) => status), await answers[1]?.text(), fault.hits]).toEqual([[404, 200], "a", 1]);
});
