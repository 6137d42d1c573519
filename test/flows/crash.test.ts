/**
 * The daemon is killed in the middle of a job: what is known is said, nothing is run again by itself, nobody else
 * waits.
 */
import { expect, test } from "vitest";
import { kept } from "./workshop.ts";
import { alive, answered, crashNotice, openSession, openWorld, type World } from "./world.ts";

/** A thread whose job was cut off by `kill -9`, with one more message queued behind it, and the daemon up again. */
async function crashed(world: World): Promise<{ thread: string; notice: string; agentPid: number }> {
  const daemon = world.daemon();
  await daemon.ready;
  const thread = await world.session();
  await world.owner(thread).send("hang:");
  await world.owner(thread).send("count:behind");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
  await kept(world, "I am thinking");
  const agentPid = world.agentStarts()[0]?.pid ?? 0;
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const notice = await world.saying(thread, (said) => crashNotice(said)?.id);
  return { thread, notice, agentPid };
}

test("a running job becomes unknown, says so in its thread, and its agent is not left running", async () => {
  const world = await openWorld();
  const { thread, agentPid } = await crashed(world);
  expect(alive(agentPid)).toBe(false);
  // What had been said stays, marked as cut off.
  await world.saying(thread, (said) =>
    said.some(({ content }) => content.startsWith("I am thinking\n-# Cut off here")),
  );
  // Nothing was run again, and the message behind waits.
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["hang:"]);
});

test("Retry runs the same prompt again, tells the agent it was interrupted, and the queue continues after it", async () => {
  const world = await openWorld();
  const { thread, notice } = await crashed(world);
  await world.owner(thread).clickButton(notice, "Retry");
  await world.agents(2);
  const [, again] = world.agentStarts();
  expect(again?.prompt).toMatch(/^\[Note from Bellhop[\s\S]*\n\nhang:$/);
  expect(again?.resumed).toBeDefined();
});

test.each([
  ["Retry", "hang:"],
  ["Continue", "Go on with what it was doing. It had been asked:\n\nhang:"],
])(
  "%s begins anew where the agent had not kept the conversation yet, and says that it is lost",
  async (button, words) => {
    const world = await openWorld({ args: ["--forgetful"] });
    const { thread, notice } = await crashed(world);
    await world.owner(thread).clickButton(notice, button);
    await world.agents(3);
    const [, refused, anew] = world.agentStarts();
    expect([refused?.resumed !== undefined, anew?.resumed]).toEqual([true, undefined]);
    expect(anew?.prompt).toMatch(/^\[Note from Bellhop[^\n]* its conversation is lost\./);
    expect(anew?.prompt.endsWith(words)).toBe(true);
  },
);

test("a conversation that was more than what the crash cut off is not begun anew unasked", async () => {
  const { world, daemon, thread } = await openSession({ args: ["--forgetful"] });
  await world.marked((await world.owner(thread).send("echo:one")).id, "✅");
  const { id } = await world.owner(thread).send("hang:");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.owner(thread).clickButton((await world.saying(thread, crashNotice)).id, "Retry");
  await world.marked(id, "❌");
  await world.saying(thread, (said) => JSON.stringify(said).includes("E_RESUME_UNKNOWN"));
  expect(world.agentStarts()).toHaveLength(3);
});

test("Discard lets the queue continue without it", async () => {
  const world = await openWorld();
  const { thread, notice } = await crashed(world);
  await world.owner(thread).clickButton(notice, "Discard");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did behind")));
  expect(world.agentStarts()).toHaveLength(2);
  // The settled notice has no buttons left.
  await world.saying(thread, (said) => said.find(({ id }) => id === notice)?.components?.length === 0);
});

test("the owner's next message lets the queue continue, in the order written", async () => {
  const world = await openWorld();
  const { thread } = await crashed(world);
  await world.owner(thread).send("count:later");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did later")));
  const prompts = world.agentStarts().map(({ prompt }) => prompt);
  expect(prompts.slice(1).map((prompt) => /count:\w+/.exec(prompt)?.[0])).toEqual(["count:behind", "count:later"]);
});

test("other threads' queues run at once after the restart", async () => {
  const world = await openWorld();
  const daemon = world.daemon();
  await daemon.ready;
  const [hanging, other] = [await world.session(), await world.session()];
  await world.owner(hanging).send("hang:");
  await world.agents(1);
  await daemon.kill("SIGKILL");
  await world.owner(other).send("count:other");
  await world.daemon().ready;
  await answered(world, other, ["did other"]);
});

test("an answer that was due when the daemon was killed is delivered after the restart, once", async () => {
  const { world, daemon, thread } = await openSession();
  const stuck = world.sandbox.faults.hold({ method: "POST", path: `/channels/${thread}/messages` });
  const { id } = await world.owner(thread).send("count:due");
  await stuck.hit();
  await world.sandbox.until(({ reactions }) => reactions(id)["✅"] !== undefined);
  await daemon.kill("SIGKILL");
  stuck.lift();
  await world.daemon().ready;
  await answered(world, thread, ["did due"]);
  expect(world.agentStarts()).toHaveLength(1);
});
