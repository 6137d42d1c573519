/** Stop is a word: who types it while a job runs is offered to stop that job, in any of our languages. */
import { expect, test } from "vitest";
import { withButton } from "./workshop.ts";
import { openSession } from "./world.ts";

test.each(["stop", "멈춰", "停", "止めて", "/cancel", "Stop, please!"])(
  "%s offers to stop the job, and is no job itself then",
  async (word) => {
    const { world, thread } = await openSession({ unlimited: true });
    const owner = world.owner(thread);
    const busy = await owner.send("hang: for ever");
    await world.agents(1);
    const typed = await owner.send(word);
    const next = await owner.send("count:next");
    const offer = await world.saying(thread, (said) => withButton(said, "stop-for"));
    expect(offer.message_reference?.message_id).toBe(typed.id);
    await (await owner.clickButton(offer.id, "Stop the job")).acknowledged();
    await world.marked(busy.id, "🚫");
    await world.marked(typed.id, "🚫");
    await world.marked(next.id, "✅");
    expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["hang: for ever", "count:next"]);
    await world.saying(thread, (said) =>
      said.find(({ id, components }) => id === offer.id && components?.length === 0),
    );
  },
);

test("nothing is offered for more than that word, nor where nothing runs; and the running card has Stop", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  await owner.send("stop");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("ok")));
  const busy = await owner.send("hang: for ever");
  await owner.send("stop using tabs in count:this");
  const card = await world.saying(thread, (said) => withButton(said, "stop"));
  expect(withButton(world.said(thread), "stop-for")).toBeUndefined();
  await (await owner.clickButton(card.id, "Stop")).acknowledged();
  await world.marked(busy.id, "🚫");
  await world.saying(thread, (said) => said.some(({ content }) => content.startsWith("did this")));
});
