/**
 * The real Claude Code, taken over from its owner's own tmux in the middle of a turn: what is left of the turn is told
 * once, what it asks is asked in the thread too, and what is written there waits for the turn's end.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test, type TestContext } from "vitest";
import { open, withButton } from "../../flows/workshop.ts";
import { type Daemon, inFolder } from "../../flows/world.ts";
import { choose, type Desk, openDesk, posted, timesSaid } from "./desk.ts";
import { installHooks, openOwnTerminal, type OwnTerminal } from "./own-terminal.ts";

interface Own {
  desk: Desk;
  daemon: Daemon;
  own: OwnTerminal;
  /** Presses Adopt; resolves with the thread that it goes on in. */
  adopt(): Promise<string>;
}

/** The owner's Claude is open in his terminal, and offered. @param allow what his own rules let it do without asking */
async function openOwn(context: TestContext, allow: readonly string[] = []): Promise<Own> {
  const desk = await openDesk(context, {}, allow);
  const { world } = desk;
  installHooks(desk);
  const daemon = await desk.start();
  await world.session();
  const own = openOwnTerminal(desk);
  own.line("claude");
  const channel = world.sandbox.channelId;
  const card = await world.saying(channel, (said) => withButton(said, "ad-take"));
  await own.shows("manual mode on");
  const adopt = async (): Promise<string> => {
    await world.owner(channel).clickButton(card.id, "Adopt");
    const [opened] = await desk.came("WindowOpened");
    // What its hooks told a moment before was not heard.
    const marks = join(world.stateDir, "hooks", "adopted");
    await inFolder(marks, () => readdirSync(marks).some((name) => !name.startsWith(".")));
    return String(opened?.["thread_id"]);
  };
  return { desk, daemon, own, adopt };
}

/**
 * Writes in the thread while Claude is at its turn; resolves when it was answered after it, and the turn was told with
 * this end.
 */
async function waits({ desk }: Own, thread: string, finish: () => Promise<void> | void, result: string): Promise<void> {
  const { world, model } = desk;
  const waiting = await world.owner(thread).send("echo:from discord");
  await desk.came("JobEnqueued");
  await finish();
  await world.marked(waiting.id, "✅");
  await posted(world, thread, "from discord");
  expect(desk.all("OutsideTurnEnded")).toMatchObject([{ outcome: "done" }]);
  expect(String(desk.all("OutsideTurnEnded")[0]?.["result_excerpt"])).toContain(result);
  expect(model.asked.at(-1)?.turns.filter(({ text }) => text?.includes("echo:from discord") === true)).toHaveLength(1);
  expect(desk.all("JobStarted").length).toBeLessThanOrEqual(2);
}

test("while it streams: its answer is told whole and once", async (context) => {
  const scene = await openOwn(context);
  const { desk, own, adopt } = scene;
  await own.say("halves:20");
  await own.shows("chunk9");
  const thread = await adopt();
  await waits(scene, thread, () => desk.model.letGo(), "chunk20");
  for (const chunk of ["chunk1\n", "chunk10\n", "chunk19\n", "chunk20"])
    expect([chunk, timesSaid(desk, thread, chunk)]).toEqual([chunk, 1]);
});

test("while it asks at the terminal: the thread asks as well, and what it asks next is answered there", async (context) => {
  const scene = await openOwn(context);
  const { desk, own, adopt } = scene;
  const { world } = desk;
  const touch = (file: string): object => ({ name: "Bash", input: { command: `touch ${file}` } });
  await own.say(`calls:${JSON.stringify([touch("a"), touch("b")])}`);
  await own.shows("\n touch a");
  const thread = await adopt();
  const asks = (file: string): Promise<APIMessage> =>
    world.saying(thread, (said) =>
      said.find(
        (one) => JSON.stringify(one).includes(`touch ${file}`) && JSON.stringify(one.components).includes("Allow"),
      ),
    );
  await waits(
    scene,
    thread,
    async () => {
      await asks("a");
      await choose(own, "\n touch a", null);
      const prompt = await asks("b");
      await world.owner(thread).clickButton(prompt.id, "Allow");
    },
    "AFTER_TOOL",
  );
  expect(readdirSync(world.project)).toEqual(expect.arrayContaining(["a", "b"]));
  expect(desk.all("DecisionAsked")).toHaveLength(2);
  expect(timesSaid(desk, thread, "AFTER_TOOL")).toBe(1);
});

test("while a tool runs, and a command in the background: what it says of both is told", async (context) => {
  const scene = await openOwn(context, ["Bash"]);
  const { desk, own, adopt } = scene;
  const { world } = desk;
  const gate = (file: string): string => `until [ -e ../${file} ]; do sleep 0.1; done`;
  await own.say(`call:Bash:${JSON.stringify({ command: gate("g1"), description: "x", run_in_background: true })}`);
  await own.shows("AFTER_TOOL");
  await own.say(`tool:bash:touch a; ${gate("g2")}; echo over`);
  await inFolder(world.project, () => existsSync(join(world.project, "a")));
  const thread = await adopt();
  await waits(scene, thread, () => open(world, "g2"), "AFTER_TOOL over");
  expect(timesSaid(desk, thread, "AFTER_TOOL over")).toBe(1);
  open(world, "g1");
  await desk.came("OutsideTurnEnded", 2);
  expect(desk.all("OutsideTurnBegan").map(({ origin }) => origin)).toEqual(["terminal", "background"]);
});
