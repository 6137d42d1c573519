/**
 * The daemon is killed after its agent's answer was complete and before the journal says so: the next daemon knows that
 * it is complete, so the job is done, nothing is asked of the owner, and what waits goes on.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canTrace, tracer } from "./tracer.ts";
import { crashNotice, openWorld } from "./world.ts";

/** Steps between the agent's last line and the journal's word of it, by the call and by what it is made on. */
test.skipIf(!canTrace).each([
  ["the answer is synced", "fsync", `.md.part`],
  ["the answer takes its name", "rename", `.md.part`],
  ["its name is synced", "fsync", ""],
])("killed before %s, its job is done and said to be", async (_, call, ending) => {
  const world = await openWorld({ unlimited: true });
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  await first.kill("SIGTERM");
  const results = join(world.stateDir, "results");
  const job = `job_${new Date().toISOString().slice(0, 10).replaceAll("-", "")}_0001`;
  const { prefix, env } = tracer(world, [
    "-o",
    "/dev/null",
    "-P",
    ending === "" ? results : join(results, `${job}${ending}`),
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:signal=SIGKILL:when=1`,
  ]);
  const daemon = world.daemon({ prefix, env });
  const { id } = await world.owner(thread).send("count:once");
  await daemon.exited;
  await world.daemon().ready;
  await world.marked(id, "✅");
  await world.owner(thread).send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  expect(world.said(thread).filter(({ content }) => content === "did once")).toHaveLength(1);
  expect(JSON.stringify(world.said(thread))).not.toMatch(/Cut off here|interrupted/);
  expect(crashNotice(world.said(thread))).toBeUndefined();
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:once", "count:after"]);
  // What was noted for the case of a kill is gone.
  expect(readdirSync(results).filter((name) => name.startsWith(`${job}.`))).toEqual([`${job}.md`]);
});
