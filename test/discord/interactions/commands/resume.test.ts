import { describe, expect, test } from "vitest";
import type { Resumable } from "../../../../src/engine/live.ts";
import { BOT, CHANNEL, CommandScene, GUILD, inThread } from "../scene.ts";

const kept = (key: string, more: Partial<Resumable> = {}): Resumable => ({
  key,
  tool: "claude",
  key_name: "session_id",
  cwd: "/srv/app",
  at: Date.UTC(2026, 10, 25, 12),
  about: `about ${key}`,
  said: "",
  ...more,
});

function scene(all: Record<string, Resumable[]>): CommandScene {
  const made = new CommandScene();
  for (const [project, list] of Object.entries(all)) made.kept.set(project, list);
  return made;
}

async function withProjects(made: CommandScene, ...names: string[]): Promise<CommandScene> {
  for (const name of names)
    await made.slash("project create", {
      name,
      path: `/srv/${name}`,
      tools_csv: "claude,codex",
      default_tool: "claude",
    });
  return made;
}

describe("what is offered", () => {
  test("is what the project's agents have kept, by tool, time and words; what was typed is searched", async () => {
    const made = await withProjects(
      scene({ app: [kept("k1", { about: "fix **this**\nnow" }), kept("k2", { tool: "codex", about: "" })] }),
      "app",
    );
    const offered = await made.choices("resume", "conversation", "");
    expect(offered.map(({ value }) => value)).toEqual(["claude:k1", "codex:k2"]);
    expect(offered.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^claude · 2026-11-25 \d\d:\d\d · fix \*\*this\*\* now$/),
      expect.stringMatching(/^codex · .* · k2$/),
    ]);
    expect((await made.choices("resume", "conversation", "FIX")).map(({ value }) => value)).toEqual(["claude:k1"]);
  });

  test("is of all projects where none is meant, the last used first, with the project's name", async () => {
    const made = await withProjects(
      scene({ app: [kept("k1", { at: 1_000 })], web: [kept("k2", { at: 2_000 })] }),
      "app",
      "web",
    );
    made.engine.state.active_project = null;
    expect((await made.choices("resume", "conversation", "")).map(({ name }) => name.split(" · ")[0])).toEqual([
      "web",
      "app",
    ]);
    expect(
      (await made.choices("resume", "conversation", "", { project_name: "app" })).map(({ value }) => value),
    ).toEqual(["claude:k1"]);
    expect(await made.choices("resume", "conversation", "", { project_name: "nowhere" })).toEqual([]);
  });

  test("has no conversation that has a thread, and fits Discord's limits", async () => {
    const many = Array.from({ length: 60 }, (_, index) => kept(`k${index}`, { about: "words ".repeat(100) }));
    const made = await withProjects(scene({ app: many }), "app");
    await made.slash("resume", { conversation: "claude:k0" });
    const offered = await made.choices("resume", "conversation", "");
    expect(offered).toHaveLength(25);
    expect(offered.map(({ value }) => value)).not.toContain("claude:k0");
    for (const { name } of offered) expect(name.length).toBeLessThanOrEqual(100);
  });
});

describe("/resume", () => {
  test("asks for a session with this conversation where it was, and says what it is", async () => {
    const made = await withProjects(
      scene({ app: [kept("k1", { branch: "main", said: "Done; see [here](https://evil.example) <@1>" })] }),
      "app",
    );
    const answer = await made.slash("resume", { conversation: "claude:k1" });
    expect(answer).toContain("It continues “about k1”, last used <t:1795608000:R>.");
    expect(answer).toContain("It was on the branch **main**.");
    expect(answer).toContain("Last answer: “Done;");
    expect(answer).not.toMatch(/\]\(https|<@1>/);
    expect(made.events.filter(({ type }) => type === "SessionRequested").map(({ payload }) => payload)).toEqual([
      {
        request_id: expect.any(String) as string,
        project_name: "app",
        tool: "claude",
        channel_id: CHANNEL,
        guild_id: GUILD,
        bot_id: BOT,
        adapter_state: { session_id: "k1" },
        checkout: { cwd: "/srv/app", branch: "main", head: null, tree: null },
      },
    ]);
  });

  test("takes the key alone, and finds the project where none is meant", async () => {
    const made = await withProjects(scene({ app: [], web: [kept("k1")] }), "app", "web");
    made.engine.state.active_project = null;
    expect(await made.slash("resume", { conversation: "k1" })).toContain("about k1");
    expect(made.events.find(({ type }) => type === "SessionRequested")?.payload).toMatchObject({ project_name: "web" });
  });

  test.each([
    [{ conversation: "claude:k2" }, "E_CONVERSATION_NOT_FOUND"],
    [{ conversation: "codex:k1" }, "E_CONVERSATION_NOT_FOUND"],
    [{ conversation: "  " }, "E_CONVERSATION_NOT_FOUND"],
    [{ conversation: "claude:k1", project_name: "nowhere" }, "E_PROJECT_NOT_FOUND"],
  ])("refuses %j with %s, and opens nothing", async (options, code) => {
    const made = await withProjects(scene({ app: [kept("k1")] }), "app");
    expect(await made.slash("resume", options)).toContain(`\`${code}\``);
    expect(made.engine.state.starts).toEqual({});
  });

  test("leads to the thread that a conversation has already", async () => {
    const made = await withProjects(scene({ app: [kept("k1")] }), "app");
    await made.slash("resume", { conversation: "claude:k1" });
    const again = await made.slash("resume", { conversation: "claude:k1" });
    expect(again).toContain(`<#${CHANNEL}>`);
    expect(again).toContain("`E_CONVERSATION_IN_USE`");
    expect(Object.keys(made.engine.state.starts)).toHaveLength(1);
  });

  test("leads to the card of a Claude that is open in its owner's terminal", async () => {
    const made = await withProjects(scene({ app: [kept("k1")] }), "app");
    await made.engine.submit({
      type: "offer_adoption",
      claude_session: "k1",
      project_name: "app",
      pid: 5,
      start_time: "1",
      socket: "/s",
      window_id: "@1",
      pane_id: "%1",
      cwd: "/srv/app",
      channel_id: CHANNEL,
      guild_id: GUILD,
      bot_id: "4",
    });
    expect(await made.slash("resume", { conversation: "claude:k1" })).toContain("`E_CONVERSATION_IN_USE`");
    await made.engine.submit({ type: "adopt", claude_session: "k1", adopted: false, gone: true });
    expect(await made.slash("resume", { conversation: "claude:k1" })).toContain("about k1");
  });

  test("opens nothing in a thread", async () => {
    const made = await withProjects(scene({ app: [kept("k1")] }), "app");
    expect(await made.slash("resume", { conversation: "claude:k1" }, inThread)).toContain("`E_NOT_IN_TEXT_CHANNEL`");
  });
});
