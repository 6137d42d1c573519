/**
 * The real Claude Code in a window, interrupted and compacted at its terminal, of which its hooks tell little or
 * nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prompted, settled } from "../../flows/asked.ts";
import { learnt } from "../../flows/workshop.ts";
import { enter, openDesk, posted } from "./desk.ts";

test("a job that is interrupted at the terminal ends as cancelled, the queue goes on, and nothing is typed again", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  const spoken = await world.owner(thread).send("slow:60:200");
  await learnt(world, "process");
  await desk.shows("esc to interrupt");
  const silent = await world.owner(thread).send("hang:");
  const last = await world.owner(thread).send("echo:last");
  desk.press("Escape");
  await world.marked(spoken.id, "🚫");
  await learnt(world, "process", 2);
  // Claude takes no Escape while its hooks run.
  while (!JSON.stringify(model.asked.at(-1)?.turns ?? []).includes("hang:")) await model.until(model.asked.length + 1);
  // Claude puts this one back into its box, where it would keep the next from being typed.
  desk.press("Escape");
  await world.marked(silent.id, "🚫");
  await world.marked(last.id, "✅");
  expect(desk.all("JobStarted")).toHaveLength(3);
  expect(desk.all("SessionParked")).toEqual([]);
  expect(model.asked.at(-1)?.turns.filter(({ text }) => text?.includes("echo:last") === true)).toHaveLength(1);
});

test("a permission that is refused by Escape ends the job, and its prompt in Discord", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send("tool:bash:touch made");
  const asked = { world, daemon, thread, id };
  const prompt = await prompted(asked, "Allow");
  await desk.escapes("Do you want to proceed?");
  await world.marked(id, "🚫");
  await settled(asked, prompt);
  expect(existsSync(join(world.project, "made"))).toBe(false);
  await world.marked((await world.owner(thread).send("echo:and on")).id, "✅");
});

test("a draft that is written while Claude works does not look like an end of its turn", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send("slow:60:200");
  await learnt(world, "process");
  await desk.shows("esc to interrupt");
  desk.type("half a thought");
  await desk.shows("half a thought");
  await daemon.kill("SIGKILL");
  await desk.start();
  await world.marked(id, "✅");
  await posted(world, thread, "chunk60");
});

test("a conversation that is compacted at the terminal goes on, and what was written meanwhile is typed by itself", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  // The model makes its summary as slowly.
  await world.marked((await world.owner(thread).send("slow:20:200")).id, "✅");
  await enter(desk, "/compact");
  await desk.shows("Compacting conversation");
  const waiting = await world.owner(thread).send("hist:");
  await world.marked(waiting.id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toContain("continued from a previous conversation");
  expect(desk.all("WindowOpened")).toHaveLength(1);
  expect(desk.all("OutsideTurnBegan")).toEqual([]);
});

test("a turn in whose middle Claude compacts its conversation by itself goes on: nothing is lost, and nothing is done or said twice", async (context) => {
  const desk = await openDesk(context, {}, ["Bash"]);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:before")).id, "✅");
  await world.marked((await world.owner(thread).send("full:bash:echo w1 | tee -a done.txt")).id, "✅");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toContain("continued from a previous conversation");
  expect(readFileSync(join(world.project, "done.txt"), "utf8")).toBe("w1\n");
  expect(world.said(thread).flatMap(({ content }) => content.match(/Running a command\.\n\nok/g) ?? [])).toHaveLength(
    1,
  );
  expect(desk.all("JobCompleted")).toHaveLength(3);
  expect([...desk.all("OutsideTurnBegan"), ...desk.all("SessionParked")]).toEqual([]);
});
