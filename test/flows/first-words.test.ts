/**
 * Where a session starts: with what its owner writes in his channel, in another one, or in a thread that he has made,
 * before he presses anything.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalOf } from "./journal.ts";
import { openAsker } from "./mcp/asker.ts";
import { descriptionOf, recorded, withButton } from "./workshop.ts";
import { answered, appears, inFolder, openWorld, type Daemon, type World } from "./world.ts";

const OPEN = "Open a session here";

/** A daemon whose owner has a channel of his own: #general. */
async function openChannel(options: Parameters<typeof openWorld>[0] = {}): Promise<{
  world: World;
  daemon: Daemon;
  channel: string;
  start(): Daemon;
}> {
  const world = await openWorld({ unlimited: true, ...options });
  const channel = world.sandbox.channelId;
  const start = (): Daemon => world.daemon({ env: { DISCORD_CHANNEL_ID: channel } });
  const daemon = start();
  await daemon.ready;
  await world.saying(channel, (said) => said.some(({ embeds }) => embeds[0]?.title === "Bellhop is ready"));
  return { world, daemon, channel, start };
}

/** The reply that offers a session. */
function offer(world: World, channel: string, messageId: string): Promise<{ id: string }> {
  return world.saying(channel, (said) =>
    withButton(
      said.filter(({ message_reference }) => message_reference?.message_id === messageId),
      "s-on",
    ),
  );
}

/** Resolves when the inbox has just these messages. */
async function inInbox(world: World, ...ids: string[]): Promise<void> {
  const file = join(world.home, ".claude", "discord_inbox.json");
  await appears(file);
  await inFolder(join(file, ".."), () => {
    const { messages } = JSON.parse(readFileSync(file, "utf8")) as { messages: { message_id: string }[] };
    return messages.map(({ message_id }) => message_id).join() === ids.join();
  });
}

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

test("what is written in the owner's channel becomes a session's first prompt, in a thread on the message", async () => {
  const { world, channel } = await openChannel();
  const owner = world.owner(channel);
  const log = { name: "log.txt", bytes: Buffer.from("E: 7") };
  const written = await owner.upload([log], "count:first words");
  const { id } = await offer(world, channel, written.id);
  await inInbox(world, written.id);

  // Twice, as on a phone that is slow to show anything.
  const presses = [await owner.clickButton(id, OPEN), await owner.clickButton(id, OPEN)];
  for (const press of presses) await press.acknowledged();
  await answered(world, written.id, ["did first words"]);
  await world.marked(written.id, "✅");
  expect(world.sandbox.reactions(written.id)["📥"]).toBeUndefined();
  expect(prompts(world)).toHaveLength(1);
  expect(prompts(world)[0]).toMatch(/^count:first words\n\n\[Files .*\]\n- \S+log\.txt$/s);
  await inInbox(world);
  const opened = await world.saying(channel, (said) =>
    said.find((message) => message.id === id && (message.components?.length ?? 0) === 0),
  );
  expect(descriptionOf(opened)).toBe(`Opened in **app**: <#${written.id}>`);
  await world.sandbox.until(({ threads }) => threads().some(({ name }) => name === "count:first words"));

  await world.owner(written.id).send("count:second");
  await answered(world, written.id, ["did first words", "did second"]);
});

test("its edit and its deletion count as long as it waits, and a reply brings what it replies to", async () => {
  const { world, channel } = await openChannel({ config: { limits: { global_max_running: 1 } } });
  const owner = world.owner(channel);
  const busy = await owner.send("hang: a while");
  await (await owner.clickButton((await offer(world, channel, busy.id)).id, OPEN)).acknowledged();
  await world.started(busy.id);

  const first = await owner.send("count:firts", { replyTo: busy.id });
  const second = await owner.send("count:never");
  for (const { id } of [first, second]) {
    await (await owner.clickButton((await offer(world, channel, id)).id, OPEN)).acknowledged();
    await world.marked(id, "⏳");
  }
  await owner.edit(first.id, "count:first");
  await world.marked(first.id, "✏️");
  await owner.delete(second.id);
  await (await world.owner(busy.id).slash("cancel", {})).answer();
  await answered(world, first.id, ["did first"]);
  expect(prompts(world).filter((prompt) => prompt.includes("never"))).toEqual([]);
  expect(prompts(world).at(-1)).toMatch(/replies to the message .*\nhang: a while\n.*\n\ncount:first$/s);
});

