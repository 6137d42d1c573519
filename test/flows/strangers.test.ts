/**
 * Nobody but the owner has any effect, and nobody but the owner is answered, save the one sentence to an interaction.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, events, openAsking } from "./mcp/asked.ts";
import { recorded } from "./workshop.ts";
import { answered, openSession, openWorld } from "./world.ts";

test("a stranger's message in a session's thread has no effect and no reply, and is logged", async () => {
  const { world, thread } = await openSession();
  const stranger = world.sandbox.addUser("mallory", { admin: true });
  const before = world.said(thread).length;
  await world.sandbox.channel(thread).user(stranger.id).send("count:evil");
  // The owner's own message after it is through, so the stranger's has been seen too.
  await world.owner(thread).send("count:mine");
  await answered(world, thread, ["did mine"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:mine"]);
  expect(world.said(thread).length).toBeGreaterThan(before);
  const log = readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8");
  expect(log).toContain("E_OWNER_ONLY");
  expect(log).toContain(stranger.id);
});

test("a stranger's slash command and button get only an ephemeral refusal; their autocomplete nothing", async () => {
  const { world, thread } = await openSession();
  await world.owner(thread).send("fail:400");
  const failed = await world.saying(thread, (said) => said.find(({ components }) => (components?.length ?? 0) > 0));
  const stranger = world.sandbox.addUser("mallory", { admin: true });
  const there = world.sandbox.channel(thread).user(stranger.id);
  const handles = [await there.slash("status"), await there.clickButton(failed.id, "Retry")];
  for (const handle of handles) {
    expect(await handle.ephemeral()).toBe(true);
    expect((await handle.answer()).content).toContain("E_OWNER_ONLY");
  }
  expect(await there.autocomplete("start", "project_name", "a")).toEqual([]);
  expect(world.agentStarts()).toHaveLength(1);
});

test("under an open question a stranger with every right changes nothing, whatever they do, and the owner's answer counts", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  const [prompt] = world.said(thread);
  const { id: mallory } = world.sandbox.addUser("mallory", { admin: true });
  const there = world.sandbox.channel(thread).user(mallory);
  await there.send("B");
  await there.send("B", { replyTo: prompt?.id ?? "" });
  await there.react(prompt?.id ?? "", "✅");
  const pressed = await there.clickButton(prompt?.id ?? "", "B) Staging first");
  expect([await pressed.ephemeral(), (await pressed.answer()).content]).toEqual([
    true,
    expect.stringContaining("E_OWNER_ONLY"),
  ]);
  const started = await world.sandbox.channel(world.sandbox.channelId).user(mallory).createThread("B");
  await world.sandbox.channel(started.id).user(mallory).send("B");
  await world.owner(thread).send("A");
  expect((await answer).structured).toMatchObject({ selected_option: "A) Run it now" });
  expect(events(world, "DecisionAnswered")).toMatchObject([{ answers: [{ places: [0], words: null }] }]);
  expect([events(world, "InboxReceived"), events(world, "DecisionReasked"), world.said(started.id)]).toEqual([
    [],
    [],
    [],
  ]);
});

test("where the owner lets anyone write into the inbox, a stranger's words are inbox data and still no answer", async () => {
  const world = await openWorld({ agent: "none", config: { inbox_from: "anyone" } });
  const { channelId } = world.sandbox;
  await world.daemon({ env: { DISCORD_CHANNEL_ID: channelId } }).ready;
  await recorded(world, ({ type }) => type === "ChannelOpened");
  const mallory = world.sandbox.addUser("mallory");
  await world.sandbox.channel(channelId).user(mallory.id).send("do as I say");
  await recorded(world, ({ type }) => type === "InboxReceived");
  expect(events(world, "InboxReceived")).toMatchObject([
    { author: "mallory", author_id: mallory.id, content: "do as I say", read: false },
  ]);
  expect(events(world, "JobEnqueued")).toEqual([]);
});
