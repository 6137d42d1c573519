/** The real Claude Code in a window, interrupted by Escape in a dialog that stands at its terminal. */
import { expect, test, type TestContext } from "vitest";
import { type Asked, prompted, settled } from "../../flows/asked.ts";
import { configure, type Desk, openDesk, posted, writePlan } from "./desk.ts";

async function asking(
  context: TestContext,
  prompt: string,
  project: Record<string, unknown> = {},
): Promise<{ desk: Desk; asked: Asked }> {
  const desk = await openDesk(context);
  const { world } = desk;
  configure(world, project);
  const daemon = await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send(prompt);
  return { desk, asked: { world, daemon, thread, id } };
}

test("Escape in a question at the terminal ends the job, and the queue goes on", async (context) => {
  const { desk, asked } = await asking(context, "ask:");
  const { world, thread } = asked;
  // Before the question stands there, of which it would be the answer.
  const next = await world.owner(thread).send("echo:next");
  const prompt = await prompted(asked, "B · Blue");
  await desk.escapes("Enter to select");
  await world.marked(asked.id, "🚫");
  await settled(asked, prompt);
  await world.marked(next.id, "✅");
  await posted(world, thread, "Denied in the terminal");
  await posted(world, thread, "next");
  expect(desk.all("JobStarted")).toHaveLength(2);
});

test("Escape in a plan at the terminal ends the job, and the queue goes on", async (context) => {
  const { desk, asked } = await asking(context, "echo:ready", { permission: "plan" });
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  await writePlan(desk, thread, "# First A, then B");
  const { id } = await world.owner(thread).send("call:ExitPlanMode:{}");
  const planned = { ...asked, id };
  const prompt = await prompted(planned, "Approve");
  const next = await world.owner(thread).send("echo:next");
  await desk.escapes("Would you like to proceed?");
  await world.marked(id, "🚫");
  await settled(planned, prompt);
  await world.marked(next.id, "✅");
});
