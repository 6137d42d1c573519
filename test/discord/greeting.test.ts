import { expect, test } from "vitest";
import { catalogues, type Locale } from "../../src/base/words/say.ts";
import { emptyState } from "../../src/core/house.ts";
import { greeting, type FoundAgent } from "../../src/discord/greeting.ts";
import { Scene } from "../core/scene.ts";

const agents: FoundAgent[] = [
  { tool: "claude", found: true, version: "2.1.0", install: "x" },
  { tool: "codex", found: false, install: "npm install -g @openai/codex" },
];
const options = { locale: "en" as Locale, channelId: "200000000000000002", agents, since: 0 };

function text(state = emptyState(), change: Partial<typeof options> = {}): string {
  const { want } = greeting(state, { ...options, ...change });
  return want.kind === "show" ? (want.body.embeds[0]?.description ?? "") : "";
}

test("a newcomer is told what to type first, with an agent that is there", () => {
  expect(text()).toContain("`/project create name:my-app path:/home/me/my-app tools_csv:claude default_tool:claude`");
  expect(text()).toContain("`/start project_name:my-app`");
});

test("who has a project is told how to open a session in it", () => {
  const scene = new Scene().withSessions();
  expect(text(scene.state)).toContain("`/start project_name:app`");
  expect(text(scene.state)).not.toContain("/project create");
});

test("each agent that is missing comes with the exact command that installs it", () => {
  expect(text()).toContain("✓ **claude** 2.1.0 is installed.");
  expect(text()).toContain("✗ **codex** is not installed. To install it, run on Bellhop's machine: `npm install -g @openai/codex`");
});

test("it has one place of its own in the channel", () => {
  expect(greeting(emptyState(), options)).toMatchObject({ subject: "greeting:200000000000000002", part: "hello", thread_id: "200000000000000002", live: false });
});

test.each(Object.keys(catalogues) as Locale[])("it is whole in %s", (locale) => {
  const said = text(emptyState(), { locale, agents: [{ tool: "claude", found: true, install: "x" }, ...agents] });
  expect(said).not.toMatch(/\{\w+\}|undefined| \./);
});
