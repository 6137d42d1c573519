/** Acceptance test 5 of the sessions' design: another tool, from the next job on. */
import { expect, test } from "vitest";
import { open } from "../workshop.ts";
import { answered, openSession } from "../world.ts";
import { eventsOf, says, snapshotOf } from "./stage.ts";

test("5. /tool counts for new jobs only: the running one keeps its tool, and the queue stays", async () => {
  const { world, daemon, thread } = await openSession({ tools: ["claude", "codex"], unlimited: true });
  const { id } = await world.owner(thread).send("until:first");
  await world.marked(id, "⚙️");
  const { id: waited } = await world.owner(thread).send("echo:waited");
  await world.agents(1);

  expect(await says(world, thread, "tool", { tool: "codex" })).toContain("**codex**");
  expect(await says(world, thread, "tool", { tool: "gemini" })).toContain("`E_TOOL_NOT_ENABLED`");
  expect(await says(world, thread, "status")).toMatch(
    /\ntool: codex\n[^]*\nstate: running\nqueue: pending=1, running=job_\d{8}_0001\n/,
  );
  open(world, "first");
  await answered(world, thread, ["first is over", "waited"]);
  await world.marked(waited, "✅");

  expect(world.agentStarts().map(({ tool, prompt }) => [tool, prompt])).toEqual([
    ["claude", "until:first"],
    ["codex", "echo:waited"],
  ]);
  expect(
    eventsOf(world)
      .filter(({ type }) => type === "ToolChanged")
      .map(({ payload }) => payload),
  ).toEqual([{ thread_id: thread, tool: "codex" }]);
  await daemon.kill("SIGTERM");
  expect(Object.values(snapshotOf(world).jobs).map(({ tool, state }) => [tool, state])).toEqual([
    ["claude", "success"],
    ["codex", "success"],
  ]);
});
