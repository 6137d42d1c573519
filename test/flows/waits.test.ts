/** A thread waits for the right checkout, says so, and goes on as its owner says. */
import { expect, test } from "vitest";
import { descriptionOf, git, repository, withButton } from "./workshop.ts";
import { openWorld, type World } from "./world.ts";

async function press(world: World, thread: string, button: string): Promise<void> {
  const notice = await world.saying(thread, (said) => withButton(said, button));
  const [, customId = ""] = new RegExp(`"(${button}:[\\w:]+)"`).exec(JSON.stringify(notice.components)) ?? [];
  await (await world.owner(thread).clickButton(notice.id, customId)).acknowledged();
}

test("in another checkout nothing runs until the owner says how: here all the same, in a new conversation, or not at all", async () => {
  const world = await openWorld({ unlimited: true, config: { limits: { idle_agents: 0 } } });
  repository(world);
  await world.daemon().ready;
  const threads = await Promise.all(
    ["accept", "fresh", "drop"].map(async (button) => ({ button, thread: await world.session() })),
  );
  // Where it ended is known when its end is: its answer may stand before that.
  const runs = async (thread: string, words: string): Promise<void> =>
    world.marked((await world.owner(thread).send(`echo:${words}`)).id, "✅");
  await Promise.all(threads.map(({ button, thread }) => runs(thread, `${button} one`)));
  // Commits on top are the same work.
  git(world, "commit", "-qm", "more", "--allow-empty");
  const [first] = threads;
  await runs(first?.thread ?? "", "accept two");

  git(world, "checkout", "-qb", "other");
  const asked = await Promise.all(
    threads.map(async (one) => ({ ...one, id: (await world.owner(one.thread).send(`echo:${one.button} three`)).id })),
  );
  for (const { button, thread } of threads) {
    const notice = await world.saying(thread, (said) => withButton(said, button));
    expect(descriptionOf(notice)).toMatch(/Then: `main` at `[0-9a-f]{10}`[^\n]*\nNow: `other` at/);
  }
  expect(world.agentStarts()).toHaveLength(4);
  for (const { button, thread } of threads) await press(world, thread, button);
  for (const { button, id } of asked) await world.marked(id, button === "drop" ? "🚫" : "✅");
  const later = world
    .agentStarts()
    .slice(4)
    .map(({ prompt, resumed }) => [prompt, resumed !== undefined]);
  expect(later.toSorted()).toEqual([
    ["echo:accept three", true],
    ["echo:fresh three", false],
  ]);
});
