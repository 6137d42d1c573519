/** What an agent told of itself is kept with its session: shown while it sleeps, and after a restart. */
import path from "node:path";
import { expect, test } from "vitest";
import { recorded } from "./workshop.ts";
import { openSession, type World } from "./world.ts";

const agent = path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");

async function shown(world: World, thread: string): Promise<string[]> {
  const owner = world.owner(thread);
  const [status, usage] = [
    await (await owner.slash("agent status")).answer(),
    await (await owner.slash("agent usage")).answer(),
  ];
  const offered = await owner.autocomplete("agent model", "model_id", "");
  return [JSON.stringify(status.embeds), JSON.stringify(usage.embeds), JSON.stringify(offered)];
}

test("the model, what may be chosen, the context and the cost are shown as last told, asleep and after a restart", async () => {
  const { world, daemon, thread } = await openSession({
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: { commands: { acp: [process.execPath, agent, "models"] }, limits: { idle_agents: 0 } },
  });
  const { id } = await world.owner(thread).send("model");
  await world.marked(id, "✅");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am small")));
  await recorded(world, ({ type, payload }) => type === "JobProgress" && payload["kind"] === "gone");
  const expected = [/last reported.*`small`/, /last reported.*30,000 \/ 200,000.*\$0\.5000/, /small.*large.*gone/];
  const asleep = await shown(world, thread);
  asleep.forEach((text, at) => expect(text).toMatch(expected[at] ?? /$^/));
  await daemon.kill("SIGTERM");
  await world.daemon().ready;
  expect(await shown(world, thread)).toEqual(asleep);
});
