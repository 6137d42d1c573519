import { expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { isProjectName } from "../../../src/config/project-name.ts";
import type { ProjectConfig } from "../../../src/core/projects/project.ts";
import { AT, createApp, Scene } from "../scene.ts";

type Create = Extract<Command, { type: "create_project" }>;
const app = (createApp as Create).project;
const config = (change: Partial<ProjectConfig> = {}): ProjectConfig => ({
  ...app,
  created_at: AT,
  updated_at: AT,
  ...change,
});

test("a new project gets the next number and waits to be saved", () => {
  const scene = new Scene();
  scene.do(createApp);
  scene.do({ type: "create_project", project: { ...app, name: "b" } });
  expect(scene.state.projects["app"]).toMatchObject({
    number: 1,
    unsaved: true,
    path: "/srv/app",
    created_at: "2026-02-26T14:00:01.000Z",
  });
  expect(scene.state.projects["b"]?.number).toBe(2);
  scene.checkReplay();
});

test.each([
  ["a name twice", {}, "E_PROJECT_EXISTS"],
  ["capitals in a name", { name: "App" }, "E_INVALID_NAME"],
  ["no name", { name: "" }, "E_INVALID_NAME"],
  ["a name of 41 characters", { name: "a".repeat(41) }, "E_INVALID_NAME"],
  ["a name that ends a line", { name: "app\n" }, "E_INVALID_NAME"],
  ["the name of every object's prototype", { name: "__proto__" }, "E_INVALID_NAME"],
  ["a relative path", { name: "b", path: "srv" }, "E_INVALID_PATH"],
  ["no tools", { name: "b", enabled_tools: [] }, "E_INVALID_TOOLSET"],
  ["a tool twice", { name: "b", enabled_tools: ["claude", "claude"] }, "E_INVALID_TOOLSET"],
  ["a default tool that is not enabled", { name: "b", default_tool: "gemini" }, "E_INVALID_TOOLSET"],
] as const)("%s is refused, and nothing happens", (_what, change, code) => {
  const scene = new Scene();
  scene.do(createApp);
  const before = structuredClone(scene.state);
  const project = {
    ...app,
    ...change,
    enabled_tools: [...("enabled_tools" in change ? change.enabled_tools : app.enabled_tools)],
  };
  expect(() => scene.do({ type: "create_project", project })).toThrow(expect.objectContaining({ code }));
  expect(scene.state).toEqual(before);
});

test("a name that every object has by birth is a name like another", () => {
  const scene = new Scene();
  expect(isProjectName("constructor")).toBe(true);
  expect(() =>
    scene.do({
      type: "start_session",
      request_id: "r",
      project_name: "constructor",
      channel_id: "2",
      guild_id: "3",
      bot_id: "4",
    }),
  ).toThrow(expect.objectContaining({ code: "E_PROJECT_NOT_FOUND" }));
  expect(scene.types({ type: "create_project", project: { ...app, name: "constructor" } })).toEqual(["ProjectCreated"]);
  scene.checkReplay();
});

test("what the file says is taken over: new, changed and removed projects", () => {
  const scene = new Scene();
  expect(scene.types({ type: "adopt_projects", projects: [config(), config({ name: "b" })] })).toEqual([
    "ProjectCreated",
    "ProjectCreated",
  ]);
  expect(scene.types({ type: "adopt_projects", projects: [config(), config({ name: "b" })] })).toEqual([]);
  expect(
    scene.types({ type: "adopt_projects", projects: [config({ name: "c" }), config({ name: "b", path: "/x" })] }),
  ).toEqual(["ProjectRemoved", "ProjectCreated", "ProjectUpdated"]);
  expect(Object.values(scene.state.projects).map(({ name, number, path }) => [name, number, path])).toEqual([
    ["b", 2, "/x"],
    ["c", 3, "/srv/app"],
  ]);
  scene.checkReplay();
});

test("no number is given twice, also after the last project was removed", () => {
  const scene = new Scene();
  scene.do({ type: "adopt_projects", projects: [config(), config({ name: "b" })] });
  scene.do({ type: "adopt_projects", projects: [config()] });
  scene.do({ type: "create_project", project: { ...app, name: "c" } });
  expect(scene.state.projects["c"]?.number).toBe(3);
  scene.do({ type: "projects_saved", names: ["c"] });
  scene.do({ type: "adopt_projects", projects: [] });
  scene.do({ type: "adopt_projects", projects: [config({ name: "d" }), config({ name: "e" })] });
  expect(Object.values(scene.state.projects).map(({ name, number }) => [name, number])).toEqual([
    ["d", 4],
    ["e", 5],
  ]);
  scene.checkReplay();
});

test("a project that only a command knows is not removed by a file that does not have it yet", () => {
  const scene = new Scene();
  scene.do(createApp);
  expect(scene.types({ type: "adopt_projects", projects: [] })).toEqual([]);
  expect(scene.types({ type: "projects_saved", names: ["app", "unknown"] })).toEqual(["ProjectSaved"]);
  expect(scene.types({ type: "projects_saved", names: ["app"] })).toEqual([]);
  expect(scene.types({ type: "adopt_projects", projects: [] })).toEqual(["ProjectRemoved"]);
  scene.checkReplay();
});
