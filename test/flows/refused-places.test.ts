/**
 * A place that Discord refuses is told by what has to be changed there: a permission by Discord's own name for it, a
 * limit, or a rule of ours.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PermissionFlagsBits } from "discord-api-types/v10";
import { expect, test } from "vitest";
import type { BellhopError } from "../../src/base/errors.ts";
import { explainError } from "../../src/discord/views/message.ts";
import { openAsker } from "./mcp/asker.ts";
import { openWorld, type World } from "./world.ts";

/** What a person or a model reads of a refusal. */
async function refusal(refused: Promise<unknown>): Promise<string> {
  const error: unknown = await refused.then(
    () => "it was not refused",
    (thrown: unknown) => thrown,
  );
  const { code, details } = error as BellhopError;
  return explainError("en", code, details).join(" ");
}

function deny(world: World, right: bigint): void {
  world.sandbox.setOverwrites(world.sandbox.channelId, [
    { id: world.sandbox.botId, type: 1, allow: "0", deny: String(right) },
  ]);
}

const threads = /\/messages\/\d+\/threads$/;

test("a thread_id of another channel is refused by the rule, and not in Discord's name", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const other = world.sandbox.addChannel("random");
  const elsewhere = (await world.owner(other).createThread("plans")).id;
  for (const thread_id of [other, elsewhere]) {
    const rule = `${thread_id} is neither the channel of this MCP server nor one of its threads, so nothing was posted there. Use the thread_id of an earlier result, or none. \`E_THREAD_FOREIGN\``;
    expect(await refusal(agent.ask({ question: "Here?", thread_id }))).toBe(rule);
    expect(await refusal(agent.notify({ message: "here", thread_id }))).toBe(rule);
  }
});

test("a permission that the bot lacks is named as Discord names it, for a question, a notice and in a thread", async () => {
  const world = await openWorld({ agent: "none" });
  await world.daemon().ready;
  const agent = await openAsker(world);
  const place = world.sandbox.channelId;
  const lacks = (rights: string, id = place): string =>
    `Bellhop cannot use <#${id}>: the bot lacks these permissions there: ${rights}. Change that in Discord, then try again. \`E_PLACE_REFUSED\``;
  deny(world, PermissionFlagsBits.CreatePublicThreads);
  expect(await refusal(agent.ask({ question: "In a thread?" }))).toBe(lacks("Create Public Threads"));
  deny(world, PermissionFlagsBits.SendMessages);
  expect(await refusal(agent.notify({ message: "halfway" }))).toBe(lacks("Send Messages"));
  deny(world, PermissionFlagsBits.ViewChannel);
  expect(await refusal(agent.notify({ message: "halfway", request_id: "request-0002" }))).toBe(lacks("View Channel"));
  const thread = (await world.owner(place).createThread("plans")).id;
  deny(world, PermissionFlagsBits.SendMessagesInThreads);
  expect(await refusal(agent.notify({ message: "halfway", thread_id: thread, request_id: "request-0003" }))).toBe(
    lacks("Send Messages in Threads", thread),
  );
});

test("a server with as many threads as it may have is told as that, to an agent that asks and to the owner of a session", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const agent = await openAsker(world);
  const full = `Bellhop cannot use <#${world.sandbox.channelId}>: the server has as many active threads as Discord allows, so some have to be archived first. Change that in Discord, then try again. \`E_PLACE_REFUSED\``;
  const limit = world.sandbox.faults.fail({ method: "POST", path: threads, status: 400, code: 160006 });
  expect(await refusal(agent.ask({ question: "One more?" }))).toBe(full);
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
  const start = await world.owner(world.sandbox.channelId).slash("start", { project_name: "app" });
  expect((await start.answer()).content).toBe(full);
  limit.lift();
  const again = await world.owner(world.sandbox.channelId).slash("start", { project_name: "app" });
  expect((await again.answer()).content).toContain("<#");
});

test("slash commands that Discord refuses are told with the scope that the bot lacks, and registered once it has it", async () => {
  const world = await openWorld({ agent: "none" });
  const refused = world.sandbox.faults.fail({ path: /\/commands/, status: 403, code: 50001 });
  const daemon = world.daemon();
  expect(await daemon.ready).toMatchObject({ commands: false });
  await daemon.told(/without the scope applications\.commands/);
  refused.lift();
  await world.sandbox.until(({ commands }) => commands().some(({ name }) => name === "start"));
  const log = readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8");
  expect(log).not.toContain("E_INTERNAL");
  expect(log.split("\n").filter((line) => line.includes("E_COMMANDS_REFUSED"))).toHaveLength(1);
});
