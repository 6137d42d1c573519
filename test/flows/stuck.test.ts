/**
 * A failure that the next message would meet too: the first message goes back to the head of its queue, the others wait
 * behind it, and nothing more is tried before somebody has seen to the cause. Then all run, once and in order.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { descriptionOf, withButton } from "./workshop.ts";
import { openSession, type Daemon, type World } from "./world.ts";

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

/** As long as it lasts, whatever the agent is asked fails so. */
function breakIt(world: World, status: number, words: string, more: { tool?: true } = {}): void {
  writeFileSync(join(world.project, "fails.json"), JSON.stringify({ status, words, ...more }));
}

function mend(world: World): void {
  rmSync(join(world.project, "fails.json"));
}

/** A queue of five, whose first message has met the failure. */
async function openStuck(
  tool: string,
  status: number,
  words: string,
): Promise<{ world: World; daemon: Daemon; thread: string; ids: string[]; notice: APIMessage; tried: number }> {
  const { world, daemon, thread } = await openSession({ unlimited: true, tools: [tool] });
  breakIt(world, status, words);
  const ids: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) ids.push((await world.owner(thread).send(`count:${number}`)).id);
  const notice = await world.saying(thread, (said) => withButton(said, "drop"));
  for (const id of ids) await world.marked(id, "⏳");
  return { world, daemon, thread, ids, notice, tried: prompts(world).length };
}

/** Resolves when these stand, in this order; what tells of the wait stands between them. */
async function answeredIn(world: World, thread: string, numbers: number[]): Promise<void> {
  await world.saying(thread, (said) => {
    const answers = said.flatMap(({ content }) => (content.startsWith("did ") ? [content] : []));
    return answers.join() === numbers.map((number) => `did ${number}`).join();
  });
}

/** The next notice, which is a message of its own. */
function another(world: World, thread: string, before: APIMessage): Promise<APIMessage> {
  return world.saying(thread, (said) =>
    withButton(
      said.filter(({ id }) => id !== before.id),
      "drop",
    ),
  );
}

async function press(world: World, thread: string, { id }: APIMessage, button: string): Promise<void> {
  await (await world.owner(thread).clickButton(id, button)).acknowledged();
}

async function allRun(world: World, thread: string, ids: string[], tried: number): Promise<void> {
  await answeredIn(world, thread, [1, 2, 3, 4, 5]);
  for (const id of ids) await world.marked(id, "✅");
  expect(prompts(world).slice(tried)).toEqual([1, 2, 3, 4, 5].map((number) => `count:${number}`));
}

test.each([
  ["claude", 401, "Failed to authenticate. API Error: 401 expired", "E_AGENT_LOGIN", "Try again"],
  ["claude", 400, "Prompt is too long", "E_CONVERSATION_FULL", "New conversation"],
  ["claude", 400, "Credit balance is too low", "E_OUT_OF_CREDITS", "Try again"],
  ["claude", 404, "There's an issue with the selected model (claude-9).", "E_MODEL_UNAVAILABLE", "Try again"],
  ["claude", 529, "API Error: Repeated 529 Overloaded errors", "E_SERVICE_BUSY", "Try now"],
  ["codex", 401, "unexpected status 401 Unauthorized: expired", "E_AGENT_LOGIN", "Try again"],
  [
    "gemini",
    400,
    "The input token count exceeds the maximum number of tokens",
    "E_CONVERSATION_FULL",
    "New conversation",
  ],
] as const)(
  "%s, %i %s: five messages wait, and run after that state's own button",
  async (tool, status, words, code, button) => {
    const { world, thread, ids, notice, tried } = await openStuck(tool, status, words);
    expect(descriptionOf(notice)).toContain(`\`${code}\``);
    expect(new Set(prompts(world))).toEqual(new Set(["count:1"]));
    mend(world);
    await press(world, thread, notice, button);
    await allRun(world, thread, ids, tried);
    expect(withButton(world.said(thread), "drop")).toBeUndefined();
  },
);

test("what is stuck stays so over a kill of the daemon, and a press before the cause is gone burns nothing", async () => {
  const { world, daemon, thread, ids } = await openStuck("claude", 401, "Not logged in · Please run /login");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const asks = await world.saying(thread, (said) => withButton(said, "drop"));
  const before = prompts(world).length;
  await press(world, thread, asks, "Try again");
  await world.agents(before + 1);
  const again = await another(world, thread, asks);
  for (const id of ids) await world.marked(id, "⏳");
  mend(world);
  await press(world, thread, again, "Try again");
  await allRun(world, thread, ids, before + 1);
});

test("a message that is dropped lets the next one try, and a service that does not answer is tried again by itself", async () => {
  const { world, daemon, thread, ids, notice } = await openStuck(
    "claude",
    529,
    "API Error: Repeated 529 Overloaded errors",
  );
  expect(descriptionOf(notice)).toContain("It is tried again <t:");
  await press(world, thread, notice, "Drop it");
  await world.marked(ids[0] ?? "", "🚫");
  await another(world, thread, notice);
  await daemon.kill("SIGTERM");
  mend(world);
  // A minute later, as its process sees it.
  const file = join(world.home, "later.mjs");
  writeFileSync(file, "const { now } = Date; Date.now = () => now() + 3_600_000;\n");
  await world.daemon({ env: { NODE_OPTIONS: `--import=${file}` } }).ready;
  await answeredIn(world, thread, [2, 3, 4, 5]);
});

test("a job that has done something is not run again by itself, and what waits behind it is not burnt", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  await daemon.kill("SIGTERM");
  breakIt(world, 401, "OAuth session expired · Please run /login", { tool: true });
  const first = await world.owner(thread).send("count:1");
  const second = await world.owner(thread).send("count:2");
  await world.daemon().ready;
  const notice = await world.saying(thread, (said) => withButton(said, "unpark"));
  expect(descriptionOf(notice)).toContain("may have done something");
  await world.marked(first.id, "❌");
  await world.marked(second.id, "⏳");
  mend(world);
  await press(world, thread, notice, "Try again");
  await answeredIn(world, thread, [2]);
  expect(prompts(world)).toEqual(["count:1", "count:2"]);
});
