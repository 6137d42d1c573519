import { expect, test } from "vitest";
import { catalogues, type Locale } from "../../../src/base/words/say.ts";
import { emptyState } from "../../../src/core/state.ts";
import type { FoundAgent } from "../../../src/discord/api/bot-context.ts";
import { welcome } from "../../../src/discord/views/welcome.ts";
import { Scene } from "../../core/scene.ts";

const agents: FoundAgent[] = [
  { tool: "claude", found: true, version: "2.1.0", install: "x", login: "log in" },
  { tool: "codex", found: false, install: "npm install -g @openai/codex", login: "log in" },
];
const options = { locale: "en" as Locale, channelId: "200000000000000002", agents, since: 0 };

function text(state = emptyState(), change: Partial<typeof options> = {}): string {
  const { want } = welcome(state, { ...options, ...change });
  return want.kind === "show" ? (want.body.embeds[0]?.description ?? "") : "";
}

test("a newcomer is told what to type first", () => {
  expect(text()).toContain("`/project create name:my-app path:/home/me/my-app`");
  expect(text()).toContain("`/start project_name:my-app`");
});

test("who has a project is told how to open a session in it", () => {
  const scene = new Scene().withSessions();
  expect(text(scene.state)).toContain("`/start project_name:app`");
  expect(text(scene.state)).not.toContain("/project create");
});

test("each agent that is missing comes with the exact commands that install it and log in", () => {
  expect(text()).toContain("✓ **claude** 2.1.0 is installed.");
  expect(text()).toContain(
    "✗ **codex** is not installed. On Bellhop's machine, install it with `npm install -g @openai/codex` and log in with `log in`.",
  );
});

test("an agent that is not named like its program is told with it", () => {
  expect(
    text(emptyState(), {
      agents: [{ tool: "acp", found: true, version: "0.100.0", program: "claude-agent-acp", install: "", login: "" }],
    }),
  ).toContain("✓ **acp** (claude\\-agent\\-acp) 0.100.0 is installed.");
});

test("the demo agent is said to be none for work, with the commands of one that is", () => {
  const said = text(emptyState(), {
    agents: [{ tool: "acp", found: true, version: "0.1.0", demo: true, install: "npm install x", login: "x login" }],
  });
  expect(said).toContain("🧪 **acp** 0.1.0 is the demo agent that comes with Bellhop. It has no model");
  expect(said).toContain("run `npm install x` on Bellhop's machine, log in with `x login`");
  expect(said).not.toContain("✓");
});

test("it has one place of its own in the channel", () => {
  expect(welcome(emptyState(), options)).toMatchObject({
    subject: "greeting:200000000000000002",
    part: "hello",
    thread_id: "200000000000000002",
  });
});

test.each(Object.keys(catalogues) as Locale[])("it is whole in %s", (locale) => {
  const said = text(emptyState(), {
    locale,
    agents: [
      { tool: "claude", found: true, install: "x", login: "log in" },
      { tool: "acp", found: true, demo: true, install: "x", login: "log in" },
      ...agents,
    ],
  });
  expect(said).not.toMatch(/\{\w+\}|undefined| \./);
});
