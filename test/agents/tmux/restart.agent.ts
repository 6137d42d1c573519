/**
 * The real Claude Code in a window, used at its terminal while daemons come and go: every turn is recorded once, with
 * its answer.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, type TestContext } from "vitest";
import type { Daemon } from "../../flows/world.ts";
import { type Desk, enter, killed, openDesk, posted } from "./desk.ts";

interface Used {
  desk: Desk;
  daemon: Daemon;
  thread: string;
}

/** A window in which one prompt was answered. */
async function used(context: TestContext, prompt: string): Promise<Used> {
  const desk = await openDesk(context);
  const { world } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send(prompt)).id, "✅");
  return { desk, daemon, thread };
}

/** What the hooks have kept of turns that ended while no daemon ran. */
function stopsKept({ world }: Desk): string[] {
  const spool = join(world.stateDir, "hooks", "spool");
  return readdirSync(spool)
    .filter((name) => !name.startsWith("."))
    .map((name) => readFileSync(join(spool, name), "utf8"))
    .filter((text) => /"hook_event_name":\s*"Stop"/.test(text));
}

test("a turn at the terminal goes on while its daemon is killed, and its whole answer is posted by the next one", async (context) => {
  const { desk, daemon, thread } = await used(context, "echo:ready");
  await enter(desk, "slow:30:200");
  await desk.came("OutsideTurnBegan");
  await desk.shows("chunk3");
  await daemon.kill("SIGKILL");
  await desk.start();
  const waiting = await desk.world.owner(thread).send("echo:and on");
  await desk.world.marked(waiting.id, "✅");
  expect(desk.all("OutsideTurnEnded")).toMatchObject([{ outcome: "done" }]);
  await posted(desk.world, thread, "chunk30");
  expect(desk.all("OutsideTurnBegan")).toHaveLength(1);
  expect(desk.all("WindowOpened")).toHaveLength(1);
});

test("turns that begin or end at the terminal while no daemon runs are recorded by the next one, each once", async (context) => {
  const { desk, daemon, thread } = await used(context, "echo:ready");
  await enter(desk, "slow:10:200");
  await desk.came("OutsideTurnBegan");
  await daemon.kill("SIGKILL");
  await desk.shows("chunk10");
  await enter(desk, "echo:nobody listened");
  await desk.shows("● nobody listened");
  // Its Stop comes a moment after what it shows.
  while (!stopsKept(desk).some((one) => one.includes("nobody listened"))) await promisify(setImmediate)();
  await desk.start();
  expect((await desk.came("OutsideTurnEnded", 2)).map(({ outcome }) => outcome)).toEqual(["done", "done"]);
  expect(desk.all("OutsideTurnBegan").map(({ prompt }) => prompt)).toEqual(["slow:10:200", "echo:nobody listened"]);
  await posted(desk.world, thread, "chunk10");
  await posted(desk.world, thread, "nobody listened");
  expect(desk.all("WindowOpened")).toHaveLength(1);
});

test("a prompt that is entered while Claude works is a turn of its own when that one is over", async (context) => {
  const { desk, thread } = await used(context, "echo:ready");
  await enter(desk, "slow:10:200");
  await desk.shows("chunk3");
  await enter(desk, "echo:and on");
  expect((await desk.came("OutsideTurnEnded", 2)).map(({ outcome }) => outcome)).toEqual(["done", "done"]);
  expect(desk.all("OutsideTurnBegan").map(({ prompt }) => prompt)).toEqual(["slow:10:200", "echo:and on"]);
  await posted(desk.world, thread, "chunk10");
  await posted(desk.world, thread, "and on");
});

test("a conversation that is cleared at the terminal is over: the window stays, and what is resumed later is the new one", async (context) => {
  const { desk, thread } = await used(context, "echo:violet");
  const { world, model } = desk;
  await enter(desk, "/clear");
  await desk.came("WindowCleared");
  await world.marked((await world.owner(thread).send("echo:amber")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).not.toContain("violet");
  expect(desk.all("WindowOpened")).toHaveLength(1);
  await killed(desk, "amber");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  const told = JSON.stringify(model.asked.at(-1)?.turns);
  expect([told.includes("violet"), told.includes("amber")]).toEqual([false, true]);
});
