/**
 * A budget that is used up: what runs goes on, nothing new starts, and its owner is asked once, with buttons. What he
 * writes settles nothing and waits; his press lets it go on, to a limit of his own too, or leaves it at that. It
 * survives a restart; a day's budget is over at midnight.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { journalOf } from "./journal.ts";
import { configure, descriptionOf, inJournal, open, recorded, withButton } from "./workshop.ts";
import { openSession, type Daemon, type World } from "./world.ts";

const GO_ON = "b-on";
const isParked = (thread: string) => (event: { type: string; payload: object }) =>
  event.type === "SessionParked" && "thread_id" in event.payload && event.payload.thread_id === thread;

function send(world: World, thread: string, words: string): Promise<{ id: string }> {
  return world.owner(thread).send(words);
}

/** Its answer stands. */
function answers(world: World, thread: string, words: string): Promise<unknown> {
  return world.saying(thread, (said) => said.some(({ content }) => content.includes(words)));
}

/** What asks, with buttons that count. */
function prompt(world: World, thread: string, but?: string): Promise<APIMessage> {
  return world.saying(thread, (said) =>
    withButton(
      said.filter(({ id }) => id !== but),
      GO_ON,
    ),
  );
}

async function press(world: World, thread: string, { id }: APIMessage, button: string): Promise<void> {
  await (await world.owner(thread).clickButton(id, button)).acknowledged();
}

async function raiseTo(world: World, thread: string, { id }: APIMessage, words: string): Promise<string> {
  const owner = world.owner(thread);
  return (await (await owner.submitModal(await owner.clickButton(id, "Raise to…"), { words })).answer()).content;
}

async function budget(world: World, thread: string, limit?: string): Promise<string> {
  const typed = limit === undefined ? {} : { limit };
  return (await (await world.owner(thread).slash("budget", typed)).answer()).content;
}

/** A daemon whose process sees the clock so many hours on. */
async function later(world: World, hours: number): Promise<Daemon> {
  const file = join(world.home, "later.mjs");
  writeFileSync(file, `const { now } = Date; Date.now = () => now() + ${hours} * 3_600_000;\n`);
  const daemon = world.daemon({ env: { NODE_OPTIONS: `--import=${file}` } });
  await daemon.ready;
  return daemon;
}

test("at 80 % the end says so; used up, one prompt rings, words settle nothing, and it goes on at one press, after a restart too", async () => {
  const { world, daemon, thread } = await openSession({ config: { budget: { session: { USD: 1 } } }, unlimited: true });
  await send(world, thread, "spend:0.85");
  await world.saying(thread, (said) => said.some((one) => descriptionOf(one).includes("85% of this session's budget")));
  await send(world, thread, "spend:0.25");
  const asks = await prompt(world, thread);
  expect(asks.content).toContain(`<@${world.sandbox.owner.id}>`);
  expect(JSON.stringify(asks.embeds)).toContain("**$1.10** of **$1.00**");
  await world.marked((await send(world, thread, "yes, go on")).id, "⏳");
  await world.marked((await send(world, thread, "count:1")).id, "⏳");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.marked((await send(world, thread, "count:2")).id, "⏳");
  expect(world.agentStarts()).toHaveLength(2);
  expect(world.said(thread).filter((one) => withButton([one], GO_ON))).toHaveLength(1);
  const both = await Promise.all([0, 1].map(() => world.owner(thread).clickButton(asks.id, "Go on ($1.00 more)")));
  await Promise.all(both.map((one) => one.acknowledged()));
  await answers(world, thread, "did 2");
  expect(journalOf(world).filter(({ type }) => type === "BudgetRaised")).toHaveLength(1);
  expect(
    world
      .agentStarts()
      .map(({ prompt: words }) => words)
      .slice(2),
  ).toEqual(["yes, go on", "count:1", "count:2"]);
  await world.saying(thread, (said) => said.every((one) => !withButton([one], GO_ON)));
});

test("Raise to… takes more than is used, in its unit only; late presses change nothing", async () => {
  const { world, thread } = await openSession({ config: { budget: { session: { USD: 1 } } }, unlimited: true });
  await send(world, thread, "spend:1.5");
  const asks = await prompt(world, thread);
  await world.marked((await send(world, thread, "count:1")).id, "⏳");
  expect(await raiseTo(world, thread, asks, "1.5")).toContain("E_BUDGET_USED");
  expect(await raiseTo(world, thread, asks, "9 EUR")).toContain("E_BUDGET_UNIT");
  expect(await raiseTo(world, thread, asks, "-9")).toContain("E_BUDGET_INVALID");
  const opened = await world.owner(thread).clickButton(asks.id, "Raise to…");
  expect(await raiseTo(world, thread, asks, "$9")).toBe("The limit is $9.00 now.");
  await answers(world, thread, "did 1");
  // It was open all the time.
  const late = await (await world.owner(thread).submitModal(opened, { words: "50" })).answer();
  expect(late.content).toContain("E_DECISION_CLOSED");
  expect(await budget(world, thread)).toContain("$1.50 of $9.00 (16%)");
});

test("a budget that is raised in config.json lets what waits go on", async () => {
  const { world, thread } = await openSession({ config: { budget: { session: { USD: 1 } } }, unlimited: true });
  await send(world, thread, "spend:1.5");
  await prompt(world, thread);
  await world.marked((await send(world, thread, "count:1")).id, "⏳");
  configure(world, (config) => void Object.assign(config, { budget: { session: { USD: 2 } } }));
  await answers(world, thread, "did 1");
});

