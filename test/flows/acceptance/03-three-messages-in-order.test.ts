/** Acceptance test 3 of the sessions' design: what is written in a thread is done in that order. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answered, openSession } from "../world.ts";
import { eventsOf } from "./stage.ts";

test("3. Three messages written one after the other in a thread are done first in, first out, and answered in that order", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const ids: string[] = [];
  for (const word of ["one", "two", "three"]) ids.push((await world.owner(thread).send(`count:${word}`)).id);
  await answered(world, thread, ["did one", "did two", "did three"]);
  for (const id of ids) await world.marked(id, "✅");

  expect(readFileSync(join(world.project, "done.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:one", "count:two", "count:three"]);
  // Never two at once: each begins after the one before it has ended.
  const turns = eventsOf(world).filter(({ type }) => ["JobEnqueued", "JobStarted", "JobCompleted"].includes(type));
  expect(
    turns.filter(({ type }) => type === "JobEnqueued").map(({ payload }) => payload["discord_message_id"]),
  ).toEqual(ids);
  expect(turns.filter(({ type }) => type !== "JobEnqueued").map(({ type }) => type)).toEqual([
    "JobStarted",
    "JobCompleted",
    "JobStarted",
    "JobCompleted",
    "JobStarted",
    "JobCompleted",
  ]);
  // One conversation.
  await world.owner(thread).send("hist:");
  await answered(world, thread, ["did one", "did two", "did three", 'HISTORY ["count:one","count:two","count:three"]']);
});
