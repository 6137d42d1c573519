/** The real Claude Code in a tmux window, spoken to from Discord and from the desk. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { descriptionOf } from "../../flows/workshop.ts";
import { enter, killed, openDesk, posted, timesSaid } from "./desk.ts";

/** One pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("prompts are typed into one window and answered; what would be a command is not typed", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:one\n둘째 줄 日本語 👩🏽‍💻")).id, "✅");
  await posted(world, thread, "둘째 줄 日本語 👩🏽‍💻");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  await posted(world, thread, "HISTORY");
  const asked = model.asked.length;
  for (const command of ["!touch made-by-a-shell", "exit", "quit", ":q", ":q!", ":wq", ":wq!", "/exit"])
    await world.marked((await world.owner(thread).send(command)).id, "❌");
  expect(model.asked).toHaveLength(asked);
  expect(existsSync(join(world.project, "made-by-a-shell"))).toBe(false);
  expect(desk.all("JobFailed").map(({ error_code }) => error_code)).toEqual(Array(8).fill("E_PROMPT_IS_COMMAND"));
  await posted(world, thread, "would read `:wq!` as a command");
  expect(desk.all("WindowClosed")).toEqual([]);
  const picture = join(world.project, "pic.png");
  writeFileSync(picture, Buffer.from(PNG, "base64"));
  for (const prompt of ["Exit", "exit please", "/etc/hosts is what", "ultraplan it", `look\n${picture}`]) {
    await world.marked((await world.owner(thread).send(prompt)).id, "✅");
    expect(JSON.stringify(model.asked.at(-1)?.turns.at(-1))).toContain(JSON.stringify(prompt).slice(1, -1));
  }
  expect(await desk.came("WindowOpened")).toHaveLength(1);
});

test("a draft at the desk is left alone, and the job starts when it was sent; what is typed there is shown", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:ready")).id, "✅");
  desk.type("echo:from the desk");
  await desk.shows("echo:from the desk");
  const waiting = await world.owner(thread).send("echo:from discord");
  const [parked] = await desk.came("SessionParked");
  expect(parked).toMatchObject({ wait: { kind: "terminal", reason: "draft" } });
  await posted(world, thread, "unsent text in the prompt box");
  desk.press("Enter");
  const [turn] = await desk.came("OutsideTurnBegan");
  expect(turn).toMatchObject({ origin: "terminal", prompt: "echo:from the desk" });
  await world.marked(waiting.id, "✅");
  await posted(world, thread, "from discord");
  expect((await desk.came("OutsideTurnEnded"))[0]).toMatchObject({ outcome: "done", result_excerpt: "from the desk" });
});

test("a command that is run in Claude's own shell is shown in the thread, with what Claude says of it", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:ready")).id, "✅");
  desk.type("!");
  await desk.shows("! for shell mode");
  await enter(desk, "echo seen <here>");
  expect((await desk.came("OutsideTurnBegan"))[0]).toMatchObject({ origin: "terminal", prompt: "! echo seen <here>" });
  expect((await desk.came("OutsideTurnEnded"))[0]).toMatchObject({ outcome: "done" });
  await world.marked((await world.owner(thread).send("echo:after")).id, "✅");
});

test("a draft that was left at the desk is cleared by its owner's word, and kept in the thread; copy mode is left", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  await desk.start();
  const thread = await world.session();
  const owner = world.owner(thread);
  await world.marked((await owner.send("echo:ready")).id, "✅");
  const tmux = (...args: string[]): Buffer =>
    execFileSync("tmux", ["-S", join(world.stateDir, "bellhop.tmux"), ...args]);
  const draft = `${"many words ".repeat(30)}日本語 and the end`;
  desk.type(draft);
  await desk.shows("日本語 and the end");
  tmux("copy-mode");
  const waiting = await owner.send("echo:from discord");
  expect((await desk.came("SessionParked"))[0]).toMatchObject({ wait: { kind: "terminal", reason: "draft" } });
  const { id } = await world.saying(thread, (said) =>
    said.find((one) => descriptionOf(one).includes("日本語 and the end")),
  );
  await owner.clickButton(id, "Clear the draft and send");
  await world.marked(waiting.id, "✅");
  await posted(world, thread, "from discord");
  await world.saying(thread, (said) => said.find((one) => one.id === id && one.content.includes("日本語 and the end")));
  desk.type("another");
  await desk.shows("another");
  const next = await owner.send("echo:by itself");
  await desk.came("SessionParked", 2);
  desk.press("C-u");
  await world.marked(next.id, "✅");
  expect(desk.all("OutsideTurnBegan")).toEqual([]);
});

test("a turn that is cancelled is interrupted, and its window takes the next prompt", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send("hang:");
  await desk.came("JobProgress");
  await desk.shows("esc to interrupt");
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(id, "🚫");
  await world.marked((await world.owner(thread).send("echo:again")).id, "✅");
  expect(await desk.came("WindowOpened")).toHaveLength(1);
});

test("a window whose Claude is killed says so, and the next prompt goes on with the conversation in a new one", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:before")).id, "✅");
  await killed(desk, "before");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).toContain("before");
  expect(await desk.came("WindowOpened", 2)).toHaveLength(2);
});

test("a conversation that Claude does not know any more is said to be gone, and the next prompt begins a new one", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  await desk.start();
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:violet")).id, "✅");
  rmSync(await killed(desk, "violet"), { recursive: true });
  await world.marked((await world.owner(thread).send("echo:lost")).id, "❌");
  await posted(world, thread, "E_RESUME_UNKNOWN");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  expect(JSON.stringify(model.asked.at(-1)?.turns)).not.toContain("violet");
});

test("a daemon that is killed finds its window again: the turn goes on, and its answer is posted, once", async (context) => {
  const desk = await openDesk(context);
  const { world, model } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send("halves:30");
  await desk.came("WindowOpened");
  await desk.shows("chunk14");
  await daemon.kill("SIGKILL");
  await desk.start();
  model.letGo();
  await world.marked(id, "✅");
  await posted(world, thread, "chunk1\nchunk2");
  await posted(world, thread, "chunk30");
  for (const chunk of ["chunk1\n", "chunk14\n", "chunk29\n", "chunk30"])
    expect([chunk, timesSaid(desk, thread, chunk)]).toEqual([chunk, 1]);
  expect(await desk.came("WindowOpened")).toHaveLength(1);
  expect(desk.all("JobMarkedUnknownAfterCrash")).toEqual([]);
  await world.marked((await world.owner(thread).send("echo:and on")).id, "✅");
});
