/** A daemon is started so that it gives memory back, and its agents know nothing of that. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openWorld } from "./world.ts";

test("a daemon whose settings are in its environment runs with a small young generation and few arenas; its agents are told nothing of it", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  const told = (what: string): string[] => readFileSync(`/proc/${daemon.pid}/${what}`, "utf8").split("\0");
  expect(told("cmdline").slice(1, 2)).toEqual(["--max-semi-space-size=4"]);
  expect(told("environ")).toContain("MALLOC_ARENA_MAX=2");
  const thread = await world.session();
  await world.owner(thread).send("echo:here");
  await world.agents(1);
  expect(world.agentStarts()[0]?.env).not.toContain("MALLOC_ARENA_MAX");
});
