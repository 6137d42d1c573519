import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/config-file.ts";
import { removeMember, setMember } from "../../src/config/json-text.ts";
import { mergeProjects, type SavedProject } from "../../src/config/edit-config.ts";

const project = (name: string, changes: Partial<SavedProject> = {}): SavedProject => ({
  name,
  path: `/code/${name}`,
  enabled_tools: ["claude"],
  default_tool: "claude",
  default_args: {},
  created_at: "2026-02-26T14:00:00.000Z",
  updated_at: "2026-02-26T14:00:00.000Z",
  ...changes,
});

const BY_HAND = `{
    "version": 1,
    "projects": {
        "b": { "path": "/code/b", "name": "b", "enabled_tools": ["claude"], "default_tool": "claude",
               "default_args": {}, "colour": "red", "created_at": "2026-02-26T14:00:00.000Z", "updated_at": "2026-02-26T14:00:00.000Z" },
        "2": {"note": "a } and a \\" in a text", "server": 123456789012345678901}
    },
    "my_own": [1,2,   3]
}
`;

describe("a project made by a command", () => {
  test("makes the file where there is none", () => {
    const text = mergeProjects(null, { ownerId: "123456789012345678", created: [project("app")] });
    const { config, warnings } = readConfig(text);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ version: 1, owner_id: "123456789012345678", projects: { app: project("app") } });
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  });

  test("is added after the others, in their indentation, and nothing else moves", () => {
    const text = mergeProjects(BY_HAND, { created: [project("app")] });
    const [before, after] = text.split(',\n        "app": {');
    expect(BY_HAND.startsWith(before ?? "-")).toBe(true);
    expect(after?.endsWith('        }\n    },\n    "my_own": [1,2,   3]\n}\n')).toBe(true);
    expect((JSON.parse(text) as { projects: object }).projects).toMatchObject({ app: project("app") });
  });

  test("is changed key by key, so what its owner added to it stays", () => {
    const text = mergeProjects(BY_HAND, { updated: [project("b", { path: "/new" })] });
    expect(text).toBe(BY_HAND.replace('"/code/b"', '"/new"'));
  });

  test("that the file holds already changes no byte", () => {
    expect(mergeProjects(BY_HAND, { created: [project("b")] })).toBe(BY_HAND);
  });

  test("is removed with its comma", () => {
    expect(JSON.parse(mergeProjects(BY_HAND, { removed: ["b"] }))).toEqual(omit(JSON.parse(BY_HAND), "b"));
    const none = mergeProjects(mergeProjects(BY_HAND, { removed: ["b"] }), { removed: ["2", "nobody"] });
    expect(none).toBe('{\n    "version": 1,\n    "projects": {},\n    "my_own": [1,2,   3]\n}\n');
  });

  test("leaves numbers too large for JavaScript as they are written", () => {
    expect(mergeProjects(BY_HAND, { created: [project("app")], removed: ["b"] })).toContain("123456789012345678901");
  });

  test("finds its place in a file without projects, on one line, or with a byte order mark", () => {
    for (const text of ['{"version":1}', '\uFEFF{ "version": 1 }', '{"version":1,"projects":{}}']) {
      const merged = mergeProjects(text, { created: [project("app")] });
      expect(readConfig(merged).config.projects).toEqual({ app: project("app") });
    }
  });

  test("is written where JSON believes it to be when a key stands twice", () => {
    const text = mergeProjects('{"version":1,"owner_id":"1","owner_id":"2"}', { ownerId: "123456789012345678" });
    expect(JSON.parse(text)).toMatchObject({ owner_id: "123456789012345678" });
  });
});

