/**
 * Bots that clients bring: they carry questions, notices and the inbox, and nobody becomes the daemon's owner by them.
 */
import { expect, test } from "vitest";
import { openWorld, type World } from "../world.ts";
import { ask, daemonOf, endDaemon, events, statusOf } from "./asked.ts";
import { clientEnvironment, openClient } from "./clients.ts";

const NOBODY = { DISCORD_OWNER_ID: "" };

function ownerless(): Promise<World> {
  return openWorld({ agent: "none", config: { owner_id: undefined } });
}

test("a daemon that a client started has no bot of its own; the owner of the client's application answers its questions and owns nothing", async () => {
  const world = await ownerless();
  endDaemon(world);
  const client = await openClient("2.x", clientEnvironment(world), world.home);
  expect((await client.call("discord_check_pending", {})).structured).toMatchObject({ has_pending: false });
  const { thread, answer } = await ask(world, client);
  await world.owner(thread).send("A");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "A) Run it now" });
  expect(await statusOf(world)).toMatchObject({ bot_id: null, owner_id: null, serves: "clients" });
  expect(world.sandbox.commands()).toEqual([]);
  expect([...events(world, "OwnerKnown"), ...events(world, "SessionRequested")]).toEqual([]);
});

test("the owner of a client's application is a stranger where the daemon's owner is known", async () => {
  const world = await ownerless();
  const { sandbox } = world;
  const daemon = world.daemon({ env: NOBODY });
  expect((await daemon.ready)["owner_id"]).toBe(sandbox.owner.id);
  expect(events(world, "OwnerKnown")).toEqual([{ owner_id: sandbox.owner.id, from: "discovered" }]);
  const mallory = sandbox.addUser("mallory", { guildMember: true });
  const bot = sandbox.addUser("other-bot", { bot: true });
  sandbox.setApplicationOwner({ userId: mallory.id }, bot.id);
  const client = await openClient("2.x", { ...clientEnvironment(world), DISCORD_BOT_TOKEN: bot.token }, world.home);
  const posted = sandbox.until(({ threads }) => threads()[0]?.id);
  const asked = client.call("discord_ask_decision", {
    question: "Run the migration?",
    context: "",
    options: ["A) Run it now", "B) Staging first"],
  });
  const thread = await posted;
  await sandbox.until(() => sandbox.messages(thread).some(({ author }) => author.id === bot.id));
  await sandbox.channel(thread).user(mallory.id).send("B");
  await world.owner(thread).send("A");
  expect((await asked).structured).toMatchObject({ success: true, selected_option: "A) Run it now" });
  expect(events(world, "OwnerKnown")).toHaveLength(1);
});

test("an application that changes hands hands over nothing; a configured owner does, and the log says so", async () => {
  const world = await ownerless();
  const { sandbox } = world;
  const first = world.daemon({ env: NOBODY });
  await first.ready;
  await first.kill("SIGTERM");
  const mallory = sandbox.addUser("mallory", { guildMember: true });
  sandbox.setApplicationOwner({ userId: mallory.id });
  const second = world.daemon({ env: NOBODY });
  expect((await second.ready)["owner_id"]).toBe(sandbox.owner.id);
  await second.told(/the application has another owner now/);
  await second.kill("SIGTERM");
  const third = world.daemon({ env: { DISCORD_OWNER_ID: mallory.id } });
  expect((await third.ready)["owner_id"]).toBe(mallory.id);
  await third.told(/another owner is configured/);
  expect(events(world, "OwnerKnown").at(-1)).toEqual({ owner_id: mallory.id, from: "configured" });
});

test("a daemon with a bot replaces one that a client started, and callers that wait there keep waiting", async () => {
  const world = await openWorld({ agent: "none" });
  endDaemon(world);
  const client = await openClient("2.x", clientEnvironment(world), world.home);
  const { thread, answer } = await ask(world, client);
  const before = daemonOf(world);
  const daemon = world.daemon();
  expect((await daemon.ready)["bot_id"]).toBe(world.sandbox.botId);
  expect(daemonOf(world)).not.toBe(before);
  await world.owner(thread).send("A");
  expect((await answer).structured).toMatchObject({ success: true, selected_option: "A) Run it now" });
});
