/** A server of headless Claude's tools wants to know something: its owner is asked as by a form over ACP. */
import path from "node:path";
import { expect, test } from "vitest";
import { eventsOf } from "./acceptance/stage.ts";
import { answer, asks, press, prompted, ran, settled, standing } from "./asked.ts";
import { descriptionOf, recorded } from "./workshop.ts";
import { crashNotice, type WorldOptions } from "./world.ts";

const ACP = {
  agent: "none",
  tools: ["acp"],
  config: { commands: { acp: [process.execPath, path.join(import.meta.dirname, "..", "fakes", "agents", "acp.mjs")] } },
} as const satisfies WorldOptions;

const ADDRESS =
  "**Log in to the shop.**\n🌐 **shop.example\\:8443**\n<https://shop.example:8443/login?state=a_b*c&next=%2Fcart>";

test("a form names its server, takes what fits, and can be filled in again", async () => {
  const form = await asks("elicit:form");
  const prompt = await prompted(form, "Answer…");
  expect(prompt.content).toMatch(/^❓ claude › MCP shop asks you <@\d+>$/);
  const [refused] = await (
    await form.world
      .owner(form.thread)
      .submitModal(await form.world.owner(form.thread).clickButton(prompt.id, "Answer…"), { words: "12" })
  ).followUps(1);
  expect(refused?.content).toBe("It does not fit. Asked for: Whole number · 1 to 9.");
  await press(form, "Answer…", "3");
  await press(form, "B · Start over");
  await settled(form, prompt);
  await press(form, "Answer…", "9");
  await press(form, "A · Send");
  expect(await answer(form, "{")).toBe('{"action":"accept","content":{"count":9}}');
  await form.world.marked(form.id, "✅");
});

test.each([
  ["claude", "elicit:page"],
  ["acp", "page"],
])(
  "a page of %s is shown with its whole address, and may be seen to, declined or left for now",
  async (tool, prompt) => {
    for (const [button, told] of [
      ["I have done it", '{"action":"accept"}'],
      ["Decline", '{"action":"decline"}'],
      ["Not now", '{"action":"cancel"}'],
    ] as const) {
      const asked = await asks(prompt, tool === "acp" ? ACP : {});
      expect(descriptionOf(await press(asked, button))).toContain(ADDRESS);
      expect(await answer(asked, "{")).toBe(told);
      await asked.world.marked(asked.id, "✅");
      await asked.world.close();
    }
  },
);

test("words that say so are an answer to a page, and others are not", async () => {
  const asked = await asks("elicit:page");
  await standing(asked);
  await asked.world.owner(asked.thread).send("what is this?");
  await asked.world.saying(asked.thread, (said) => said.some(({ embeds }) => embeds[0]?.title?.includes("stays open")));
  await asked.world.owner(asked.thread).send("I have done it");
  expect(await answer(asked, "{")).toBe('{"action":"accept"}');
});

test.each(["elicit:no-page", "elicit:no-form"])("%s cannot be asked, so it is declined", async (prompt) => {
  const asked = await asks(prompt);
  expect(await answer(asked, "{")).toBe('{"action":"decline"}');
});

test("a turn that is stopped while it waits takes the question with it", async () => {
  const asked = await asks("elicit:page");
  const prompt = await prompted(asked, "I have done it");
  await (await asked.world.owner(asked.thread).slash("cancel")).answer();
  expect(await settled(asked, prompt)).toContain("No longer open");
  await asked.world.marked(asked.id, "🚫");
  await asked.world.marked((await asked.world.owner(asked.thread).send("echo:next")).id, "✅");
});

test("what waits when its turn is over is asked on", async () => {
  const asked = await asks("elicits:described");
  await asked.world.marked(asked.id, "✅");
  await recorded(asked.world, ({ type }) => type === "OutsideTurnBegan");
  await press(asked, "Answer…", "Seoul");
  await press(asked, "A · Send");
  await recorded(asked.world, ({ type, payload }) => type === "OutsideTurnEnded" && payload["outcome"] === "done");
  // Its turn is over once the answer is written to it.
  await asked.world.sandbox.until(() => ran(asked).length > 0);
  expect(ran(asked)).toEqual([{ city: "Seoul" }]);
  expect(eventsOf(asked.world).filter(({ type }) => type === "DecisionAsked")).toHaveLength(1);
});

test("a daemon that is killed meanwhile leaves no open question, and Retry asks anew", async () => {
  const asked = await asks("elicit:described");
  const prompt = await prompted(asked, "Answer…");
  await asked.daemon.kill("SIGKILL");
  await asked.world.daemon().ready;
  expect(await settled(asked, prompt)).toContain("No longer open");
  const notice = await asked.world.saying(asked.thread, crashNotice);
  await asked.world.owner(asked.thread).clickButton(notice.id, "Retry");
  await press(asked, "Answer…", "Busan");
  await press(asked, "A · Send");
  expect(await answer(asked, "{")).toBe('{"action":"accept","content":{"city":"Busan"}}');
});
