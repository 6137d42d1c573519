/**
 * A session is its thread and nothing else of the same name or number, and hears its owner's own words and nobody
 * else's.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, openSession, type World } from "../world.ts";

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

test("D18: the message a thread hangs on has its number, and is nothing of its: deleted, the session continues", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const general = world.owner(world.sandbox.channelId);
  await world.owner(thread).send("count:one");
  await answered(world, thread, ["did one"]);
  await general.delete(thread);
  // The same the other way round: words that a thread hangs on are no session's.
  const { id } = await general.send("count:nobody");
  await general.createThread("somewhere else", { messageId: id });
  await world.owner(id).send("count:nothing");
  await world.owner(thread).send("count:two");
  await answered(world, thread, ["did one", "did two"]);
  expect(prompts(world)).toEqual(["count:one", "count:two"]);
});

test("D21: bots and people of the owner's name, and Discord's own lines in the owner's name, are not the owner; his replies are", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const name = (await owner.send("count:first")).author.username;
  await answered(world, thread, ["did first"]);
  const namesake = world.sandbox.addUser(name, { admin: true });
  await world.sandbox.channel(thread).user(namesake.id).send("count:namesake");
  const robot = world.sandbox.addUser(name, { bot: true, admin: true });
  const headers = { authorization: `Bot ${robot.token}`, "content-type": "application/json" };
  const written = await fetch(`${world.sandbox.api}/v10/channels/${thread}/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify({ content: "count:robot" }),
  });
  expect(written.status).toBe(200);
  const first = world.sandbox.messages(thread).find(({ content }) => content === "count:first")?.id ?? "";
  await fetch(`${world.sandbox.api}/v10/channels/${thread}/messages/pins/${first}`, {
    method: "PUT",
    headers: { authorization: world.sandbox.owner.token },
  });
  expect(world.sandbox.messages(thread).filter(({ type }) => type === 6)).toMatchObject([
    { author: { id: world.sandbox.owner.id } },
  ]);
  const reply = await owner.send("count:reply", { replyTo: first });
  await answered(world, thread, ["did first", "did reply"]);
  expect(prompts(world)).toEqual(["count:first", expect.stringMatching(/^\[Note .*\n\ncount:reply$/s)]);
  await world.marked(reply.id, "✅");
  const marked = world.sandbox.messages(thread).filter(({ id }) => Object.keys(world.sandbox.reactions(id)).length > 0);
  expect(marked.map(({ id }) => id)).toEqual([first, reply.id]);
  const log = readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8");
  const strangers = log.split("\n").filter((line) => line.includes("E_OWNER_ONLY"));
  expect(strangers).toEqual([expect.stringContaining(namesake.id)]);
});
