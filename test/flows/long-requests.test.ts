/**
 * Requests that are too long to be shown, through the built daemon: each is refused to its agent with a reason, its
 * thread says what was refused and why, and everybody else is served meanwhile. What it costs is measured by `npm run
 * bench`.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, press, prompted, ran, type Asked } from "./asked.ts";
import { did, hasTmux, openDesk, started } from "./desk.ts";
import { descriptionOf, recorded } from "./workshop.ts";
import { peakBytes, type World, type WorldOptions } from "./world.ts";

const acp: WorldOptions = {
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: { commands: { acp: [process.execPath, join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs")] } },
};
/** Far below what it takes to lay out such a request, and several times what it takes to refuse it. */
const MOST_GROWTH = 250_000_000;

/** What the thread says of what was refused. */
function refusal(world: World, thread: string): Promise<string> {
  return world.saying(thread, (said) =>
    said.map(descriptionOf).find((words) => words.includes("Refused: too long to show")),
  );
}

/** A message of another thread is answered. */
async function others({ world }: Pick<Asked, "world">): Promise<void> {
  const thread = await world.session();
  await world.marked((await world.owner(thread).send("echo:as ever")).id, "✅");
}

const unasked = (world: World): void => {
  expect(
    eventsOf(world)
      .filter(({ type }) => type === "DecisionVoided")
      .map(({ payload }) => payload["why"]),
  ).toEqual(["too_long"]);
  expect(readdirSync(join(world.stateDir, "decisions"))).toEqual([]);
};

test.each([
  [
    "bulk:7800000",
    "Bash",
    "7,80\\d,\\d{3} bytes; the limit is 1,000,000",
    "It has 7,80\\d,\\d{3} bytes; the limit is 1,000,000",
  ],
  ["bulk:8500000", "Bash", "8,50\\d,\\d{3} bytes; the limit is 1,000,000", "It has 8,50\\d,\\d{3} bytes"],
  ["rewrite:3900000", "Edit", "7,80\\d,\\d{3} bytes; the limit is 1,000,000", "It has 7,80\\d,\\d{3} bytes"],
  // Its page file would be longer than the 10 MiB that Discord takes.
  ["bulk:950000", "Bash", "2,534 pages; the limit is 500", "It takes 2,534 pages or more; the limit is 500"],
])(
  "%s: headless Claude is refused with a reason, its thread says so, and others are served",
  async (prompt, tool, told, shown) => {
    const asked = await asks("echo:first", { config: { limits: { global_max_running: 3 } } });
    const { world, thread, daemon } = asked;
    await world.marked(asked.id, "✅");
    const before = peakBytes(daemon.pid);
    await world.owner(thread).send(prompt);
    await others(asked);
    expect(await answer(asked, "I may not: ")).toMatch(
      new RegExp(
        `^I may not: Not allowed: this request is too long to show to the owner \\(${told}\\), so nobody was asked\\. Split it`,
      ),
    );
    const words = await refusal(world, thread);
    expect(words).toMatch(new RegExp(`Nobody can review a request of this length.*${shown}`, "s"));
    expect(JSON.stringify(world.said(thread))).toContain(`wants to use \`${tool}\``);
    unasked(world);
    expect(ran(asked)).toEqual([]);
    expect(peakBytes(daemon.pid) - before).toBeLessThan(MOST_GROWTH);
    // What can be shown is asked as ever.
    await world.owner(thread).send("may:ls");
    await prompted(asked, "Allow once");
    await press(asked, "Allow once");
    await answer(asked, "It has run.");
  },
);

test("an agent that speaks ACP is refused, its thread says so, and its next prompt has the reason", async () => {
  const asked = await asks("bulk", acp);
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  expect(await answer(asked, "{")).toContain('"optionId":"no"');
  expect(await refusal(world, thread)).toMatch(/It has 7,80\d,\d{3} bytes; the limit is 1,000,000/);
  unasked(world);
  await world.marked((await world.owner(thread).send("whole")).id, "✅");
  await recorded(
    world,
    ({ type, payload }) => type === "JobCompleted" && String(payload["result_excerpt"]).includes("Note from Bellhop"),
  );
  const results = readdirSync(join(world.stateDir, "results")).map((name) =>
    readFileSync(join(world.stateDir, "results", name), "utf8"),
  );
  expect(results.join("\n")).toMatch(
    /what you asked for was refused, and this is why[^]*a long command: Not allowed: this request is too long to show to the owner \(7,80\d,\d{3} bytes/,
  );
});

test.skipIf(!hasTmux).each([
  ["heavy:8:one", "8,3\\d\\d,\\d{3}"],
  ["heavy:17:one", "17,8\\d\\d,\\d{3}"],
])("%s: a Claude in a window is refused, and its thread says so", async (prompt, bytes) => {
  const { world } = await openDesk();
  await started(world);
  const thread = await world.session();
  await world.owner(thread).send(prompt);
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I may not")));
  expect(await refusal(world, thread)).toMatch(new RegExp(`It has ${bytes} bytes`));
  unasked(world);
  await world.marked((await world.owner(thread).send("count:three")).id, "✅");
  expect(did(world)).toEqual(["three"]);
});
