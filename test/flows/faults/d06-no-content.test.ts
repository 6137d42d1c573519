/** Without the Message Content Intent words arrive as nothing: that is said, and nothing is what becomes of it. */
import { expect, test } from "vitest";
import { answered, openSession } from "../world.ts";

test("D6: a message that comes without its words is no job, and its writer is told which switch brings them", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  world.sandbox.setIntents({ messageContent: false });
  const unseen = await world.owner(thread).send("count:unseen");
  const notice = await world.saying(thread, (said) =>
    said.find((one) => JSON.stringify(one).includes("E_EMPTY_PROMPT")),
  );
  expect(JSON.stringify(notice)).toContain("Message Content Intent");
  expect(notice.message_reference?.message_id).toBe(unseen.id);
  await world.marked(unseen.id, "⚠️");
  world.sandbox.setIntents({ messageContent: true });
  await world.owner(thread).send("count:seen");
  await answered(world, thread, ["did seen"]);
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["count:seen"]);
});
