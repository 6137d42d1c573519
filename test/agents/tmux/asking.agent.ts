/**
 * What the real Claude Code in a window asks: its dialog stands at the terminal, and its owner answers there or in
 * Discord.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { type Asked, choose, press, prompted, settled } from "../../flows/asked.ts";
import { inJournal } from "../../flows/workshop.ts";
import { configure, type Desk, openDesk, posted, writePlan, writtenDown } from "./desk.ts";

async function asking(
  context: TestContext,
  prompt: string,
  config: Record<string, unknown> = {},
  allow: string[] = [],
  project: Record<string, unknown> = {},
): Promise<{ desk: Desk; asked: Asked }> {
  const desk = await openDesk(context, config, allow);
  const { world } = desk;
  configure(world, project);
  const daemon = await desk.start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send(prompt);
  return { desk, asked: { world, daemon, thread, id } };
}

const made = ({ world }: Desk): boolean => existsSync(join(world.project, "made"));

test("a tool of permission_tools is asked about although Claude's own rules allow it", async (context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made", { permission_tools: ["Bash"] }, ["Bash"]);
  await prompted(asked, "Allow");
  expect(made(desk)).toBe(false);
  await press(asked, "Allow");
  await desk.world.marked(asked.id, "✅");
  expect(made(desk)).toBe(true);
  expect(desk.all("DecisionAsked")).toHaveLength(1);
});

test("a permission that is answered at the keyboard says so in Discord, and its buttons go", async (context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made");
  const prompt = await prompted(asked, "Allow");
  await desk.agrees("Do you want to proceed?");
  await desk.world.marked(asked.id, "✅");
  expect(made(desk)).toBe(true);
  expect((await desk.came("DecisionVoided"))[0]).toMatchObject({ why: "terminal" });
  expect(await settled(asked, prompt)).toContain("terminal");
  // It is said while what was allowed still runs.
  const { world, thread } = asked;
  const { id } = await world.owner(thread).send("tool:bash:touch more; while [ ! -e go ]; do sleep 0.1; done");
  const next = await prompted({ ...asked, id }, "Allow");
  await desk.chooses("Do you want to proceed?", null);
  expect((await desk.came("DecisionVoided", 2))[1]).toMatchObject({ why: "terminal" });
  expect(await settled({ ...asked, id }, next)).toContain("terminal");
  expect(world.sandbox.reactions(id)["✅"]).toBeUndefined();
  writeFileSync(join(world.project, "go"), "");
  await world.marked(id, "✅");
});

/**
 * Whether Claude has taken a no in its dialog. What it was allowed before can be interrupted too, before anything was
 * made.
 */
async function isRefused(desk: Desk): Promise<boolean> {
  if (desk.all("JobCancelled").length === 0) return false;
  return (await writtenDown(desk, "[Request interrupted by user")).text.includes('"toolDenialBeforeRun":true');
}

test.for([
  ["Enter", "Deny", "Allowed in the terminal"],
  ["Escape", "Allow", "Denied in the terminal"],
] as const)("%s at the keyboard and %s in Discord in the same moment: %s", async ([key, label, says], context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made");
  const { world, thread } = asked;
  const prompt = await prompted(asked, label);
  await desk.shows("Do you want to proceed?");
  desk.press(key);
  await world.owner(thread).clickButton(prompt.id, label);
  await inJournal(world, () => [...desk.all("JobCompleted"), ...desk.all("JobCancelled")].length > 0);
  // Whichever was first, what is said is what Claude has taken.
  if (await (key === "Enter" ? made(desk) : isRefused(desk))) await posted(world, thread, says);
  else expect(await settled(asked, prompt)).toContain(key === "Enter" ? "Denied" : "Allowed once");
});

test.for([
  ["which Claude's rules would ask about", []],
  ["of permission_tools", ["Bash"]],
] as const)(
  "a permission %s that nobody answers for a while calls its owner again; the same buttons answer it, and so does the terminal",
  async ([, permission_tools], context) => {
    const { desk, asked } = await asking(context, "tool:bash:touch made", {
      permission_tools,
      decision_lapse_s: { by_tool: { tmux: { permission: 2 } } },
    });
    const { world, thread } = asked;
    const prompt = await prompted(asked, "Allow");
    await desk.came("DecisionReminded");
    await desk.shows("Do you want to proceed?");
    const yes = await world.owner(thread).send("yes");
    await world.marked(yes.id, "❓");
    expect(made(desk)).toBe(false);
    await press(asked, "Allow");
    await world.marked(asked.id, "✅");
    expect(made(desk)).toBe(true);
    await settled(asked, prompt);
    const { id } = await world.owner(thread).send("tool:bash:touch more");
    await prompted({ ...asked, id }, "Allow");
    await desk.came("DecisionReminded", 2);
    await desk.agrees("Do you want to proceed?");
    await world.marked(id, "✅");
    expect([
      desk.all("DecisionAsked").length,
      desk.all("DecisionLapsed").length,
      desk.all("JobEnqueued").length,
    ]).toEqual([2, 0, 2]);
  },
);

test("what Claude says before it asks stands above what it asks", async (context) => {
  const desk = await openDesk(context);
  const { world } = desk;
  const daemon = await desk.start();
  const thread = await world.session();
  for (const [prompt, yes] of [
    ["ask:", "B · Blue"],
    ["tool:bash:touch made", "Allow"],
    ["ask:", "B · Blue"],
    ["tool:bash:touch more", "Allow"],
  ] as const) {
    const { id } = await world.owner(thread).send(prompt);
    const asked = { world, daemon, thread, id };
    await prompted(asked, yes);
    await press(asked, yes);
    await world.marked(id, "✅");
  }
  const said = world
    .said(thread)
    .flatMap(
      ({ content }) => /^(?:I need to ask|Running a command)|asks you|Claude wants to run/.exec(content)?.[0] ?? [],
    );
  const question = ["I need to ask", "asks you"];
  const permission = ["Running a command", "Claude wants to run"];
  expect(said).toEqual([...question, ...permission, ...question, ...permission]);
});

