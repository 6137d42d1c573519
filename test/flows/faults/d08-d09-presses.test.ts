/**
 * Presses and commands, through the built daemon: acknowledged at once whatever else Discord holds up, once however
 * often they come, and never the only way to say something.
 */
import { expect, test } from "vitest";
import { crashNotice, openWorld, type World } from "../world.ts";

/** A thread whose job was cut off, with one more message behind it; the daemon that told so has been ended too. */
async function cutOff(world: World, end: "SIGKILL" | "SIGTERM"): Promise<{ thread: string; notice: string }> {
  const first = world.daemon();
  await first.ready;
  const thread = await world.session();
  await world.owner(thread).send("hang:");
  await world.owner(thread).send("count:behind");
  await world.agents(1);
  await (await world.owner(thread).slash("status")).answer();
  await first.kill("SIGKILL");
  const second = world.daemon();
  await second.ready;
  const notice = await world.saying(thread, (said) => crashNotice(said)?.id);
  await second.kill(end);
  return { thread, notice };
}

const callbacks = ({ sandbox }: World, interactionId: string): number =>
  sandbox.requests.filter(({ path }) => path.includes(`/interactions/${interactionId}/`)).length;

test("D8: a press is acknowledged at once while everything else must wait, works after two restarts, and twice is once", async () => {
  const world = await openWorld({ unlimited: true });
  const { thread, notice } = await cutOff(world, "SIGKILL");
  await world.daemon().ready;
  const limit = world.sandbox.faults.rateLimit({ path: "/channels/", scope: "global", retryAfter: 0.5 });
  await world.owner(thread).send("count:later");
  await limit.hit();
  const before = world.sandbox.requests.length;
  // From here on nothing of ours gets through but what answers people.
  const presses = await Promise.all([0, 1].map(() => world.owner(thread).clickButton(notice, "Discard")));
  const status = await world.owner(thread).slash("status");
  await Promise.all([...presses, status].map((press) => press.acknowledged()));
  await status.answer();
  const written = world.sandbox.requests
    .slice(before)
    .filter(
      ({ method, path, auth, status: code }) =>
        auth === "bot" && method !== "GET" && path.includes("/channels/") && code < 300,
    );
  expect(written).toEqual([]);
  limit.lift();
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did later")));
  expect(presses.map(({ interaction }) => callbacks(world, interaction.id))).toEqual([1, 1]);
  expect(
    world.sandbox.violations.filter(
      ({ kind }) => kind === "double_ack" || kind === "expired_token" || kind === "unknown_interaction",
    ),
  ).toEqual([]);
  expect(world.agentStarts().map(({ prompt }) => /\w+:\w*$/.exec(prompt)?.[0])).toEqual([
    "hang:",
    "count:behind",
    "count:later",
  ]);
});

test("D9: a press while nobody was there is told as failed, and afterwards the same button works, or a word in its place", async () => {
  const world = await openWorld({ unlimited: true });
  const { thread, notice } = await cutOff(world, "SIGTERM");
  const missed = await world.owner(thread).clickButton(notice, "Discard");
  await missed.failed();
  const daemon = world.daemon();
  await daemon.ready;
  // It was not carried out behind anybody's back.
  expect(crashNotice(world.said(thread))?.id).toBe(notice);
  expect(world.agentStarts()).toHaveLength(1);
  await (await world.owner(thread).clickButton(notice, "Discard")).acknowledged();
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did behind")));
  // The other way: the same trouble once more, and a message is the answer.
  await world.owner(thread).send("hang:");
  await world.agents(3);
  await (await world.owner(thread).slash("status")).answer();
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  await world.saying(thread, (said) => crashNotice(said) !== undefined);
  await world.owner(thread).send("count:instead");
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("did instead")));
  await world.saying(thread, (said) => crashNotice(said) === undefined);
});