describe("what the owner chose for a thread", () => {
  const THREAD = "100000000000000002";
  const file = (more: object): string =>
    JSON.stringify(
      {
        version: 1,
        projects: {
          app: { ...project("app"), enabled_tools: ["claude", "codex"], channel_id: "100000000000000001", ...more },
        },
      },
      null,
      2,
    );
  const merged = (text: string, tool: string, model?: string): string =>
    mergeProjects(text, { threads: [{ project_name: "app", thread_id: THREAD, tool, model }] });
  const entries = (text: string): unknown => readConfig(text).config.projects["app"]?.threads;
  const OTHER = { thread_id: "100000000000000003", permission: "bypassPermissions" };

  test.each<[string, object, [tool: string, model?: string], unknown]>([
    ["nothing differs from the project", {}, ["claude"], undefined],
    ["a model", {}, ["claude", "opus"], [{ thread_id: THREAD, model: "opus" }]],
    ["a tool", {}, ["codex"], [{ thread_id: THREAD, tool: "codex" }]],
    [
      "both, beside another thread",
      { threads: [OTHER] },
      ["codex", "gpt"],
      [OTHER, { thread_id: THREAD, tool: "codex", model: "gpt" }],
    ],
    [
      "an entry is there",
      { threads: [OTHER, { thread_id: THREAD, note: "mine", permission: "plan", model: "opus" }] },
      ["claude", "haiku"],
      [OTHER, { thread_id: THREAD, note: "mine", permission: "plan", model: "haiku" }],
    ],
    [
      "another tool's model goes",
      { threads: [{ thread_id: THREAD, model: "opus", startup: true }] },
      ["codex"],
      [{ thread_id: THREAD, startup: true, tool: "codex" }],
    ],
    [
      "back to the project's tool",
      { threads: [{ thread_id: THREAD, tool: "codex", model: "gpt" }] },
      ["claude"],
      [{ thread_id: THREAD, tool: "claude" }],
    ],
    [
      "what stands there already",
      { threads: [{ thread_id: THREAD, model: "opus" }] },
      ["claude", "opus"],
      [{ thread_id: THREAD, model: "opus" }],
    ],
    [
      "no model chosen leaves the owner's own",
      { threads: [{ thread_id: THREAD, model: "opus" }] },
      ["claude"],
      [{ thread_id: THREAD, model: "opus" }],
    ],
  ])("%s", (_name, more, [tool, model], expected) => {
    expect(entries(merged(file(more), tool, model))).toEqual(expected);
  });

  test("nothing else in the file changes by a byte, whatever stands there, and no mode is ever set", () => {
    const entry = fc.record(
      { permission: fc.constantFrom("plan", "bypassPermissions"), note: fc.string(), startup: fc.boolean() },
      { requiredKeys: [] },
    );
    const ids = fc.uniqueArray(fc.constantFrom("100000000000000002", "100000000000000003", "100000000000000004"));
    fc.assert(
      fc.property(
        ids,
        entry,
        fc.constantFrom("claude", "codex"),
        fc.option(fc.string({ minLength: 1, maxLength: 20 }), { nil: undefined }),
        fc.constantFrom(2, 4, "\t", undefined),
        (threads, more, tool, model, space) => {
          const value = JSON.parse(file({ threads: threads.map((thread_id) => ({ thread_id, ...more })) })) as {
            projects: { app: Record<string, unknown> };
          };
          const text = JSON.stringify(value, null, space);
          const once = merged(text, tool, model);
          expect(merged(once, tool, model)).toBe(once);
          const before = value.projects.app["threads"] as { thread_id: string }[];
          const { projects } = JSON.parse(once) as typeof value;
          const after = projects.app["threads"] as Record<string, unknown>[];
          expect({ ...projects.app, threads: after.filter(({ thread_id }) => thread_id !== THREAD) }).toEqual({
            ...value.projects.app,
            threads: before.filter(({ thread_id }) => thread_id !== THREAD),
          });
          const own = after.find(({ thread_id }) => thread_id === THREAD);
          expect(own?.["permission"]).toEqual(
            before.some(({ thread_id }) => thread_id === THREAD) ? more.permission : undefined,
          );
          if (model !== undefined) expect(own).toMatchObject({ model });
        },
      ),
    );
  });
});

function omit(config: { projects: Record<string, unknown> }, name: string): object {
  const { [name]: _, ...projects } = config.projects;
  return { ...config, projects };
}

describe("for any JSON", () => {
  const key = fc.string({ unit: fc.constantFrom("a", "b", '"', "\\", "{", "}", "é", " "), maxLength: 3 });
  const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
  const indent = fc.constantFrom(undefined, 1, 2, "\t");

  test("setting a member and reading it is as on the value itself", () => {
    fc.assert(
      fc.property(object, indent, key, fc.jsonValue({ maxDepth: 1 }), (value, space, name, set) => {
        const merged = JSON.parse(setMember(JSON.stringify(value, null, space), [name], set)) as object;
        expect(merged).toEqual(JSON.parse(JSON.stringify({ ...value, [name]: set })));
      }),
    );
  });

  test("removing a member leaves the others, and valid JSON", () => {
    fc.assert(
      fc.property(object, indent, fc.nat(5), (value, space, index) => {
        const name = Object.keys(value)[index] ?? "missing";
        const { [name]: _, ...rest } = value;
        expect(JSON.parse(removeMember(JSON.stringify(value, null, space), [name]))).toEqual(
          JSON.parse(JSON.stringify(rest)),
        );
      }),
    );
  });
});