test("what was written while the daemon was away is offered too, and a press is not lost with the daemon", async () => {
  const { world, daemon, channel, start } = await openChannel();
  const owner = world.owner(channel);
  await daemon.kill("SIGKILL");
  const written = await owner.send("count:away");
  const second = start();
  await second.ready;
  const { id } = await offer(world, channel, written.id);
  await owner.clickButton(id, OPEN);
  await recorded(world, ({ type }) => type === "SessionRequested");
  await second.kill("SIGKILL");
  await start().ready;
  await answered(world, written.id, ["did away"]);
  expect(prompts(world)).toEqual(["count:away"]);
});

test("two taps on the welcome's button open one session", async () => {
  const { world, channel } = await openChannel();
  const owner = world.owner(channel);
  const welcome = await world.saying(channel, (said) => withButton(said, "s-open"));
  await Promise.all([1, 2].map(() => owner.clickButton(welcome.id, "Open a session here")));
  const answers = (): unknown[] =>
    world.sandbox.requests.filter(({ method, path }) => method === "POST" && path.includes("/webhooks/"));
  await world.sandbox.until(() => answers().length === 2);
  expect(journalOf(world).filter(({ type }) => type === "SessionRequested")).toHaveLength(1);
});

test("an offer goes with its message; a stranger gets none", async () => {
  const { world, channel } = await openChannel();
  const owner = world.owner(channel);
  const taken = await owner.send("count:oops");
  const { id } = await offer(world, channel, taken.id);
  await owner.delete(taken.id);
  await world.sandbox.until(({ messages }) => !messages(channel).some((message) => message.id === id));

  const stranger = world.sandbox.channel(channel).user(world.sandbox.addUser("mallory").id);
  const foreign = await stranger.send("count:mine");
  const mine = await owner.send("count:mine");
  await offer(world, channel, mine.id);
  expect(world.said(channel).filter(({ message_reference: to }) => to?.message_id === foreign.id)).toEqual([]);
});

test("where an agent reads the inbox, only a mention of the bot is offered a session, and the welcome says so", async () => {
  const { world, channel } = await openChannel();
  const owner = world.owner(channel);
  const once = await owner.send("count:once");
  const before = await offer(world, channel, once.id);
  const agent = await openAsker(world);
  await agent.readInbox();
  await world.saying(channel, (said) =>
    said.some(({ embeds }) => embeds[0]?.description?.includes("goes to the inbox that your agents read")),
  );
  await world.saying(channel, (said) =>
    descriptionOf(said.find(({ id }) => id === before.id)).startsWith("An agent has read this message."),
  );
  const note = await owner.send("for the agent");
  await world.marked(note.id, "📥");
  const meant = await owner.send(`<@${world.sandbox.botId}> count:now`);
  const { id } = await offer(world, channel, meant.id);
  expect(world.said(channel).filter(({ message_reference: to }) => to?.message_id === note.id)).toEqual([]);
  await (await owner.clickButton(id, OPEN)).acknowledged();
  await answered(world, meant.id, ["did now"]);
  await inInbox(world, once.id, note.id);
});

test("a thread that the owner makes in his channel is a session by a button or by a mention, with what it stands on", async () => {
  const { world, channel } = await openChannel();
  const owner = world.owner(channel);
  const idea = await owner.createThread("an idea");
  const here = world.owner(idea.id);
  const first = await here.send("count:one");
  const { id } = await offer(world, idea.id, first.id);
  await here.send("count:two");
  await (await here.clickButton(id, OPEN)).acknowledged();
  await answered(world, idea.id, ["did one", "did two"]);
  expect(descriptionOf(world.said(idea.id).find((message) => message.id === id))).toContain("Opened in **app**");

  const failed = await world.sandbox.channel(channel).user(world.sandbox.addUser("ci").id).send("build 7 failed");
  const thread = await world.sandbox
    .channel(channel)
    .user(world.sandbox.owner.id)
    .createThread("build", { messageId: failed.id });
  await world.owner(thread.id).send(`<@${world.sandbox.botId}> count:build`);
  await answered(world, thread.id, ["did build"]);
  expect(prompts(world).at(-1)).toContain("build 7 failed");
});

test("without a project the offer says how to add one, and has its button once there is one", async () => {
  const { world, channel } = await openChannel({ config: { projects: {} } });
  const written = await world.owner(channel).send("count:late");
  await world.saying(channel, (said) => said.some((message) => descriptionOf(message).includes("there is no project")));
  await (
    await world.owner(channel).slash("project create", { name: "app", path: world.project, tools_csv: "claude" })
  ).answer();
  const { id } = await offer(world, channel, written.id);
  await (await world.owner(channel).clickButton(id, OPEN)).acknowledged();
  await answered(world, written.id, ["did late"]);
});
