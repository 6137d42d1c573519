/** An agent that has said all and does not end its turn: its owner takes that as the answer. */
import path from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { asks } from "./asked.ts";
import { recorded, withButton } from "./workshop.ts";
import type { WorldOptions } from "./world.ts";

const agent = path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs");
const scripted: WorldOptions = {
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  // It is quiet after a fifteenth of that.
  config: { commands: { acp: [process.execPath, agent] }, limits: { acp_silence_sec: 60 } },
};

test("after a while its card says so; taken as finished, its turn is cancelled and what it said is the answer", async () => {
  const asked = await asks("unended", scripted);
  const { world, thread, id } = asked;
  const card = await world.saying(thread, (said) => withButton(said, "finish"));
  expect(JSON.stringify(card)).toContain("The answer seems complete, but the agent has not ended its turn.");
  expect(eventsOf(world).some(({ type }) => type === "JobCancelRequested")).toBe(false);
  await (await world.owner(thread).clickButton(card.id, "Take it as finished")).acknowledged();
  await world.marked(id, "✅");
  expect(world.said(thread).some(({ content }) => content.startsWith("That is all."))).toBe(true);
  await recorded(world, ({ type, payload }) => type === "JobCompleted" && payload["result_excerpt"] === "That is all.");
  await world.saying(thread, (said) => withButton(said, "finish") === undefined);
});

test("stopped instead, it is cancelled although it says that it was done", async () => {
  const asked = await asks("unended", scripted);
  const { world, thread, id } = asked;
  const card = await world.saying(thread, (said) => withButton(said, "finish"));
  await (await world.owner(thread).clickButton(card.id, "Stop")).acknowledged();
  await world.marked(id, "🚫");
  expect(eventsOf(world).filter(({ type }) => type === "JobCompleted")).toEqual([]);
});
