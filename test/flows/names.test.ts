/** A session's thread is named once by us, and from then on by its owner only, however often the daemon is killed. */
import { expect, test } from "vitest";
import { journalOf } from "./journal.ts";
import { recorded } from "./workshop.ts";
import { openSession, type World } from "./world.ts";

const names = (world: World): unknown[] =>
  journalOf(world).flatMap(({ type, payload }) => (type === "SessionNamed" ? [payload["name"]] : []));

/** Started again, and killed when all that the gateway had to tell before this message has been heard. */
async function again(world: World, thread: string, word: string): Promise<void> {
  const daemon = world.daemon();
  await world.marked((await world.owner(thread).send(`count:${word}`)).id, "✅");
  await daemon.kill("SIGKILL");
}

test("neither the first name that the gateway replays nor an earlier one of the owner's is his choice", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  await world.marked((await world.owner(thread).send("count:one")).id, "✅");
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["part"] === "named");
  await daemon.kill("SIGKILL");
  for (const word of ["two", "three"]) await again(world, thread, word);
  expect(names(world)).toEqual(["count:one"]);
  const next = world.daemon();
  for (const name of ["Front door", "Back door"]) {
    await world.owner(thread).rename(name);
    await recorded(world, ({ type, payload }) => type === "SessionNamed" && payload["name"] === name);
  }
  await next.kill("SIGKILL");
  for (const word of ["four", "five"]) await again(world, thread, word);
  expect(names(world)).toEqual(["count:one", "Front door", "Back door"]);
});
