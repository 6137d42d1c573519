/** An agent shows a form: its owner fills it in field by field, sees all of it, sends it or turns it down. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, choose, controlsOf, press, prompted, settled, standing, type Asked } from "./asked.ts";
import { descriptionOf } from "./workshop.ts";

const asksIn = (prompt: string): Promise<Asked> => asks(prompt, { agent: "none", tools: ["acp"], unlimited: true, config: { commands: { acp: [process.execPath, path.join(import.meta.dirname, "..", "..", "dist", "demo-agent.js")] } } });

/** Resolves when the form asks this. */
async function asked(form: Asked, words: string): Promise<string> {
  return form.world.saying(form.thread, (said) => said.filter(({ components = [] }) => components.length > 0).map(descriptionOf).findLast((text) => text.includes(words)));
}

/** Answers the five questions of the demo agent's form. */
async function fill(form: Asked): Promise<void> {
  await press(form, "A · Red");
  await asked(form, "Which toppings?");
  await choose(form, "0", "2");
  await asked(form, "How many?");
  await form.world.owner(form.thread).send("3");
  await asked(form, "Is it a gift?");
  await press(form, "B · No");
  await asked(form, "Anything else?");
  await press(form, "Skip");
}

describe("a form", () => {
  test("of several fields is shown whole before it is sent, and can be filled in again", async () => {
    const form = await asksIn("ask more");
    await standing(form);
    expect(await asked(form, "Which colour?")).toContain("> The demo agent has five questions.\n");
    await fill(form);
    const shown = await asked(form, "Send these answers?");
    for (const line of ["Which colour?: **A** Red", "Which toppings?: **A** Cheese, **C** Basil", "Is it a gift?: **B** No", "Anything else?: —"]) expect(shown).toContain(line);
    expect(shown).toMatch(/How many\? .{5,9}: 3$/m);
    await press(form, "B · Start over");
    await asked(form, "Which colour?");
    await fill(form);
    await press(form, "A · Send");
    expect(await answer(form, "You answered:")).toBe("You answered:\n- colour: red\n- toppings: Cheese, Basil\n- count: 3\n- gift: false");
    await form.world.marked(form.id, "✅");
  });

  test("takes only a number where it asks for one, in a message and in the window", async () => {
    const form = await asksIn("ask more");
    const { world, thread } = form;
    await press(form, "A · Red");
    await asked(form, "Which toppings?");
    await press(form, "Skip");
    await asked(form, "How many?");
    await world.owner(thread).send("a lot");
    await world.saying(thread, (said) => said.some((message) => descriptionOf(message).includes("It is not a number that fits the question.")));
    const prompt = await prompted(form, "Answer…");
    const [refused] = await (await world.owner(thread).submitModal(await world.owner(thread).clickButton(prompt.id, "Answer…"), { words: "12" })).followUps(1);
    expect(refused?.content).toBe("It is not a number that fits the question.");
    await press(form, "Answer…", "9");
    await asked(form, "Is it a gift?");
  });

  test.each([["Decline", "You declined to answer.", "Declined"], ["Cancel", "You did not answer.", "Cancelled"]])("is turned down with %s, and its agent is told so", async (button, told, became) => {
    const form = await asksIn("ask");
    const prompt = await press(form, button);
    expect(await answer(form, "You d")).toBe(told);
    expect(await settled(form, prompt)).toContain(became);
    await form.world.marked(form.id, "✅");
    expect(eventsOf(form.world).filter(({ type }) => type === "DecisionAnswered")).toMatchObject([{ payload: { declined: button.toLowerCase() } }]);
  });

  test("of one required field has nothing to skip, and is sent when it is answered", async () => {
    const form = await asksIn("ask");
    expect(controlsOf(await prompted(form, "B · Blue"))).not.toContain("Skip");
    await press(form, "B · Blue");
    expect(await answer(form, "You answered:")).toBe("You answered:\n- colour: blue");
  });
});
