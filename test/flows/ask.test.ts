/** `/ask`: an agent's own commands are completed where its session is, and what is sent is a job like a message. */
import path from "node:path";
import { expect, test } from "vitest";
import { answer, asks, press, prompted } from "./asked.ts";
import { openSession } from "./world.ts";

const demo = {
  agent: "none",
  tools: ["acp"],
  unlimited: true,
  config: {
    commands: { acp: [process.execPath, path.join(import.meta.dirname, "..", "..", "dist", "demo-agent.js")] },
  },
} as const;

test("completes what the agent can do, also while it sleeps, and sends it as a job with its reaction", async () => {
  const asked = await asks("echo hello", {
    ...demo,
    tools: ["acp"],
    config: { ...demo.config, limits: { idle_agents: 0 } },
  });
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  const offered = await world.owner(thread).autocomplete("ask", "prompt", "/ec");
  expect(offered.map(({ value }) => value)).toEqual(["/echo"]);
  expect(await world.owner(world.sandbox.channelId).autocomplete("ask", "prompt", "")).toEqual([]);
  const said = await (await world.owner(thread).slash("ask", { prompt: "/echo and *again*" })).answer();
  expect(said.content).toBe("💬 `/echo and *again*`");
  await answer(asked, "and *again*");
  await world.marked(said.id, "✅");
});

test("is a prompt also while a question is open, and nothing outside of a session", async () => {
  const asked = await asks("ask", { ...demo, tools: ["acp"] });
  const { world, thread } = asked;
  await prompted(asked, "B · Blue");
  const said = await (await world.owner(thread).slash("ask", { prompt: "echo later" })).answer();
  await world.owner(thread).send("blue");
  await press(asked, "A · Send");
  await answer(asked, "You answered:\n- colour: blue");
  await world.marked(said.id, "✅");
  const outside = await (await world.owner(world.sandbox.channelId).slash("ask", { prompt: "echo" })).answer();
  expect(outside.content).toContain("E_NOT_IN_MANAGED_THREAD");
});

test("survives a restart while it waits: it is looked up again, and neither edited nor lost", async () => {
  const { world, daemon, thread } = await openSession({ ...demo, tools: ["acp"] });
  await world.owner(thread).send("wait 600");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("Waiting 600 s.")));
  const said = await (await world.owner(thread).slash("ask", { prompt: "/echo kept" })).answer();
  await world.marked(said.id, "⏳");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.owner(thread).send("echo go on");
  await world.marked(said.id, "✅");
  await world.saying(thread, (all) => all.some(({ content }) => content === "kept"));
});
