/** A thread waits for its agent's limit and says so; it goes on by itself or by its owner's press, and nobody else waits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { descriptionOf, withButton } from "./workshop.ts";
import { answered, openWorld, type World } from "./world.ts";

async function press(world: World, thread: string, button: string): Promise<void> {
  const notice = await world.saying(thread, (said) => withButton(said, button));
  const [, customId = ""] = new RegExp(`"(${button}:\\w+)"`).exec(JSON.stringify(notice.components)) ?? [];
  await (await world.owner(thread).clickButton(notice.id, customId)).acknowledged();
}

test("a usage limit parks one thread until its owner lets it go on; others go on meanwhile", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const [thread, other] = [await world.session(), await world.session()];
  const { id } = await world.owner(thread).send("limit:3600");
  const notice = await world.saying(thread, (said) => withButton(said, "unpark"));
  const [, until = "0"] = /<t:(\d+):R>/.exec(descriptionOf(notice)) ?? [];
  expect(Math.abs(Number(until) - Date.now() / 1000 - 3600)).toBeLessThan(120);
  await world.marked(id, "⏳");
  await world.owner(other).send("echo:nobody waits here");
  await answered(world, other, ["nobody waits here"]);
  await press(world, thread, "unpark");
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.find((message) => message.id === notice.id && message.components?.length === 0));
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["limit:3600", "echo:nobody waits here", "limit:3600"]);
});

test("a limit that lifts while the daemon is down is over when it is back, and the queue goes on by itself", async () => {
  const world = await openWorld({ unlimited: true });
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("limit:3600");
  const { id } = await world.owner(thread).send("echo:behind");
  await world.saying(thread, (said) => withButton(said, "unpark"));
  await daemon.kill("SIGKILL");
  // Two hours later, as this process sees it.
  const later = join(world.home, "later.mjs");
  writeFileSync(later, "const { now } = Date; Date.now = () => now() + 7_200_000;\n");
  await world.daemon({ env: { NODE_OPTIONS: `--import=${later}` } }).ready;
  await world.marked(id, "✅");
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["limit:3600", "limit:3600", "echo:behind"]);
});
