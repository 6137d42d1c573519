/** What the real Claude Code writes at its terminal is shown in the thread while it writes. */
import { expect, test } from "vitest";
import { openDesk, posted } from "./desk.ts";

test("the first half of an answer is in the thread before the second is written", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send("halves:20");
  await posted(world, thread, "chunk5");
  expect(JSON.stringify(world.said(thread))).not.toContain("chunk20");
  model.letGo();
  await world.marked(id, "✅");
  await posted(world, thread, "chunk20");
});
