/** Nobody but the owner has any effect, and nobody but the owner is answered, save the one sentence to an interaction. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, openWorld } from "./world.ts";

test("a stranger's message in a session's thread has no effect and no reply, and is logged", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
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
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
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
