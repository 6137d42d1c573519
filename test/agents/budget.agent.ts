/**
 * Claude itself tells its tokens after each exchange with the model, while its turn goes on, and its costs at the end of
 * it: a budget in either asks once, the other message waits, and it runs after a press.
 */
import { expect, test } from "vitest";
import { journalOf } from "../flows/journal.ts";
import { withButton } from "../flows/workshop.ts";
import { press } from "../flows/asked.ts";
import { askReal, openReal } from "./real-world.ts";

test("a budget in dollars counts what Claude tells at the end of its turn", async () => {
  const real = await openReal(["claude"]);
  const { world } = real;
  await real.start();
  const thread = await world.session();
  const owner = world.owner(thread);
  await (await owner.slash("budget", { limit: "0.0000001 USD" })).answer();
  await world.marked((await owner.send("echo:first")).id, "✅");
  const asks = await world.saying(thread, (said) => withButton(said, "b-on"));
  const { id } = await owner.send("echo:second");
  await world.marked(id, "⏳");
  await (await owner.submitModal(await owner.clickButton(asks.id, "Raise to…"), { words: "$5" })).answer();
  await world.marked(id, "✅");
});

test("a budget in tokens counts each exchange while Claude's turn goes on, and all of the turn once", async () => {
  const asked = await askReal("claude", "echo:one");
  const { world, thread } = asked;
  await world.marked(asked.id, "✅");
  const owner = world.owner(thread);
  await (await owner.slash("budget", { limit: "100k tokens" })).answer();
  const { id } = await owner.send("tool:bash:touch spent.txt");
  await press(asked, "Allow once");
  await world.marked(id, "✅");
  const events = journalOf(world);
  const [first = 0, end = 0] = events.flatMap(({ type, payload }) =>
    type === "JobCompleted" ? [tokens(payload["usage"] as Usage)] : [],
  );
  const meanwhile = events.flatMap(({ payload }) =>
    payload["kind"] === "used" ? [(payload["amounts"] as { tokens: number }).tokens] : [],
  );
  expect(meanwhile).toHaveLength(1);
  expect(meanwhile[0]).toBeGreaterThan(0);
  expect(end).toBeGreaterThan(meanwhile[0] ?? 0);
  const answer = (await (await owner.slash("budget", {})).answer()).content;
  const used = new Intl.NumberFormat("en").format(first + end);
  expect(answer).toContain(`${used} tokens of 100,000 tokens`);
});

type Usage = { input_tokens: number; output_tokens: number };
const tokens = ({ input_tokens, output_tokens }: Usage): number => input_tokens + output_tokens;
