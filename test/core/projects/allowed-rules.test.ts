/** What Claude may always do: what is new of it is told once, in the thread of the job before which it was found. */
import { expect, test } from "vitest";
import { changedWait } from "../../../src/core/projects/checkout.ts";
import { knownRules } from "../../../src/core/projects/allowed-rules.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const digest = "a".repeat(64);

function seen(...allowed: string[]): Scene {
  const scene = new Scene().withSessions(T1, T2);
  scene.do({ type: "see_project", project_name: "app", path: "/srv/app", configuration: digest, allowed });
  scene.hear(T1, message(1));
  scene.hear(T2, message(2));
  return scene;
}

const note = (number: number, thread_id: string, ...rules: string[]) =>
  ({ type: "note_rules", project_name: "app", thread_id, job_id: job(number), rules }) as const;
const told = (scene: Scene, number: number): readonly string[] | undefined => scene.state.runs[job(number)]?.allowed;

test("what was there is not told, what is new is told in one thread, and what went and came again is told again", () => {
  const scene = seen("A", "B");
  expect(scene.types(note(1, T1, "A", "B"))).toEqual([]);
  expect(scene.types(note(1, T1, "A", "B", "C"))).toEqual(["RulesAllowed"]);
  expect(scene.types(note(1, T1, "A", "B", "C"))).toEqual([]);
  expect(scene.types(note(2, T2, "A", "B", "C"))).toEqual([]);
  expect([told(scene, 1), told(scene, 2)]).toEqual([["C"], undefined]);
  expect(scene.types(note(2, T2, "A"))).toEqual(["RulesAllowed"]);
  expect(told(scene, 2)).toBeUndefined();
  scene.do(note(2, T2, "A", "C"));
  expect([told(scene, 2), knownRules(scene.state, T1, "app")]).toEqual([["C"], ["A", "C"]]);
  scene.checkReplay();
});

test("a yes to what changed keeps them: what is new in another directory is told there", () => {
  const scene = seen("A");
  const is = "b".repeat(64);
  for (const changed of [
    { configuration: { project_name: "app", was: digest, is, shown: digest } },
    { place: { project_name: "app", was: "/srv/app", is: "/data/app" } },
  ]) {
    const { job_id = "" } = Object.values(scene.state.jobs).find(({ state }) => state === "running") ?? {};
    const wait = changedWait(job_id, changed);
    scene.do({ type: "put_back", job_id, why: wait.kind });
    scene.do({ type: "park", thread_id: T1, job_id, wait });
    scene.do({ type: "progress", job_id, progress: { kind: "gone" } });
    scene.do({ type: "accept_changed", thread_id: T1, job_id, digest: wait.digest, by: "seen" });
    const path = changed.place ? "/data/app" : "/srv/app";
    expect(scene.state.seen?.["app"]).toEqual({ path, configuration: is, allowed: ["A"] });
  }
  scene.checkReplay();
});

test("a worktree begins with those of its project and has its own from then on", () => {
  const scene = seen("A");
  scene.do({ type: "made_worktree", thread_id: T1, path: "/srv/app/.claude/worktrees/w", branch: "w" });
  expect(scene.types(note(1, T1, "A"))).toEqual([]);
  scene.do(note(1, T1));
  scene.do(note(1, T1, "A", "B"));
  expect([told(scene, 1), knownRules(scene.state, T1, "app"), knownRules(scene.state, T2, "app")]).toEqual([
    ["A", "B"],
    ["A", "B"],
    ["A"],
  ]);
  scene.checkReplay();
});

test("nothing is noted for a job that is gone", () => {
  expect(seen().types(note(9, T1, "A"))).toEqual([]);
});
