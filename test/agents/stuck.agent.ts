/**
 * The real agents against a model that refuses: the first message goes back to the head of its queue, both wait, and
 * both run once after that state's own button.
 */
import { expect, test } from "vitest";
import { descriptionOf, withButton } from "../flows/workshop.ts";
import { openReal } from "./real-world.ts";

const TOO_LONG = "prompt is too long: 213462 tokens > 200000 maximum";
const ONCE = { CLAUDE_CODE_MAX_RETRIES: "1" };

test.each([
  ["claude", 401, "invalid x-api-key", "E_AGENT_LOGIN", "claude auth login", "Try again"],
  ["claude", 403, "Request not allowed", "E_AGENT_LOGIN", "may not use it", "Try again"],
  ["claude", 400, "Your credit balance is too low to access the Anthropic API.", "E_OUT_OF_CREDITS", "", "Try again"],
  ["claude", 400, TOO_LONG, "E_CONVERSATION_FULL", "", "New conversation"],
  ["claude", 404, "model: claude-9", "E_MODEL_UNAVAILABLE", "does not offer the model claude", "Try again"],
  ["claude", 529, "Overloaded", "E_SERVICE_BUSY", "It is tried again", "Try now"],
  ["claude-agent-acp", 401, "invalid x-api-key", "E_AGENT_LOGIN", "claude auth login", "Try again"],
  ["claude-agent-acp", 400, TOO_LONG, "E_CONVERSATION_FULL", "", "New conversation"],
  ["claude-agent-acp", 404, "model: claude-9", "E_MODEL_UNAVAILABLE", "", "Try again"],
  ["claude-agent-acp", 529, "Overloaded", "E_SERVICE_BUSY", "It is tried again", "Try now"],
  ["codex", 401, "invalid key", "E_AGENT_LOGIN", "codex login", "Try again"],
  ["codex-acp", 500, "oops", "E_SERVICE_BUSY", "", "Try now"],
  ["gemini", 404, "models/gemini-9 is not found for API version v1beta", "E_MODEL_UNAVAILABLE", "gemini", "Try again"],
])("%s, answered %i %j: %s, and it goes on", async (tool, status, words, code, help, button) => {
  const real = await openReal([tool]);
  const { world } = real;
  await real.start(ONCE);
  const thread = await world.session();
  real.fail(status, words);
  const owner = world.owner(thread);
  const ids = [(await owner.send("echo:first")).id, (await owner.send("echo:second")).id];
  const notice = await world.saying(thread, (said) => withButton(said, "drop"));
  expect(descriptionOf(notice)).toContain(`\`${code}\``);
  expect(descriptionOf(notice)).toContain(help);
  for (const id of ids) await world.marked(id, "⏳");
  for (const id of ids) await world.marked(id, "⏳");
  real.fail(null);
  await (await owner.clickButton(notice.id, button)).acknowledged();
  for (const id of ids) await world.marked(id, "✅");
  const said = world.said(thread).map(({ content }) => content);
  // What it said of its failure is said once, in the notice.
  expect(said.filter((one) => one !== "" && !/^(?:-# |<@)/.test(one))).toEqual(["first", "second"]);
});

test("headless Claude with a picture that is too large for its conversation makes that shorter, and goes on", async () => {
  const real = await openReal(["claude"]);
  const { world } = real;
  await real.start(ONCE);
  const thread = await world.session();
  const owner = world.owner(thread);
  for (const words of ["echo:one", "echo:two"]) await world.marked((await owner.send(words)).id, "✅");
  real.fail(400, "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels");
  const { id } = await owner.send("echo:three");
  const notice = await world.saying(thread, (said) => withButton(said, "compact"));
  expect(descriptionOf(notice)).toContain("`E_CONVERSATION_FULL`");
  real.fail(null);
  await (await owner.clickButton(notice.id, "Compact")).acknowledged();
  await world.saying(thread, (said) =>
    said.some(({ content }) => content.includes("The conversation was made shorter")),
  );
  await world.marked(id, "✅");
});
