/** What agents say through the built daemon: by its level, once, whole, and nothing in it that pings. */
import { expect, test } from "vitest";
import type { BellhopError } from "../../../src/base/errors.ts";
import { say } from "../../../src/base/words/say.ts";
import { openWorld } from "../world.ts";
import { openAsker } from "./asker.ts";

test("a notice is an embed by its level, said once however often it is repeated, in the channel or the thread it names", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const { sandbox } = world;
  const agent = await openAsker(world);
  const thread = await world.owner(sandbox.channelId).createThread("progress");
  const first = await agent.notify({
    message: "Halfway @everyone, see [here](https://evil.example)",
    level: "warning",
    request_id: "first-notice",
  });
  expect(
    await agent.notify({
      message: "Halfway @everyone, see [here](https://evil.example)",
      level: "warning",
      request_id: "first-notice",
    }),
  ).toEqual(first);
  const second = await agent.notify({
    message: "done",
    level: "success",
    thread_id: thread.id,
    request_id: "second-notice",
  });
  expect([first.thread_id, second.thread_id]).toEqual([null, thread.id]);
  const said = world.said(sandbox.channelId).filter(({ id }) => id === first.message_id);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatchObject({
    content: "",
    mention_everyone: false,
    embeds: [{ title: "⚠️ app", color: 0xd69a2d }],
  });
  expect(said[0]?.embeds[0]?.description).toContain("Halfway");
  expect(said[0]?.embeds[0]?.description).not.toMatch(/\]\(https/);
  expect(world.said(thread.id).map(({ embeds }) => [embeds[0]?.title, embeds[0]?.description])).toEqual([
    ["✅ app", "done"],
  ]);
  expect(world.said(sandbox.channelId).filter(({ embeds }) => embeds[0]?.title === "⚠️ app")).toHaveLength(1);
  await expect(agent.notify({ message: "?", thread_id: "100000000000000001" })).rejects.toMatchObject({
    code: "E_THREAD_ACCESS_FAILED",
  });
});

test('after five times "slow down" the agent hears that its notice was not sent, and sent again it stands once', async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const limit = world.sandbox.faults.rateLimit({
    method: "POST",
    path: `/channels/${world.sandbox.channelId}/messages`,
    retryAfter: 0.1,
    times: 5,
  });
  const refusal: unknown = await agent.notify({ message: "half of it is done" }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: "E_DISCORD_RATE_LIMIT" });
  const { code, details } = refusal as BellhopError;
  expect(say("en", code, details)).toBe(
    "Discord kept asking Bellhop to slow down, so this message was not sent, and it will not be sent later. Send it again in a few minutes.",
  );
  expect(limit.hits).toBe(5);
  expect(world.said(world.sandbox.channelId)).toEqual([]);
  const { message_id } = await agent.notify({ message: "half of it is done", request_id: "request-0002" });
  expect(world.said(world.sandbox.channelId).map(({ id }) => id)).toEqual([message_id]);
});

test("a report has its title, its summary and its points; one too long for a message comes whole as a file", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world, { PROJECT_NAME: "my-project" });
  const short = await agent.report({
    title: "Migration *done*",
    summary: "All tables are moved.",
    details: ["12 tables", "0 errors"],
    request_id: "short-report",
  });
  const long = await agent.report({
    title: "Everything",
    summary: "s".repeat(3_000),
    details: Array.from({ length: 300 }, (_, at) => `point ${at}`),
    request_id: "long-report",
  });
  const message = (id: string) => world.said(world.sandbox.channelId).find((one) => one.id === id);
  expect(message(short.message_id)?.embeds[0]).toMatchObject({
    title: "📋 Migration \\*done\\*",
    description: "All tables are moved.\n\n- 12 tables\n- 0 errors",
    footer: { text: "my-project" },
  });
  const { attachments = [], embeds = [] } = message(long.message_id) ?? {};
  expect(attachments.map(({ filename }) => filename)).toEqual(["report.md"]);
  expect(embeds[0]?.description?.length).toBeLessThanOrEqual(4_096);
  const file = await (await fetch(attachments[0]?.url ?? "")).text();
  expect(file).toContain(`${"s".repeat(3_000)}\n\n- point 0\n`);
  expect(file).toContain("- point 299");
});

test("a bot token that an agent says is taken out", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  await agent.notify({ message: `it is ${world.sandbox.botToken}` });
  expect(JSON.stringify(world.said(world.sandbox.channelId))).not.toContain(world.sandbox.botToken);
});

test("with a token and a channel alone it is the application's owner who is obeyed, in the channel's guild, and the log says so", async () => {
  const world = await openWorld({ agent: "none", config: { owner_id: undefined } });
  const { sandbox } = world;
  await world.daemon({ env: { DISCORD_OWNER_ID: "", DISCORD_GUILD_ID: "", DISCORD_CHANNEL_ID: sandbox.channelId } })
    .ready;
  const agent = await openAsker(world);
  const asked = agent.ask({ question: "Who says so?" });
  const thread = await sandbox.until(({ threads }) => threads().find(({ name }) => name === "Who says so?")?.id);
  await sandbox.until(({ messages }) => messages(thread).some(({ author }) => author.id === sandbox.botId));
  const stranger = sandbox.addUser("mallory", { admin: true });
  await sandbox.channel(thread).user(stranger.id).send("I do, I am an administrator");
  await world.owner(thread).send("I do, it is my application");
  expect(await asked).toMatchObject({ answer: "I do, it is my application" });
});
