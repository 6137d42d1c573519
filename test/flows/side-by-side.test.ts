/** Two sessions that work in one directory at the same time: what changed is said to be both's. */
import { expect, test } from "vitest";
import { descriptionOf, learnt, open, repository, withButton } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

const SAID = /These changes are from this session and from <#\d+>, which worked in this directory at the same time/;

/** The end of its last job, with what changed. */
function end(world: World, thread: string): Promise<string> {
  return world.saying(thread, (said) =>
    said.map(descriptionOf).findLast((text) => text.startsWith("✅") && /in \d+ file/.test(text)),
  );
}

test("each of two threads names the other and how to work apart, and one that works alone later names nobody", async () => {
  const world = await openWorld({ unlimited: true });
  repository(world);
  await world.daemon().ready;
  const [one, two] = [await world.session(), await world.session()];
  await world.owner(one).send("work:one");
  await learnt(world, "checkout", 1);
  const second = await world.owner(two).send("work:two");
  await learnt(world, "checkout", 2);
  open(world, "one");
  open(world, "one-end");
  const first = await end(world, one);
  expect(first).toMatch(SAID);
  expect(first).toContain(`<#${two}>`);
  expect(first).toContain('`"isolation": "worktree"`');
  open(world, "two");
  open(world, "two-end");
  const other = await end(world, two);
  expect(other).toMatch(SAID);
  expect(other).toContain(`<#${one}>`);
  await world.marked(second.id, "✅");

  // So does the diff.
  const card = await world.saying(two, (said) => withButton(said, "diff"));
  const [, button = ""] = /"(diff:\w+)"/.exec(JSON.stringify(card.components)) ?? [];
  const pressed = await world.owner(two).clickButton(card.id, button);
  const [shown] = await pressed.followUps(1);
  expect(shown?.content).toMatch(SAID);
  expect(shown?.content).toContain(`<#${one}>`);

  const third = await world.owner(one).send("work:three");
  await learnt(world, "checkout", 3);
  open(world, "three");
  open(world, "three-end");
  await world.marked(third.id, "✅");
  const alone = await world.saying(one, (said) =>
    said.map(descriptionOf).findLast((text) => text.startsWith("✅") && text !== first && /in 1 file/.test(text)),
  );
  expect(alone).not.toMatch(SAID);
});
