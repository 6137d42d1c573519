/** An agent shows a form: its owner fills it in field by field, sees all of it, sends it or turns it down. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, choose, controlsOf, press, prompted, settled, standing, type Asked } from "./asked.ts";
import { descriptionOf } from "./workshop.ts";

/** An agent that can send any form. */
const asksAny = (prompt: string): Promise<Asked> =>
  asks(prompt, {
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: {
      commands: { acp: [process.execPath, path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs")] },
    },
  });
const asksIn = (prompt: string): Promise<Asked> =>
  asks(prompt, {
    agent: "none",
    tools: ["acp"],
    unlimited: true,
    config: {
      commands: { acp: [process.execPath, path.join(import.meta.dirname, "..", "..", "dist", "demo-agent.js")] },
    },
  });

/** Resolves when the form asks this. */
async function asked(form: Asked, words: string): Promise<string> {
  return form.world.saying(form.thread, (said) =>
    said
      .filter(({ components = [] }) => components.length > 0)
      .map(descriptionOf)
      .findLast((text) => text.includes(words)),
  );
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
    for (const line of [
      "Which colour?: **A** Red",
      "Which toppings?: **A** Cheese, **C** Basil",
      "Is it a gift?: **B** No",
      "Anything else?: —",
    ])
      expect(shown).toContain(line);
    expect(shown).toContain("How many?: 3");
    await press(form, "B · Start over");
    await asked(form, "Which colour?");
    await fill(form);
    await press(form, "A · Send");
    expect(await answer(form, "You answered:")).toBe(
      "You answered:\n- colour: red\n- toppings: Cheese, Basil\n- count: 3\n- gift: false",
    );
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
    await world.saying(thread, (said) =>
      said.some((message) => descriptionOf(message).includes("It does not fit. Asked for: Whole number · 1 to 9.")),
    );
    const prompt = await prompted(form, "Answer…");
    const [refused] = await (
      await world
        .owner(thread)
        .submitModal(await world.owner(thread).clickButton(prompt.id, "Answer…"), { words: "12" })
    ).followUps(1);
    expect(refused?.content).toBe("It does not fit. Asked for: Whole number · 1 to 9.");
    await press(form, "Answer…", "9");
    await asked(form, "Is it a gift?");
  });

  test.each([
    ["Decline", "You declined to answer.", "Declined"],
    ["Cancel", "You did not answer.", "Cancelled"],
  ])("is turned down with %s, and its agent is told so", async (button, told, became) => {
    const form = await asksIn("ask");
    const prompt = await press(form, button);
    expect(await answer(form, "You d")).toBe(told);
    expect(await settled(form, prompt)).toContain(became);
    await form.world.marked(form.id, "✅");
    expect(eventsOf(form.world).filter(({ type }) => type === "DecisionAnswered")).toMatchObject([
      { payload: { declined: button.toLowerCase() } },
    ]);
  });

  test("of one field has nothing to skip where it is required, says all that it is about, and is shown before it is sent", async () => {
    const form = await asksAny("described");
    const prompt = await prompted(form, "Answer…");
    expect(descriptionOf(prompt)).toContain("**City**\n**Which city?**\n\n**Where it is shipped to.**");
    expect(controlsOf(prompt)).not.toContain("Skip");
    await standing(form);
    await form.world.owner(form.thread).send("Seoul");
    expect(await asked(form, "Send these answers?")).toContain("☑ City: Seoul");
    await press(form, "B · Start over");
    await press(form, "Answer…", "Busan");
    await asked(form, "Busan");
    await press(form, "A · Send");
    expect(await answer(form, "{")).toBe('{"action":"accept","content":{"city":"Busan"}}');
  });

  test("says what its answers have to be, takes no other, and offers its defaults", async () => {
    const form = await asksAny("rules");
    const { world, thread } = form;
    const refused = async (words: string, label = "Answer…"): Promise<string | undefined> => {
      const prompt = await prompted(form, label);
      const [said] = await (
        await world.owner(thread).submitModal(await world.owner(thread).clickButton(prompt.id, label), { words })
      ).followUps(1);
      return said?.content;
    };
    const name = await asked(form, "In the address of the page.");
    expect(name).toContain("> Tell me about it.\n> \n> A new page\n> \n> It is made at once.");
    expect(name).toContain("-# Characters: 3 to 8 · Pattern: `^[a-z]+(-[a-z]+)*$`\n-# Default: shop");
    for (const words of ["ab", "abcdefghi", "My App"])
      expect(await refused(words)).toBe(
        "It does not fit. Asked for: Characters: 3 to 8 · Pattern: `^[a-z]+(-[a-z]+)*$`.",
      );
    await press(form, "Keep shop");
    expect(await asked(form, "**Mail**")).toContain("-# Email address");
    await world.owner(thread).send("not a mail");
    await world.saying(thread, (said) =>
      said.some((message) => descriptionOf(message).startsWith("It does not fit. Asked for: Email address.")),
    );
    await world.owner(thread).send("me@example.org");
    expect(await asked(form, "**Day**")).toContain("-# Date, such as 2026-03-31");
    expect(await refused("2026-02-30")).toContain("It does not fit.");
    await press(form, "Answer…", "2028-02-29");
    expect(await asked(form, "**Size**")).toContain("-# Default: **B** Large");
    await press(form, "B · Large");
    expect(await asked(form, "**Extras**")).toContain(
      "-# Options to choose: 1 to 2\n-# Default: **B** Docs, **C** Types",
    );
    await world.owner(thread).send("all of them");
    await world.saying(thread, (said) =>
      said.some((message) =>
        descriptionOf(message).startsWith("It does not fit. Asked for: Options to choose: 1 to 2."),
      ),
    );
    await press(form, "Keep Docs, Types");
    expect(await asked(form, "**Count**")).toContain("-# Whole number · 1 to 9\n-# Default: 4");
    await press(form, "Keep 4");
    const shown = await asked(form, "Send these answers?");
    for (const line of [
      "☑ Name: shop",
      "☑ Mail: me\\@example.org",
      "☑ Size: **B** Large",
      "☑ Extras: **B** Docs, **C** Types",
      "☑ Count: 4",
    ])
      expect(shown).toContain(line);
    await press(form, "A · Send");
    const content = {
      name: "shop",
      mail: "me@example.org",
      day: "2028-02-29",
      size: "l",
      extras: ["Docs", "Types"],
      count: 4,
    };
    expect(JSON.parse(await answer(form, "{"))).toEqual({ action: "accept", content });
  });
});
