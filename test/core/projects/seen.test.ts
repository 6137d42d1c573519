/** What the owner has seen of a project. */
import { describe, expect, test } from "vitest";
import { changedWait, type Wait } from "../../../src/core/projects/checkout.ts";
import { neededConfigurations, projectIn, seenName } from "../../../src/core/projects/seen.ts";
import { createApp, job, message, Scene, T1 } from "../scene.ts";

const digest = (entry: string): string => entry.repeat(64);
const changed = (number: number): Wait =>
  changedWait(job(number), {
    configuration: { project_name: "app", was: digest("a"), is: digest("b"), shown: digest("c") },
  });

function waiting(wait: (number: number) => Wait, ...threads: string[]): Scene {
  const scene = new Scene().withSessions(...threads);
  scene.do({ type: "see_project", project_name: "app", path: "/srv/app", configuration: digest("a") });
  threads.forEach((thread_id, index) => {
    scene.hear(thread_id, message(index + 1));
    const job_id = job(index + 1);
    scene.do({ type: "put_back", job_id, why: wait(index + 1).kind });
    scene.do({ type: "park", thread_id, job_id, wait: wait(index + 1) });
    scene.do({ type: "progress", job_id, progress: { kind: "gone" } });
  });
  return scene;
}

describe("what was seen", () => {
  test("in a thread's own directory is noted for it alone, and goes with the project, not with another directory of that", () => {
    const scene = new Scene();
    scene.do(createApp);
    const {
      number: _number,
      unsaved: _unsaved,
      ...app
    } = structuredClone(scene.state.projects["app"]) ??
    (() => {
      throw new Error("no project");
    })();
    scene.do({ type: "projects_saved", names: ["app"] });
    const project_name = seenName({ project_name: "app", thread_id: T1 }, true);
    expect([
      seenName({ project_name: "app", thread_id: T1 }, false),
      projectIn(project_name),
      projectIn("app"),
    ]).toEqual(["app", "app", "app"]);
    const own = { path: "/srv/own", configuration: digest("b") };
    scene.do({ type: "see_project", project_name, ...own });
    scene.do({ type: "adopt_projects", projects: [{ ...app, path: "/elsewhere" }] });
    expect([scene.state.seen, neededConfigurations(scene.state)]).toEqual([
      { [project_name]: own },
      new Set([digest("b")]),
    ]);
    scene.do({ type: "adopt_projects", projects: [] });
    expect(scene.state.seen).toEqual({});
    expect(scene.types({ type: "see_project", project_name, ...own })).toEqual([]);
    scene.checkReplay();
  });

  test("is noted once, goes with its project, and is another project's when the owner gives it another directory", () => {
    const scene = new Scene();
    scene.do(createApp);
    const see = { type: "see_project", project_name: "app", path: "/srv/app", configuration: digest("a") } as const;
    expect([scene.types(see), scene.types(see), scene.types({ ...see, project_name: "constructor" })]).toEqual([
      ["ProjectSeen"],
      [],
      [],
    ]);
    const {
      number: _number,
      unsaved: _unsaved,
      ...app
    } = structuredClone(scene.state.projects["app"]) ??
    (() => {
      throw new Error("no project");
    })();
    scene.do({ type: "projects_saved", names: ["app"] });
    scene.do({ type: "adopt_projects", projects: [{ ...app, default_args: { claude: ["--verbose"] } }] });
    expect(scene.state.seen).toEqual({ app: { path: "/srv/app", configuration: digest("a") } });
    scene.do({ type: "adopt_projects", projects: [{ ...app, path: "/elsewhere" }] });
    expect(scene.state.seen).toEqual({});
    scene.do(see);
    scene.do({ type: "adopt_projects", projects: [] });
    expect(scene.state.seen).toEqual({});
    scene.checkReplay();
  });

  test("is kept on the disk for as long as it is compared or shown", () => {
    expect([...neededConfigurations(waiting(changed, T1).state)].sort()).toEqual([
      digest("a"),
      digest("b"),
      digest("c"),
    ]);
  });
});
