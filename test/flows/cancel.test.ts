/** What the owner stops is stopped: its whole process tree, and with a word in the thread; the session and its conversation stay. */
import { expect, test } from "vitest";
import { alive, answered, openWorld, tree } from "./world.ts";

test("/cancel ends the agent with all it started, says so, and the session goes on in the same conversation", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const thread = await world.session();
  const owner = world.owner(thread);
  const { id } = await owner.send("hang:");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
  const pids = tree(world.agentStarts()[0]?.pid ?? 0);
  expect(pids.length).toBeGreaterThan(0);
  expect((await (await owner.slash("cancel")).answer()).content).toContain("is being stopped");
  await world.marked(id, "🚫");
  expect(pids.filter(alive)).toEqual([]);
  await world.saying(thread, (said) => said.some(({ embeds }) => embeds[0]?.title === "The job was cancelled"));
  const next = await owner.send("echo:and on");
  await world.marked(next.id, "✅");
  await answered(world, thread, ["I am thinking\n-# This is as far as it came.", "and on"]);
  expect(world.agentStarts()[1]?.resumed).toBeDefined();
  expect((await (await owner.slash("cancel")).answer()).content).toMatch(/[Nn]othing/);
});
