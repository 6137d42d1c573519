/** The real Claude Code in a tmux window: its conversation left and made shorter from Discord. */
import { expect, test } from "vitest";
import type { World } from "../../flows/world.ts";
import { openDesk, posted } from "./desk.ts";
import { adopted, openOwn } from "./own-terminal.ts";

const slash = async (
  world: World,
  place: string,
  name: string,
  options: Record<string, string> = {},
): Promise<string> => (await (await world.owner(place).slash(name, options)).answer()).content;
const say = async (world: World, thread: string, prompt: string, mark = "✅"): Promise<void> =>
  world.marked((await world.owner(thread).send(prompt)).id, mark);

test("/compact is typed and judged by what Claude tells; /new begins another conversation in the same window", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  await say(world, thread, "echo:one");
  await say(world, thread, "echo:two");
  expect(await slash(world, thread, "compact", { focus: "the words" })).toBe("🗜️ `/compact the words`");
  await posted(world, thread, "The conversation was made shorter.");
  await say(world, thread, "echo:three");
  expect(await slash(world, thread, "new")).toContain("begins a new conversation");
  await say(world, thread, "echo:four");
  expect(JSON.stringify(model.asked.at(-1)?.body)).not.toContain("echo:three");
  await say(world, thread, "echo:five");
  expect(JSON.stringify(model.asked.at(-1)?.body)).toContain("echo:four");
  expect(await desk.came("WindowOpened")).toHaveLength(1);
  expect(desk.all("JobFailed")).toEqual([]);
});

test("a new conversation that cannot begin yet is waited for, over a restart too, and nothing is typed into the old one", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  await say(world, thread, "echo:one");
  desk.type("echo:a draft");
  await desk.shows("echo:a draft");
  await slash(world, thread, "new");
  const waiting = await world.owner(thread).send("echo:two");
  await desk.came("SessionParked");
  await daemon.kill("SIGKILL");
  await desk.start();
  desk.press("C-c");
  await world.marked(waiting.id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.body)).not.toContain("echo:one");
});

test("in a Claude that its owner has opened it is asked about first", async (context) => {
  const scene = await openOwn(context);
  const { world, model } = scene.desk;
  const thread = await adopted(scene);
  await say(world, thread, "echo:one");
  expect(await slash(world, thread, "new")).toContain("Bellhop would type `/clear`");
  await say(world, thread, "echo:two");
  expect(JSON.stringify(model.asked.at(-1)?.body)).toContain("echo:one");
  const asked = await (await world.owner(thread).slash("new")).answer();
  await (await world.owner(thread).clickButton(asked.id, "Begin a new one")).acknowledged();
  await scene.desk.came("ConversationWanted");
  await say(world, thread, "echo:three");
  expect(JSON.stringify(model.asked.at(-1)?.body)).not.toContain("echo:two");
  expect(scene.desk.all("WindowClosed")).toEqual([]);
});