test.each(["codex", "gemini"] as const)("headless %s tells its tokens at the end", async (tool) => {
  const config = { budget: { session: { tokens: 1 } } };
  const { world, thread } = await openSession({ config, tools: [tool], unlimited: true });
  await send(world, thread, "count:1");
  await answers(world, thread, "did 1");
  await prompt(world, thread);
  await world.marked((await send(world, thread, "count:2")).id, "⏳");
});

test("an agent that speaks ACP tells its costs as it goes, in its own currency", async () => {
  const script = join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
  const config = {
    commands: { acp: [process.execPath, script, "fine"] },
    budget: { session: { EUR: 1, USD: 0.4 } },
  };
  const { world, thread } = await openSession({ config, agent: "none", tools: ["acp"], unlimited: true });
  await send(world, thread, "euros");
  await world.saying(thread, (said) => said.some((one) => descriptionOf(one).includes("The budget in USD does not")));
  expect(JSON.stringify((await prompt(world, thread)).embeds)).toContain("**€1.50** of **€1.00**");
  const other = await world.session();
  await send(world, other, "model");
  expect(JSON.stringify((await prompt(world, other)).embeds)).toContain("**$0.5000** of **$0.4000**");
  await answers(world, other, "I am small");
  await inJournal(world, (events) => events.filter(({ type }) => type === "JobCompleted").length === 2);
  const types = journalOf(world).map(({ type, payload }) => (payload["kind"] === "used" ? "used" : type));
  expect(types.lastIndexOf("used")).toBeLessThan(types.lastIndexOf("JobCompleted"));
  expect(await budget(world, thread)).toContain("€1.50 of €1.00 (150%)");
});

test("Stop here ends what runs and keeps what waits; it can go on later", async () => {
  const { world, thread } = await openSession({ config: { budget: { session: { tokens: 400 } } }, unlimited: true });
  const busy = await send(world, thread, "burn:500:gate");
  const asks = await prompt(world, thread);
  expect(JSON.stringify(asks.embeds)).toContain("What is running goes on to its end.");
  const waits = await send(world, thread, "count:1");
  const both = await Promise.all([0, 1].map(() => world.owner(thread).clickButton(asks.id, "Stop here")));
  await Promise.all(both.map((one) => one.acknowledged()));
  await world.marked(busy.id, "🚫");
  await world.marked(waits.id, "⏳");
  const stopped = await world.saying(thread, (said) =>
    said.find((one) => one.id === asks.id && !withButton([one], "b-stop")),
  );
  expect(journalOf(world).filter(({ type }) => type === "BudgetStopped")).toHaveLength(1);
  await press(world, thread, stopped, "Go on (400 tokens more)");
  await answers(world, thread, "did 1");
});

test.each([
  ["after_turn", "burnt 500"],
  ["now", null],
] as const)("told during a turn, with budget_stops: %s", async (budget_stops, answer) => {
  const config = { budget: { session: { tokens: 400 } }, budget_stops };
  const { world, thread } = await openSession({ config, unlimited: true });
  const busy = await send(world, thread, "burn:500:gate");
  await prompt(world, thread);
  if (answer === null) return world.marked(busy.id, "🚫");
  await recorded(world, isParked(thread));
  open(world, "gate");
  await answers(world, thread, answer);
  await world.marked(busy.id, "✅");
});

test("a day's budget adds up all sessions, parks every queue, asks once, and is over at midnight", async () => {
  const config = { budget: { day: { USD: 1 } }, time_zone: "Asia/Seoul" };
  const { world, daemon, thread } = await openSession({ config, unlimited: true });
  const other = await world.session();
  await send(world, thread, "spend:0.6");
  await answers(world, thread, "spent 0.6");
  await send(world, other, "spend:0.6");
  const asks = await prompt(world, other);
  expect(asks.content).toContain(`<@${world.sandbox.owner.id}>`);
  const waits = [await send(world, thread, "count:1"), await send(world, other, "count:2")];
  for (const { id } of waits) await world.marked(id, "⏳");
  const beside = await prompt(world, thread);
  expect(beside.content).not.toContain("<@");
  await daemon.kill("SIGTERM");
  await later(world, 24);
  await answers(world, thread, "did 1");
  await answers(world, other, "did 2");
  await inJournal(world, (events) => events.filter(({ type }) => type === "SessionUnparked").length === 2);
});

test("/budget sets, shows and takes away; what is no amount is refused, and another currency is said", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  expect(await budget(world, thread)).toContain("There is no budget");
  for (const wrong of [
    "0",
    "0 USD",
    "-1 USD",
    "many",
    "5",
    "5 dollars",
    "1e3 USD",
    "NaN USD",
    "5 USD EUR",
    "9999999999999 USD",
  ])
    expect(await budget(world, thread, wrong)).toContain("E_BUDGET_INVALID");
  await send(world, thread, "spend:2");
  await answers(world, thread, "spent 2");
  expect(await budget(world, thread, "3 EUR")).toContain("tells its costs in USD, and nothing is converted");
  await send(world, thread, "spend:3");
  await world.saying(thread, (said) => said.some((one) => descriptionOf(one).includes("does not count this")));
  const lowered = await budget(world, thread, "$4");
  expect(lowered).toContain("$5.00 of $4.00 (125%)");
  expect(lowered).toContain("nothing new starts here");
  await world.marked((await send(world, thread, "count:1")).id, "⏳");
  await prompt(world, thread);
  expect(await budget(world, thread, "off")).toContain("has no budget now");
  await answers(world, thread, "did 1");
  expect(await budget(world, thread, "1.5M tokens")).toContain("of 1,500,000 tokens");
});
