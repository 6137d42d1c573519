/**
 * The real Claude Code, started by its owner in his own tmux: offered, taken into a thread, used from both sides, given
 * back.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { withButton } from "../../flows/workshop.ts";
import { configure, openDesk } from "./desk.ts";
import { adopted, installHooks, openOwn, openOwnTerminal, posted } from "./own-terminal.ts";

test("the owner's Claude is taken by a button, answers both sides, and goes on when it is given back", async (context) => {
  const scene = await openOwn(context);
  const { desk, own } = scene;
  const { world } = desk;
  const thread = await adopted(scene);
  expect((await desk.came("WindowOpened"))[0]).toMatchObject({
    server: "owner",
    adopted: true,
    socket: own.socket,
    pane_id: own.pane,
  });
  await posted(world, thread, "Your own Claude is here");
  await world.marked((await world.owner(thread).send("echo:from discord")).id, "✅");
  await posted(world, thread, "from discord");
  await own.shows("● from discord");
});

test("in the project's own channel it becomes the channel's session", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  installHooks(desk);
  configure(world, { channel_id: world.sandbox.channelId });
  await desk.start();
  const channel = world.sandbox.channelId;
  await posted(world, channel, "How this works");
  const own = openOwnTerminal(desk);
  own.line("claude");
  const card = await world.saying(channel, (said) => withButton(said, "ad-take"));
  await (await world.owner(channel).clickButton(card.id, "Adopt")).answer();
  expect((await desk.came("WindowOpened"))[0]).toMatchObject({ thread_id: channel, adopted: true });
  await posted(world, channel, "Your own Claude is here");
  await world.marked((await world.owner(channel).send("echo:in the channel")).id, "✅");
  await posted(world, channel, "in the channel");
  await own.shows("● in the channel");
  expect(desk.all("SessionCreated").map(({ thread_id }) => thread_id)).toEqual([channel]);
});

test("what it asks is answered in the thread; released, it goes on alone and nothing of it is said any more", async (context) => {
  const scene = await openOwn(context);
  const { desk, own } = scene;
  const { world } = desk;
  const thread = await adopted(scene);
  const [{ pid }] = (await desk.came("WindowOpened")) as [{ pid: number }];
  const { id } = await world.owner(thread).send("tool:bash:touch made-by-claude");
  const prompt = await world.saying(thread, (said) => withButton(said, "do"));
  await world.owner(thread).clickButton(prompt.id, "Allow");
  await world.marked(id, "✅");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(true);
  const card = withButton(world.said(thread), "ad-back");
  await world.owner(thread).clickButton(card?.id ?? "", "Release");
  expect((await desk.came("WindowClosed"))[0]).toMatchObject({ why: "released" });
  await posted(world, thread, "your Claude continues at its terminal");
  await own.say("echo:alone");
  await own.shows("● alone");
  expect(process.kill(pid, 0)).toBe(true);
  expect(desk.all("OutsideTurnBegan")).toEqual([]);
  expect(readdirSync(join(world.stateDir, "hooks", "adopted"))).toEqual([]);
});

test("a killed daemon finds it again; Escape is all that is pressed, and when it ends its thread says so", async (context) => {
  const scene = await openOwn(context);
  const { desk, own, daemon } = scene;
  const { world } = desk;
  const thread = await adopted(scene);
  const { id } = await world.owner(thread).send("slow:30:200");
  await own.shows("chunk3");
  await daemon.kill("SIGKILL");
  await desk.start();
  await world.marked(id, "✅");
  await posted(world, thread, "chunk30");
  const hanging = await world.owner(thread).send("hang:");
  await own.shows("esc to interrupt");
  await (await world.owner(thread).slash("cancel")).answer();
  await world.marked(hanging.id, "🚫");
  await own.say("echo:typed");
  expect((await desk.came("OutsideTurnBegan"))[0]).toMatchObject({ origin: "terminal", prompt: "echo:typed" });
  await posted(world, thread, "typed");
  await desk.came("OutsideTurnEnded");
  await own.say("/exit");
  expect((await desk.came("WindowClosed"))[0]).toMatchObject({ why: "exit" });
  await posted(world, thread, "Your Claude has ended");
  own.line("echo the shell is mine");
  await own.shows("the shell is mine");
});

test("a daemon killed while it asks: its hook finds the next daemon, and what is allowed there is done", async (context) => {
  const scene = await openOwn(context);
  const { desk, own, daemon } = scene;
  const { world } = desk;
  const thread = await adopted(scene);
  const { id } = await world.owner(thread).send("tool:bash:touch made-by-claude");
  const prompt = await world.saying(thread, (said) => withButton(said, "do"));
  await own.shows("Do you want to proceed?");
  await daemon.kill("SIGKILL");
  await desk.start();
  await (await world.owner(thread).clickButton(prompt.id, "Allow")).acknowledged();
  await world.marked(id, "✅");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(true);
  expect(desk.all("AnswerDelivered")).toHaveLength(1);
  expect(desk.all("DecisionAsked")).toHaveLength(1);
});

test("one that asks while it is offered is taken with its dialog, which is answered in the thread", async (context) => {
  const { desk, own, channel } = await openOwn(context);
  const { world } = desk;
  own.line("claude");
  const card = await world.saying(channel, (said) => withButton(said, "ad-take"));
  await own.say("tool:bash:touch made-by-claude");
  await own.shows("Do you want to proceed?");
  await (await world.owner(channel).clickButton(card.id, "Adopt")).answer();
  const [opened] = await desk.came("WindowOpened");
  const thread = String(opened?.["thread_id"]);
  const prompt = await world.saying(thread, (said) => withButton(said, "do"));
  const waiting = await world.owner(thread).send("echo:from the phone");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(false);
  await (await world.owner(thread).clickButton(prompt.id, "Allow")).acknowledged();
  await desk.came("OutsideTurnEnded");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(true);
  await world.marked(waiting.id, "✅");
  expect([desk.all("DecisionAsked").length, desk.all("AnswerDelivered").length]).toEqual([1, 1]);
});

test("a dialog that only its screen tells of is shown as text; a yes is not to be had, and a no presses Escape there", async (context) => {
  const { desk, own, channel, daemon } = await openOwn(context);
  const { world } = desk;
  own.line("claude");
  const card = await world.saying(channel, (said) => withButton(said, "ad-take"));
  await daemon.kill("SIGTERM");
  await own.say("tool:bash:touch made-by-claude");
  await own.shows("Do you want to proceed?");
  await desk.start();
  await (await world.owner(channel).clickButton(card.id, "Adopt")).answer();
  const [opened] = await desk.came("WindowOpened");
  const thread = String(opened?.["thread_id"]);
  const prompt = await world.saying(thread, (said) => withButton(said, "do"));
  const shown = JSON.stringify(prompt);
  for (const words of ["touch made-by-claude", "Read from the terminal's screen", "Deny"])
    expect(shown).toContain(words);
  expect(shown).not.toContain('"label":"Allow"');
  const yes = await world.owner(thread).send("yes");
  await world.marked(yes.id, "❓");
  await (await world.owner(thread).clickButton(prompt.id, "Deny")).acknowledged();
  await desk.came("AnswerDelivered");
  await world.marked((await world.owner(thread).send("echo:and on")).id, "✅");
  await own.shows("● and on");
  expect(existsSync(join(world.project, "made-by-claude"))).toBe(false);
});

test("one that was opened before the daemon is offered when that starts; ignored, it can be adopted after all", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  installHooks(desk);
  const first = await desk.start();
  await world.session();
  await first.kill("SIGTERM");
  const own = openOwnTerminal(desk);
  own.line("claude");
  await own.shows("manual mode on");
  await desk.start();
  const channel = world.sandbox.channelId;
  const card = await world.saying(channel, (said) => withButton(said, "ad-take"));
  await (await world.owner(channel).clickButton(card.id, "Ignore")).acknowledged();
  await posted(world, channel, "you can still adopt it");
  await (await world.owner(channel).clickButton(card.id, "Adopt")).answer();
  const [opened] = await desk.came("WindowOpened");
  const thread = String(opened?.["thread_id"]);
  await world.marked((await world.owner(thread).send("echo:from discord")).id, "✅");
  await own.shows("● from discord");
  expect(desk.all("AdoptionOffered")).toHaveLength(1);
});

test("one that works below its project's directory keeps its place over a restart: nothing has changed for its next message", async (context) => {
  const scene = await openOwn(context, {}, join("packages", "one"));
  const { desk, own, daemon } = scene;
  const { world, model } = desk;
  const thread = await adopted(scene);
  const { id } = await world.owner(thread).send("halves:30");
  await own.shows("chunk14");
  await daemon.kill("SIGKILL");
  await desk.start();
  model.letGo();
  await world.marked(id, "✅");
  await world.marked((await world.owner(thread).send("echo:and on")).id, "✅");
  expect(desk.all("SessionParked")).toEqual([]);
});

test("nothing is typed while it is suspended and its shell is in front", async (context) => {
  const scene = await openOwn(context);
  const { desk, own } = scene;
  const { world } = desk;
  const thread = await adopted(scene);
  own.press("C-z");
  await own.shows("suspended");
  const waiting = await world.owner(thread).send("touch made-by-a-shell");
  expect((await desk.came("SessionParked"))[0]).toMatchObject({ wait: { kind: "terminal", reason: "hidden" } });
  expect(own.screen()).not.toContain("made-by-a-shell");
  own.line("fg");
  await own.shows("manual mode");
  await world.marked(waiting.id, "✅");
  expect(existsSync(join(world.project, "made-by-a-shell"))).toBe(false);
});

test("by a setting the first is taken unasked; a second, a headless, a nested one and one elsewhere are left alone", async (context) => {
  const scene = await openOwn(context, { adopt: true });
  const { desk, own } = scene;
  const { world, model } = desk;
  const known = join(world.home, ".claude.json");
  const claudes = JSON.parse(readFileSync(known, "utf8")) as { projects: object };
  writeFileSync(
    known,
    JSON.stringify({ ...claudes, projects: { ...claudes.projects, [world.home]: { hasTrustDialogAccepted: true } } }),
  );
  const elsewhere = openOwnTerminal(desk, world.home, "elsewhere.tmux");
  elsewhere.line("claude");
  await elsewhere.shows("manual mode on");
  await elsewhere.say("echo:elsewhere");
  await elsewhere.shows("● elsewhere");
  own.line("claude -p echo:headless");
  await own.shows("\nheadless");
  expect(desk.all("AdoptionOffered")).toEqual([]);
  own.line("claude");
  const [opened] = await desk.came("WindowOpened");
  const thread = String(opened?.["thread_id"]);
  await posted(world, thread, "Your own Claude is here");
  const second = openOwnTerminal(desk, world.project, "second.tmux");
  second.line("claude");
  await second.shows("manual mode on");
  await second.say("echo:second");
  await second.shows("● second");
  const { id } = await world.owner(thread).send("tool:bash:claude -p echo:nested");
  const prompt = await world.saying(thread, (said) => withButton(said, "do"));
  await world.owner(thread).clickButton(prompt.id, "Allow");
  await world.marked(id, "✅");
  expect(JSON.stringify(model.asked)).toContain("echo:nested");
  expect(desk.all("AdoptionOffered")).toHaveLength(1);
  expect(desk.all("WindowOpened")).toHaveLength(1);
  expect(desk.all("OutsideTurnBegan")).toEqual([]);
});
