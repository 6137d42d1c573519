/** Discord misbehaves while an answer is on its way: it arrives, and it arrives once. */
import { expect, test } from "vitest";
import { answered, openSession } from "./world.ts";

test("an answer that meets 503s is delivered once, when they are over, and the agent ran once", async () => {
  const { world, thread } = await openSession();
  const fault = world.sandbox.faults.fail({
    method: "POST",
    path: `/channels/${thread}/messages`,
    status: 503,
    when: "before",
  });
  await world.owner(thread).send("count:patient");
  await fault.hit(3);
  fault.lift();
  await answered(world, thread, ["did patient"]);
  expect(world.agentStarts()).toHaveLength(1);
});

test("the gateway cut in mid-stream loses neither the answer nor what is written meanwhile", async () => {
  const { world, thread } = await openSession();
  await world.owner(thread).send("slow:12:60");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("chunk1")));
  world.sandbox.faults.gateway({ kind: "refuse_resume", times: 1 });
  world.sandbox.faults.gateway({ kind: "cut" });
  await world.owner(thread).send("count:meanwhile");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did meanwhile")));
  expect(world.said(thread).filter(({ content }) => content.includes("chunk12"))).toHaveLength(1);
  expect(world.agentStarts()).toHaveLength(2);
});
