/** Acceptance test 4 of the sessions' design: threads run side by side, as many as GLOBAL_MAX_RUNNING says. */
import { expect, test } from "vitest";
import { open } from "../workshop.ts";
import { alive, answered, openWorld, type World } from "../world.ts";

/** What the running agents were asked, sorted, because either thread may start its agent first. */
const running = (world: World): string[] =>
  world
    .agentStarts()
    .filter(({ pid }) => alive(pid))
    .map(({ prompt }) => prompt)
    .sort();

test("4. Two threads of one project run at the same time, and a third waits until one of them is done", async () => {
  const world = await openWorld({ config: { limits: { idle_agents: 0 } }, unlimited: true });
  await world.daemon().ready;
  const threads = [await world.session(), await world.session(), await world.session()] as const;
  const names = ["one", "two", "three"] as const;
  const messages: string[] = [];
  for (const [at, thread] of threads.entries())
    messages.push((await world.owner(thread).send(`until:${names[at]}`)).id);
  const [first = "", second = "", third = ""] = messages;

  await Promise.all([world.marked(first, "⚙️"), world.marked(second, "⚙️"), world.marked(third, "⏳")]);
  await world.agents(2);
  expect(running(world)).toEqual(["until:one", "until:two"]);

  // One place becomes free: the third begins while the other still runs.
  open(world, "one");
  await world.marked(third, "⚙️");
  await answered(world, threads[0], ["one is over"]);
  await world.agents(3);
  expect(running(world)).toEqual(["until:three", "until:two"]);

  for (const name of ["two", "three"]) open(world, name);
  await answered(world, threads[1], ["two is over"]);
  await answered(world, threads[2], ["three is over"]);
});