test("three questions in one, with several options and with own words, are one answer", async (context) => {
  const options = (...labels: string[]): object[] => labels.map((label) => ({ label, description: "" }));
  const questions = [
    { question: "Which colour?", header: "Colour", multiSelect: false, options: options("Red", "Blue") },
    { question: "Which toppings?", header: "Toppings", multiSelect: true, options: options("Figs", "Nuts", "Salt") },
    { question: "Which size?", header: "Size", multiSelect: false, options: options("Small", "Large") },
  ];
  const { desk, asked } = await asking(context, `call:AskUserQuestion:${JSON.stringify({ questions })}`);
  await press(asked, "B · Blue");
  await choose(asked, "0", "2");
  await posted(desk.world, asked.thread, "Which size?");
  await press(asked, "Other (type your answer)", "as wide as a door");
  await desk.world.marked(asked.id, "✅");
  const heard = JSON.stringify(desk.model.asked.at(-1)?.turns);
  for (const answer of ["Blue", "Figs, Salt", "as wide as a door"]) expect(heard).toContain(answer);
  expect(desk.all("DecisionAsked")).toHaveLength(1);
});

test("what is chosen in a question at the terminal stands in Discord", async (context) => {
  const question = {
    question: "Which colour?",
    header: "Colour",
    multiSelect: false,
    options: ["Red", "Blue"].map((label) => ({ label, description: "" })),
  };
  const { desk, asked } = await asking(context, `call:AskUserQuestion:${JSON.stringify({ questions: [question] })}`);
  await prompted(asked, "B · Blue");
  await desk.chooses("Esc to cancel", "2. Blue");
  expect((await desk.came("DecisionVoided"))[0]).toMatchObject({ outcome: "answered", said: ["Blue"] });
  await posted(desk.world, asked.thread, "> Blue");
  await desk.world.marked(asked.id, "✅");
});

test("two tools at once are asked about one by one, and each answer is its own", async (context) => {
  const calls = ["first", "second"].map((name) => ({
    name: "Bash",
    input: { command: `touch ${name}`, description: name },
  }));
  const { desk, asked } = await asking(context, `calls:${JSON.stringify(calls)}`);
  const { world, thread } = asked;
  for (const name of ["first", "second"]) {
    const { id } = await world.saying(thread, (said) =>
      said.findLast(
        (message) =>
          JSON.stringify(message).includes(`touch ${name}`) &&
          JSON.stringify(message.components).includes('"label":"Allow"'),
      ),
    );
    await (await world.owner(thread).clickButton(id, name === "first" ? "Deny" : "Allow")).acknowledged();
  }
  await world.marked(asked.id, "✅");
  expect(["first", "second"].map((name) => existsSync(join(world.project, name)))).toEqual([false, true]);
  expect(desk.all("DecisionAsked")).toHaveLength(2);
});

test("a tool that is asked about while the daemon is killed does not run, and the same button allows it afterwards", async (context) => {
  const { desk, asked } = await asking(context, "tool:bash:touch made");
  const { world, thread } = asked;
  const prompt = await prompted(asked, "Allow");
  await asked.daemon.kill("SIGKILL");
  expect(made(desk)).toBe(false);
  await desk.start();
  await desk.came("DecisionReconnected");
  expect(made(desk)).toBe(false);
  await (await world.owner(thread).clickButton(prompt.id, "Allow")).acknowledged();
  await world.marked(asked.id, "✅");
  expect(made(desk)).toBe(true);
  expect(desk.all("DecisionAsked")).toHaveLength(1);
});

describe("a plan", () => {
  /** Claude plans, and has written its plan where it has to stand. */
  async function planned(
    context: TestContext,
    config: Record<string, unknown> = {},
  ): Promise<{ desk: Desk; asked: Asked }> {
    const { desk, asked } = await asking(context, "echo:ready", config, [], { permission: "plan" });
    const { world, thread } = asked;
    await world.marked(asked.id, "✅");
    await writePlan(desk, thread, "# First A, then B");
    const { id } = await world.owner(thread).send("call:ExitPlanMode:{}");
    return { desk, asked: { ...asked, id } };
  }

  test("is rejected with what should be different, and the model hears it", async (context) => {
    const { desk, asked } = await planned(context);
    await press(asked, "Reject with feedback", "B first");
    await desk.world.marked(asked.id, "✅");
    expect(JSON.stringify(desk.model.asked.at(-1)?.turns)).toContain("B first");
  });

  test("is approved at the keyboard, which Discord says", async (context) => {
    const { desk, asked } = await planned(context);
    const prompt = await prompted(asked, "Approve");
    await desk.agrees("Would you like to proceed?");
    await desk.world.marked(asked.id, "✅");
    expect((await desk.came("DecisionVoided"))[0]).toMatchObject({ why: "terminal" });
    expect(await settled(asked, prompt)).toContain("terminal");
    await posted(desk.world, asked.thread, "User has approved");
  });

  test("that nobody answers for a while calls its owner again, and is approved at the terminal", async (context) => {
    const { desk, asked } = await planned(context, { decision_lapse_s: { by_tool: { tmux: { plan: 2 } } } });
    await prompted(asked, "Approve");
    await desk.came("DecisionReminded");
    await desk.agrees("Would you like to proceed?");
    await desk.world.marked(asked.id, "✅");
    await posted(desk.world, asked.thread, "User has approved");
  });
});
