/** The queue's card in its thread: seen, changed, kept as the queue is, also when the daemon was killed meanwhile. */
import type { APIMessage } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { kept, recorded } from "./workshop.ts";
import { answered, crashNotice, openSession, type World } from "./world.ts";

const textOf = ({ embeds }: APIMessage): string => embeds[0]?.description ?? "";

/** Custom ids and option values by the words on them. */
function pressable(message: APIMessage): { ids: string[]; options: { label: string; value: string }[] } {
  const rows = (message.components ?? []) as unknown as {
    components: { custom_id: string; options?: { label: string; value: string }[] }[];
  }[];
  const parts = rows.flatMap(({ components }) => components);
  return { ids: parts.map(({ custom_id }) => custom_id), options: parts.flatMap(({ options = [] }) => options) };
}

const idOf = (message: APIMessage, prefix: string): string => {
  const found = pressable(message).ids.find((id) => id.startsWith(prefix));
  if (found === undefined)
    throw new Error(`${JSON.stringify(message.components)} has nothing that begins with ${prefix}`);
  return found;
};

/**
 * Chooses the job with these words on the card, presses what is then offered, and resolves with what is said to that.
 */
async function change(world: World, thread: string, card: string, words: string, prefix: string): Promise<string> {
  const owner = world.owner(thread);
  const shown = world.sandbox.message(card);
  if (!shown) throw new Error("The card is gone");
  const { value = "" } = pressable(shown).options.find(({ label }) => label.includes(words)) ?? {};
  const [offered] = await (await owner.select(card, idOf(shown, "q-pick:"), [value])).followUps(1);
  if (!offered) throw new Error("Nothing was offered");
  await owner.clickButton(offered.id, idOf(offered, prefix));
  return world.sandbox.until(({ message }) => message(offered.id)?.content || undefined);
}

/** Resolves when the card names these prompts as waiting, in this order. */
async function waits(world: World, card: string, prompts: string[]): Promise<void> {
  await world.sandbox.until(({ message }) => {
    const found = [...textOf(message(card) as APIMessage).matchAll(/^\*\*\d+\.\*\* (\S+) /gm)].map(([, prompt = ""]) =>
      prompt.replaceAll("\\", ""),
    );
    return JSON.stringify(found) === JSON.stringify(prompts);
  });
}

test("what waits can be moved and cancelled on a card from before a crash, and then runs in the new order", async () => {
  const { world, daemon, thread } = await openSession({ unlimited: true });
  for (const prompt of ["hang:", "count:one", "count:two", "count:three"]) await world.owner(thread).send(prompt);
  await world.agents(1);
  const { id: card } = await (await world.owner(thread).slash("queue")).answer();
  await waits(world, card, ["count:one", "count:two", "count:three"]);
  await recorded(world, ({ type, payload }) => type === "PostRecorded" && payload["message_id"] === card);
  await world.saying(thread, (said) => said.some(({ content }) => content === "I am thinking"));
  await kept(world, "I am thinking");
  await daemon.kill("SIGKILL");
  await world.daemon().ready;
  const notice = await world.saying(thread, crashNotice);
  await world.sandbox.until(({ message }) => textOf(message(card) as APIMessage).includes("On hold"));
  expect(await change(world, thread, card, "count:three", "q-first:")).toContain("is now first");
  expect(await change(world, thread, card, "count:one", "q-cancel:")).toContain("was cancelled");
  await waits(world, card, ["count:three", "count:two"]);
  await world.owner(thread).clickButton(notice.id, "Discard");
  await answered(world, thread, [
    "I am thinking\n-# Cut off here because Bellhop or its machine stopped.",
    "did three",
    "did two",
  ]);
  expect(world.sandbox.messages(thread).filter(({ embeds }) => embeds[0]?.title === "Queue")).toHaveLength(1);
});

test("clearing ends what waits and not what runs, which /cancel stops; the session continues", async () => {
  const { world, thread } = await openSession({ unlimited: true });
  const owner = world.owner(thread);
  const [, one, two] = [await owner.send("hang:"), await owner.send("count:one"), await owner.send("count:two")];
  await world.agents(1);
  const { id: card } = await (await owner.slash("queue")).answer();
  await waits(world, card, ["count:one", "count:two"]);
  await owner.clickButton(card, idOf(world.sandbox.message(card) as APIMessage, "q-clear:"));
  for (const { id } of [one, two]) await world.sandbox.until(({ reactions }) => reactions(id)["🚫"]);
  expect((await (await owner.slash("cancel")).answer()).content).toContain("Stopping ");
  await owner.send("count:after");
  await world.saying(thread, (said) => said.some(({ content }) => content === "did after"));
  expect(world.agentStarts().map(({ prompt }) => prompt)).toEqual(["hang:", "count:after"]);
});
