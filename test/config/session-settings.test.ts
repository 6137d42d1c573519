/** What config.json says about one session: its layers, and what it refuses about channels and threads. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readConfig, defaultConfig } from "../../src/config/config-file.ts";
import {
  agentSettings,
  fileChoice,
  ownPath,
  sessionSettings,
  type SessionSettings,
} from "../../src/config/session-settings.ts";

const CHANNEL = "100000000000000001";
const THREAD = "100000000000000002";
const OTHER = "100000000000000003";

function thrown(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

function project(name: string, more: object = {}): object {
  return {
    name,
    path: `/w/${name}`,
    enabled_tools: ["claude", "codex"],
    default_tool: "claude",
    default_args: {},
    created_at: "",
    updated_at: "",
    ...more,
  };
}

function read(projects: Record<string, object>): ReturnType<typeof readConfig>["config"] {
  return readConfig(JSON.stringify({ version: 1, projects })).config;
}

function settings(more: object, id = THREAD): SessionSettings {
  return sessionSettings(read({ app: project("app", more) }).projects["app"]!, id);
}

describe("the layers of a session's settings", () => {
  test.each<[string, object, Partial<SessionSettings>]>([
    [
      "nothing is set",
      {},
      { path: "/w/app", tool: "claude", model: undefined, permission: undefined, isolation: "none", startup: false },
    ],
    [
      "the project",
      { model: "opus", permission: "plan", isolation: "worktree" },
      { model: "opus", permission: "plan", isolation: "worktree" },
    ],
    [
      "its threads, before the project",
      { model: "opus", thread: { model: "sonnet", startup: true } },
      { model: "sonnet", startup: true },
    ],
    [
      "the thread, before both",
      {
        model: "opus",
        thread: { model: "sonnet" },
        threads: [{ thread_id: THREAD, model: "haiku", path: "/w/else", tool: "codex" }],
      },
      { model: "haiku", path: "/w/else", tool: "codex" },
    ],
    [
      "the project's model is not for another tool of the thread",
      { model: "opus", thread: { model: "sonnet" }, threads: [{ thread_id: THREAD, tool: "codex" }] },
      { model: undefined, tool: "codex" },
    ],
    [
      "another thread's entry is not its own",
      { threads: [{ thread_id: OTHER, model: "haiku", startup: true }] },
      { model: undefined, startup: false },
    ],
    [
      "a layer that is there and says nothing",
      { model: "opus", thread: {}, threads: [{ thread_id: THREAD }] },
      { model: "opus" },
    ],
    [
      "`none` undoes `worktree`",
      { isolation: "worktree", threads: [{ thread_id: THREAD, isolation: "none" }] },
      { isolation: "none" },
    ],
    ["`startup` of the project is about its channel", { startup: true }, { startup: false }],
  ])("%s", (_, more, expected) => {
    expect(settings(more)).toMatchObject(expected);
  });

  test("the channel has what is set for the project, and works in its directory itself", () => {
    const more = {
      channel_id: CHANNEL,
      model: "opus",
      permission: "plan",
      isolation: "worktree",
      startup: true,
      thread: { model: "sonnet", permission: "default" },
    };
    expect(settings(more, CHANNEL)).toMatchObject({
      model: "opus",
      permission: "plan",
      isolation: "none",
      startup: true,
    });
  });

  test("a layer never reaches past one that says something, whatever the others say", () => {
    const layer = fc.record(
      {
        model: fc.constantFrom("a", "b", "c"),
        permission: fc.constantFrom("default", "plan"),
        isolation: fc.constantFrom("none", "worktree"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(layer, layer, layer, (own, each, all) => {
        const merged = settings({ ...all, thread: each, threads: [{ thread_id: THREAD, ...own }] });
        const { model, permission, isolation } = {
          isolation: "none" as const,
          ...all,
          ...each,
          ...own,
        } as SessionSettings;
        expect(merged).toMatchObject({ model, permission, isolation });
      }),
    );
  });
});

describe("a channel stands for one directory, and a directory for one channel", () => {
  test.each<[string, Record<string, object>, string]>([
    [
      "one channel of two projects",
      { a: project("a", { channel_id: CHANNEL }), b: project("b", { channel_id: CHANNEL }) },
      "projects.b.channel_id",
    ],
    [
      "two channels of one directory",
      { a: project("a", { channel_id: CHANNEL }), b: project("b", { channel_id: OTHER, path: "/w/a/" }) },
      "projects.b.path",
    ],
    [
      "one thread in two projects",
      { a: project("a", { threads: [{ thread_id: THREAD }] }), b: project("b", { threads: [{ thread_id: THREAD }] }) },
      "projects.b.threads.0.thread_id",
    ],
    [
      "a thread twice",
      { a: project("a", { threads: [{ thread_id: THREAD }, { thread_id: THREAD }] }) },
      "projects.a.threads.1.thread_id",
    ],
    [
      "a thread that is a channel",
      { a: project("a", { channel_id: CHANNEL, threads: [{ thread_id: CHANNEL }] }) },
      "projects.a.threads.0.thread_id",
    ],
    ["a thread without an id", { a: project("a", { threads: [{ model: "opus" }] }) }, "projects.a.threads.0.thread_id"],
    ["an unknown permission mode", { a: project("a", { permission: "yolo" }) }, "projects.a.permission"],
  ])("%s is refused, and it says where", (_, projects, where) => {
    expect(thrown(() => read(projects))).toMatchObject({
      code: "E_CONFIG_INVALID",
      details: { where: `config.json ${where}` },
    });
  });

  test("two projects in one directory are fine while one of them has a channel", () => {
    expect(
      Object.keys(read({ a: project("a", { channel_id: CHANNEL }), b: project("b", { path: "/w/a" }) }).projects),
    ).toEqual(["a", "b"]);
  });
});

test.each<[string, Record<string, object>, { tool: string; model?: string }, unknown]>([
  ["a project without places keeps nothing", { app: project("app") }, { tool: "codex" }, null],
  ["one with a channel does", { app: project("app", { channel_id: CHANNEL }) }, { tool: "claude" }, {}],
  ["one with threads too", { app: project("app", { threads: [] }) }, { tool: "claude", model: "opus" }, {}],
  [
    "another tool's model has to make room",
    { app: project("app", { threads: [{ thread_id: THREAD, model: "opus" }] }) },
    { tool: "codex" },
    { parked: { tool: "claude", model: "opus" } },
  ],
  [
    "a thread that the file gives to another project is left alone",
    { app: project("app", { channel_id: CHANNEL }), b: project("b", { threads: [{ thread_id: THREAD }] }) },
    { tool: "codex" },
    null,
  ],
  ["so is one that is a channel there", { app: project("app", { channel_id: THREAD }) }, { tool: "codex" }, null],
  ["a project that the file does not have", {}, { tool: "codex" }, null],
])("where a choice goes: %s", (_name, projects, choice, expected) => {
  const chosen = { project_name: "app", thread_id: THREAD, ...choice };
  expect(fileChoice(read(projects).projects, chosen)).toEqual(
    expected === null ? null : { chosen, ...(expected as object) },
  );
});

describe("what a session's agent is started with", () => {
  const reader = { locale: "en", isRoot: false } as const;
  const at = (more: object, tool = "claude", isRoot = false): unknown =>
    thrown(() =>
      agentSettings(read({ app: project("app", more) }), { project_name: "app", thread_id: THREAD }, tool, {
        ...reader,
        isRoot,
      }),
    );

  test.each<[string, object, string, object]>([
    ["nothing is set", {}, "claude", {}],
    ["a model is for the tool with which the session begins", { model: "opus" }, "codex", {}],
    [
      "… which the thread may name",
      { threads: [{ thread_id: THREAD, tool: "codex", model: "gpt-5" }] },
      "codex",
      { model: "gpt-5" },
    ],
    ["a permission mode is Claude's, also in a window", { permission: "plan" }, "tmux", { permission: "plan" }],
    ["… and nobody else's", { permission: "plan" }, "codex", {}],
    [
      "`bypassPermissions` is the owner's to choose",
      { permission: "bypassPermissions" },
      "claude",
      { permission: "bypassPermissions" },
    ],
  ])("%s", (_, more, tool, expected) => {
    expect(at(more, tool)).toEqual(expected);
  });

  test("`bypassPermissions` is refused to root for Claude, and only for it", () => {
    const permission = "bypassPermissions";
    const layers: [string, object][] = [
      ["", { permission }],
      ["thread.", { thread: { permission }, permission: "plan" }],
      [
        "threads.1.",
        { threads: [{ thread_id: OTHER }, { thread_id: THREAD, permission }], thread: { permission: "plan" } },
      ],
    ];
    for (const [layer, more] of layers) {
      for (const tool of ["claude", "tmux"])
        expect(at(more, tool, true)).toMatchObject({
          code: "E_CONFIG_INVALID",
          details: { where: `config.json projects.app.${layer}permission` },
        });
      expect(at(more, "codex", true)).toEqual({});
    }
  });

  test("only a thread's own entry gives it a directory", () => {
    const { projects } = read({
      app: project("app", { threads: [{ thread_id: THREAD, path: "/w/own" }, { thread_id: OTHER }] }),
    });
    const paths = (
      [
        ["app", THREAD],
        ["app", OTHER],
        ["app", CHANNEL],
        ["__proto__", THREAD],
      ] as const
    ).map(([project_name, thread_id]) => ownPath({ ...defaultConfig(), projects }, { project_name, thread_id }));
    expect(paths).toEqual(["/w/own", undefined, undefined, undefined]);
  });

  test("a project that the file does not have has no settings", () => {
    expect(agentSettings(read({}), { project_name: "__proto__", thread_id: THREAD }, "claude", reader)).toEqual({});
  });
});
