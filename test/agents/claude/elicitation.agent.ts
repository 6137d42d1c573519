/** A server of the real Claude's tools wants to know something: its owner allows the tool, and is asked in Discord. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, type Asked, press, prompted, settled } from "../../flows/asked.ts";
import { descriptionOf } from "../../flows/workshop.ts";
import { openReal } from "../real-world.ts";

const server = join(import.meta.dirname, "..", "..", "fakes", "eliciting-server.mjs");
const config = JSON.stringify({ mcpServers: { shop: { command: process.execPath, args: [server] } } });

/** A Claude that was told to have its server ask this, once the tool was allowed. */
async function asking(form: string): Promise<Asked> {
  const { world, start } = await openReal(["claude"], ["--strict-mcp-config", `--mcp-config=${config}`]);
  const daemon = await start();
  const thread = await world.session();
  const { id } = await world.owner(thread).send(`call:mcp__shop__elicit:${JSON.stringify({ form })}`);
  const asked = { world, daemon, thread, id };
  await press(asked, "Allow once");
  return asked;
}

const told = async (asked: Asked): Promise<string> => (await answer(asked, "AFTER")).replaceAll("\\", "");

it("a form is filled in, and its server is told", async () => {
  const asked = await asking("described");
  const prompt = await prompted(asked, "Answer…");
  // So soon after the permission for the tool it does not ring.
  expect(prompt.content).toMatch(/^❓ claude › MCP shop asks you(?: <@\d+>)?$/);
  expect(descriptionOf(prompt)).toContain("**City**\n**Which city?**");
  await press(asked, "Answer…", "Seoul");
  await press(asked, "B · Start over");
  await press(asked, "Answer…", "Busan");
  await press(asked, "A · Send");
  expect(await told(asked)).toContain('{"action":"accept","content":{"city":"Busan"}}');
  await asked.world.marked(asked.id, "✅");
});

it.each([
  ["I have done it", "accept"],
  ["Decline", "decline"],
  ["Not now", "cancel"],
])("a page is shown with its whole address, and %s is told", async (button, action) => {
  const asked = await asking("page");
  const prompt = await press(asked, button);
  expect(descriptionOf(prompt)).toContain(
    "**Log in to the shop.**\n🌐 **shop.example\\:8443**\n<https://shop.example:8443/login?state=a_b*c&next=%2Fcart>",
  );
  expect(await told(asked)).toContain(`{"action":"${action}"}`);
});

it("a form of several fields has them in their order, with their rules and defaults", async () => {
  const asked = await asking("rules");
  for (const [field, label, words] of [
    ["Name", "Keep shop", undefined],
    ["Mail", "Answer…", "me@example.org"],
    ["Day", "Answer…", "2028-02-29"],
    ["Size", "B · Large", undefined],
    ["Extras", "Keep Docs, Types", undefined],
    ["Count", "Keep 4", undefined],
  ] as const) {
    await asked.world.saying(asked.thread, (said) => said.some((one) => descriptionOf(one).includes(`**${field}**`)));
    await press(asked, label, words);
  }
  await press(asked, "A · Send");
  expect(await told(asked)).toContain(
    '{"action":"accept","content":{"name":"shop","mail":"me@example.org","day":"2028-02-29","size":"l","extras":["Docs","Types"],"count":4}}',
  );
});

it("an address that no browser opens is declined", async () => {
  const asked = await asking("no-page");
  expect(await told(asked)).toContain('{"action":"decline"}');
});

it("a turn that is stopped while it waits takes the question with it, and the next prompt is answered", async () => {
  const asked = await asking("described");
  const prompt = await prompted(asked, "Answer…");
  const { world, thread } = asked;
  await (await world.owner(thread).slash("cancel")).answer();
  expect(await settled(asked, prompt)).toContain("No longer open");
  await world.marked(asked.id, "🚫");
  await world.marked((await world.owner(thread).send("echo:still here")).id, "✅");
});
