/** Many messages at once in one thread. */
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { inFolder, openSession } from "./world.ts";

test("twenty messages in one burst start exactly one agent; the other nineteen wait in the order in which Discord has them", async () => {
  const { world, thread } = await openSession({ unlimited: true, config: { limits: { global_max_running: 10 } } });
  const owner = world.owner(thread);
  const sent = await Promise.all(Array.from({ length: 20 }, (_, number) => owner.send(`hang: ${number}`)));
  const inOrder = sent.map(({ id }) => id).sort();
  await world.saying(thread, (said) => said.some(({ content }) => content.includes("I am thinking")));
  const ofType = (type: string) =>
    eventsOf(world)
      .filter((event) => event.type === type)
      .map(({ payload }) => payload["discord_message_id"]);
  await inFolder(world.stateDir, () => ofType("JobEnqueued").length === sent.length);

  expect(world.agentStarts()).toHaveLength(1);
  expect(ofType("JobEnqueued")).toEqual(inOrder);
  expect(ofType("JobStarted")).toHaveLength(1);
});
