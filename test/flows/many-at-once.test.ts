/**
 * More sessions at once than the default: as many agents as the owner allows work side by side, each for its own
 * thread.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "./workshop.ts";
import { alive, answered, openWorld } from "./world.ts";

const COUNT = 12;

test("twelve sessions work at the same time, each answers in its own thread, and no internal error is logged", async () => {
  const world = await openWorld({ config: { limits: { global_max_running: COUNT, idle_agents: 0 } }, unlimited: true });
  await world.daemon().ready;
  const names = Array.from({ length: COUNT }, (_, at) => `s${at + 1}`);
  const threads: string[] = [];
  for (const _name of names) threads.push(await world.session());
  const messages = await Promise.all(names.map((name, at) => world.owner(threads[at] ?? "").send(`until:${name}`)));
  await world.agents(COUNT);
  for (const { id } of messages) await world.started(id);
  expect(world.agentStarts().filter(({ pid }) => alive(pid))).toHaveLength(COUNT);

  for (const name of names) open(world, name);
  for (const [at, name] of names.entries()) await answered(world, threads[at] ?? "", [`${name} is over`]);
  for (const { id } of messages) await world.marked(id, "✅");
  expect(readFileSync(join(world.stateDir, "logs", "app.ndjson"), "utf8")).not.toContain("E_INTERNAL");
}, 120_000);
