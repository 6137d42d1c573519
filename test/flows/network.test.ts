/** Discord misbehaves while an answer is on its way: it arrives, and it arrives once. */
import { expect, test } from "vitest";
import { answered, openWorld } from "./world.ts";

test("a create answered with 500 after it was stored is still one message", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  const fault = world.sandbox.faults.fail({ method: "POST", path: `/channels/${thread}/messages`, status: 500, when: "after", times: 3 });
  await world.owner(thread).send("count:stored");
  await fault.hit(3);
  await answered(world, thread, ["did stored"]);
});

test("a create whose connection is reset after it was stored is still one message", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  const fault = world.sandbox.faults.reset({ method: "POST", path: `/channels/${thread}/messages`, when: "after", times: 2 });
  await world.owner(thread).send("count:reset");
  await fault.hit(2);
  await answered(world, thread, ["did reset"]);
});

test("an answer that meets 503s is delivered once, when they are over, and the agent ran once", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  const fault = world.sandbox.faults.fail({ method: "POST", path: `/channels/${thread}/messages`, status: 503, when: "before" });
  await world.owner(thread).send("count:patient");
  await fault.hit(3);
  fault.lift();
  await answered(world, thread, ["did patient"]);
  expect(world.agentStarts()).toHaveLength(1);
});

test("a storm of 429s is waited out without a request sent early", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  const fault = world.sandbox.faults.rateLimit({ path: `/channels/${thread}/`, retryAfter: 0.3, scope: "user", times: 6 });
  await world.owner(thread).send("slow:8:40");
  await fault.hit(6);
  await world.saying(thread, (said) => said.some(({ content }) => content.trim().endsWith("chunk8")));
  const limited = world.sandbox.violations.filter(({ kind }) => kind === "rate_limited");
  expect(limited).toEqual([]);
});

test("the gateway cut in mid-stream loses neither the answer nor what is written meanwhile", async () => {
  const world = await openWorld();
  await world.daemon().ready;
  const thread = await world.session();
  await world.owner(thread).send("slow:12:60");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk1")));
  world.sandbox.faults.gateway({ kind: "refuse_resume", times: 1 });
  world.sandbox.faults.gateway({ kind: "cut" });
  await world.owner(thread).send("count:meanwhile");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did meanwhile")));
  expect(world.said(thread).filter(({ content }) => content.includes("chunk12"))).toHaveLength(1);
  expect(world.agentStarts()).toHaveLength(2);
});
