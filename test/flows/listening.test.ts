/**
 * Answers and messages outside of sessions, through the built daemon and Discord: in direct messages, from while we
 * were down, and by requests alone while the gateway is away. Each has its effect, once.
 */
import { expect, test } from "vitest";
import { ask, events, openAsking } from "./mcp/asked.ts";
import { clientEnvironment, openClient } from "./mcp/clients.ts";
import { recorded } from "./workshop.ts";
import { answered, openWorld, type World } from "./world.ts";

const ANSWERED = { success: true, answer: "B) Staging first", selected_option: "B) Staging first" };

/** Direct messages with the bot, opened by a person. */
async function directOf({ sandbox }: World, token = sandbox.owner.token): Promise<string> {
  const body = JSON.stringify({ recipient_id: sandbox.botId });
  const response = await fetch(`${sandbox.api}/v10/users/@me/channels`, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/json" },
    body,
  });
  return ((await response.json()) as { id: string }).id;
}

test("a question is answered in direct messages, and the message says that it counted", async () => {
  const { world, client } = await openAsking();
  const { thread, answer } = await ask(world, client);
  const direct = await directOf(world);
  const { id } = await world.owner(direct).send("b");
  expect((await answer).structured).toMatchObject({ ...ANSWERED, thread_id: thread });
  await world.marked(id, "✅");
});

test("an answer in direct messages, written while the daemon was down, is found when it is back, and only once", async () => {
  const { world, daemon, client } = await openAsking();
  const { answer } = await ask(world, client);
  const direct = await directOf(world);
  await daemon.kill("SIGKILL");
  await world.owner(direct).send("B로 해줘");
  const second = world.daemon();
  await second.ready;
  expect((await answer).structured).toMatchObject(ANSWERED);
  await recorded(world, ({ type }) => type === "AnswerDelivered");
  await second.kill("SIGKILL");
  await world.daemon().ready;
  await world.owner(direct).send("and now?");
  await world.saying(direct, (said) =>
    said.some(({ embeds }) => embeds[0]?.description?.includes("No open question matches") === true),
  );
  expect(events(world, "DecisionAnswered")).toHaveLength(1);
});

test("a stranger's direct message is heard by nobody and answered by nobody", async () => {
  const { world, client } = await openAsking();
  const { answer } = await ask(world, client);
  const mallory = world.sandbox.addUser("mallory", { admin: true });
  const theirs = await directOf(world, mallory.token);
  await world.sandbox.channel(theirs).user(mallory.id).send("B");
  // What the owner writes after it has been heard, so the stranger's was told before it.
  await world.owner(await directOf(world)).send("A");
  expect((await answer).structured).toMatchObject({ selected_option: "A) Run it now" });
  expect(world.said(theirs)).toEqual([]);
  expect(JSON.stringify(events(world, "ChannelOpened"))).not.toContain(theirs);
});

test("without a gateway everything is read by requests: answers, prompts and the inbox, each once, also when it is back", async () => {
  const world = await openWorld({ unlimited: true });
  const { channelId } = world.sandbox;
  await world.daemon({ env: { POLL_INTERVAL_SECONDS: "1", DISCORD_CHANNEL_ID: channelId } }).ready;
  const client = await openClient("2.x", clientEnvironment(world), world.home);
  const session = await world.session();
  const { thread, answer } = await ask(world, client);
  const shut = world.sandbox.faults.gateway({ kind: "no_upgrade" });
  world.sandbox.faults.gateway({ kind: "cut" });
  await world.sandbox.until(({ connections }) => !connections().some(({ isBot }) => isBot));
  await world.owner(thread).send("b");
  await world.owner(session).send("count:one");
  await world.owner(channelId).send("look at the logs");
  expect((await answer).structured).toMatchObject(ANSWERED);
  await answered(world, session, ["did one"]);
  await recorded(world, ({ type }) => type === "InboxReceived");
  shut.lift();
  await world.sandbox.until(({ connections }) => connections().some(({ isBot }) => isBot));
  await world.owner(session).send("count:two");
  await answered(world, session, ["did one", "did two"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:one", "count:two"]);
  expect([events(world, "DecisionAnswered").length, events(world, "InboxReceived").length]).toEqual([1, 1]);
});
