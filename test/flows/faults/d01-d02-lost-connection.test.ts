/** The gateway's connection breaks: what it brings again is heard once, and what it never brings is read back. */
import { expect, test } from "vitest";
import { answered, openSession, openWorld, type World } from "../world.ts";

const prompts = (world: World): string[] => world.agentStarts().map(({ prompt }) => prompt);

test("D1: what a resumed connection brings again, doubled and beside what is read back, is one job each, in order", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const { faults } = world.sandbox;
  faults.gateway({ kind: "duplicate", t: "MESSAGE_CREATE" });
  faults.gateway({ kind: "cut_after", t: "MESSAGE_CREATE", times: 1 });
  for (const word of ["one", "two", "three", "four"]) await world.owner(thread).send(`count:${word}`);
  const reads = (): number =>
    world.sandbox.requests.filter(({ operationId, path }) => operationId === "list_messages" && path.includes(thread))
      .length;
  // It reads the thread back at its first connection and again after the one that was cut.
  await world.sandbox.until(() => reads() >= 2);
  await world.owner(thread).send("count:five");
  await answered(world, thread, ["did one", "did two", "did three", "did four", "did five"]);
  expect(prompts(world)).toEqual(["one", "two", "three", "four", "five"].map((word) => `count:${word}`));
});

test("D2: with the session lost, what was written meanwhile is read back in every thread, archived ones too", async () => {
  const world = await openWorld({ unlimited: true });
  await world.daemon().ready;
  const [here, there] = [await world.session(), await world.session()];
  const { faults } = world.sandbox;
  const hello = faults.gateway({ kind: "slow_hello" });
  faults.gateway({ kind: "close", code: 4009 });
  await hello.hit();
  for (const word of ["a", "b"]) await world.owner(here).send(`count:${word}`);
  await world.owner(there).send("count:c");
  await world.owner(there).archive();
  hello.lift();
  await answered(world, here, ["did a", "did b"]);
  await answered(world, there, ["did c"]);
  expect(prompts(world).toSorted()).toEqual(["count:a", "count:b", "count:c"]);
});
