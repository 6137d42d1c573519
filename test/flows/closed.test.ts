/** A session that is closed: what is written there waits for nobody, and one press opens it again. */
import path from "node:path";
import { expect, test } from "vitest";
import { answer, asks, type Asked } from "./asked.ts";
import { descriptionOf, recorded, withButton } from "./workshop.ts";
import { tree, type WorldOptions } from "./world.ts";

const agent = path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
const scripted = (limits: object): WorldOptions => ({ agent: "none", tools: ["acp"], unlimited: true, config: { commands: { acp: [process.execPath, agent] }, limits } });

/** A session whose agent was silent for too long. */
async function silent(): Promise<Asked> {
  const asked = await asks("quiet", scripted({ acp_silence_sec: 1 }));
  await asked.world.marked(asked.id, "❌");
  return asked;
}

test("an agent that gives no sign of life is ended, and its session closed with a sentence", async () => {
  const { world, thread, daemon } = await silent();
  await world.saying(thread, (said) => said.some((message) => descriptionOf(message).includes("E_AGENT_SILENT")));
  await recorded(world, ({ type, payload }) => type === "SessionClosed" && payload["by"] === "silent");
  await recorded(world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "gone");
  expect(tree(daemon.pid)).toEqual([daemon.pid]);
});

test("a message there is refused with a button that reopens the session with it, once", async () => {
  const asked = await silent();
  const { world, thread } = asked;
  const { id } = await world.owner(thread).send("echo and on");
  await world.marked(id, "⚠️");
  const refusal = await world.saying(thread, (said) => withButton(said, "s-reopen"));
  expect(descriptionOf(refusal)).toContain("E_SESSION_CLOSED");
  await (await world.owner(thread).clickButton(refusal.id, "Reopen and send")).acknowledged();
  await answer(asked, "and on");
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.some((message) => message.id === refusal.id && message.content.startsWith("The session is open again") && (message.components ?? []).length === 0));
});
