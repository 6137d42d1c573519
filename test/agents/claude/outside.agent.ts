/**
 * What the real Claude does by itself after its answer, as its owner handles it in Discord: stopped, at a usage limit,
 * spoken into.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventsOf } from "../../flows/acceptance/stage.ts";
import { press, type Asked } from "../../flows/asked.ts";
import { sendNow, shown } from "../../flows/sending.ts";
import { recorded, withButton } from "../../flows/workshop.ts";
import { alive } from "../../flows/world.ts";
import { queuedByClaude } from "../bench.ts";
import { askReal, type Real } from "../real-world.ts";

const REPORT = "🌙 The agent reports from work in the background.";

/**
 * A session whose Claude has answered, and now does this by itself: the end of its work in the background tells the
 * model so.
 */
async function reporting(
  directive: string,
  env: Record<string, string | undefined> = {},
): Promise<Asked & { real: Real }> {
  // Claude runs this command without asking: it only reads.
  const session = await askReal(
    "claude",
    `call:Bash:${JSON.stringify({ command: "sleep 1; echo over", run_in_background: true, description: `so ${directive}` })}`,
    { env },
  );
  await session.world.marked(session.id, "✅");
  await recorded(session.world, ({ type }) => type === "OutsideTurnBegan");
  return session;
}

/** Resolves with the message that closes the outside turn, once its text has these words. */
const closing = ({ world, thread }: Asked, words: string): Promise<string> =>
  world.saying(thread, (said) => said.map(shown).findLast((text) => text.startsWith(REPORT) && text.includes(words)));

/** The next message is answered, in the process that did all that. */
async function goesOn(session: Asked): Promise<void> {
  const { world, thread } = session;
  await world.marked((await world.owner(thread).send("echo:again")).id, "✅");
  const pids = new Set<unknown>();
  await recorded(world, ({ type, payload }) => {
    if (type === "JobProgress" && payload["kind"] === "process") pids.add(payload["pid"]);
    return payload["result_excerpt"] === "again";
  });
  expect(pids.size).toBe(1);
  await session.daemon.kill("SIGTERM");
}

it("/cancel stops it, what it said is kept, and its process lives on", async () => {
  const session = await reporting("slow:200:50:");
  const { world, thread } = session;
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk2 ")));
  expect((await (await world.owner(thread).slash("cancel")).answer()).content).toBe(
    "Stopping what the agent does by itself.",
  );
  await closing(session, "🚫 cancelled");
  expect(world.said(thread).some(({ content }) => content.includes("chunk2 "))).toBe(true);
  await goesOn(session);
});

it("a usage limit in it makes its thread wait, and its owner lets the queue go on", async () => {
  const session = await reporting("limit:4000", {
    ANTHROPIC_API_KEY: undefined,
    CLAUDE_CODE_OAUTH_TOKEN: "test-token",
  });
  const { world, thread } = session;
  const { id } = await world.saying(thread, (said) => withButton(said, "unpark"));
  await closing(session, "E_USAGE_LIMIT");
  const sent = await world.owner(thread).send("echo:after the limit");
  await world.marked(sent.id, "⏳");
  await (await world.owner(thread).clickButton(id, "Continue now")).acknowledged();
  await world.marked(sent.id, "✅");
  await goesOn(session);
});

it("with idle_agents 0 each of two messages has a process of its own, and the second knows the first", async () => {
  const { world, thread, id, daemon } = await askReal("claude", "echo:apricots", { limits: { idle_agents: 0 } });
  await world.marked(id, "✅");
  await world.marked((await world.owner(thread).send("hist:")).id, "✅");
  await world.saying(thread, (said) =>
    said.some(({ content }) => content === 'HISTORY ["user:echo:apricots","assistant:apricots"]'),
  );
  const kinds = (kind: string) =>
    eventsOf(world).filter(({ type, payload }) => type === "JobProgress" && payload["kind"] === kind);
  const [first, second] = kinds("process").map(({ payload }) => Number(payload["pid"]));
  expect(first).not.toBe(second);
  expect(alive(first ?? 0)).toBe(false);
  await recorded(world, () => kinds("gone").length === 2);
  expect(alive(second ?? 0)).toBe(false);
  await daemon.kill("SIGTERM");
});

it("what is sent into it is read at the end of a tool, once, and its report says so", async () => {
  const session = await reporting("tool:bash:touch begun; while [ ! -e go ]; do sleep 0.1; done #");
  const { world, real } = session;
  await press(session, "Allow once");
  const sent = await sendNow(session, "Mind the bullaces.");
  await queuedByClaude(world, 2);
  writeFileSync(join(world.project, "go"), "");
  await world.marked(sent, "📨");
  await closing(session, "📨 Also answers: [Mind the bullaces.]");
  await closing(session, "✅ done");
  expect(JSON.stringify(real.model.asked.at(-1)?.body["messages"]).split("bullaces")).toHaveLength(2);
  await goesOn(session);
});
