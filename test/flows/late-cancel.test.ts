/**
 * An agent that ends its turn only after its process was told to end: what was on its way to that process never reaches
 * the next job's turn.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openWorld, type World } from "./world.ts";

const SCRIPTED = path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
/** In the daemon, the steps to the end of a process follow each other after a fifth of a second. */
const SOONER = `--import=data:text/javascript,${encodeURIComponent("const real=globalThis.setTimeout;globalThis.setTimeout=(call,ms,...more)=>real(call,ms===5_000||ms===3_000?200:ms,...more);")}`;

/** The first job is cancelled while the second waits for it; resolves when the second is done. */
async function cancelled(world: World, first: string, second: string): Promise<void> {
  const daemon = world.daemon({
    env: { NODE_OPTIONS: SOONER, ACP_FAKE_LOG: path.join(world.home, "received.ndjson") },
  });
  await daemon.ready;
  const thread = await world.session();
  const owner = world.owner(thread);
  const running = await owner.send(first);
  await world.saying(thread, (said) => said.some(({ content }) => /working|I am thinking/.test(content)));
  const waiting = await owner.send(second);
  await world.marked(waiting.id, "⏳");
  await (await owner.slash("cancel")).answer();
  await world.marked(running.id, "🚫");
  await world.marked(waiting.id, "✅");
}

const methodsOf = (world: World): unknown[] =>
  readFileSync(path.join(world.home, "received.ndjson"), "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { method?: string }).method);

test.each([
  [
    "lives on goes on with the next job, and no further signal reaches it",
    "stubborn",
    ["session/prompt", "session/cancel", "session/prompt"],
  ],
  [
    "exits a moment later does the next job in a new process",
    "parting",
    ["session/prompt", "session/cancel", "initialize", "session/resume", "session/prompt"],
  ],
  [
    "had to be told by SIGTERM does the next job in a new process",
    "termed",
    ["session/prompt", "session/cancel", "initialize", "session/resume", "session/prompt"],
  ],
])("an agent that speaks ACP, ends its turn at a signal, and %s", async (_, how, methods) => {
  const world = await openWorld({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, SCRIPTED] }, pass_env: ["ACP_FAKE_LOG"] },
  });
  await cancelled(world, how, "patient");
  expect(methodsOf(world)).toEqual(["initialize", "session/new", ...methods]);
});

test("a Claude that ends its turn at a signal and lives on goes on with the next job", async () => {
  const world = await openWorld({ unlimited: true, args: ["--deaf", "--stoic"] });
  await cancelled(world, "hang:", "slow:10:100");
  const [first, second] = world.agentStarts();
  expect(second?.pid).toBe(first?.pid);
});
