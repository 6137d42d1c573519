/** A question that Discord has no place for ends, and the asker is told; it does not wait for what cannot come. */
import { expect, test } from "vitest";
import { pendingFile } from "../../src/core/decisions/pending-file.ts";
import { job, message, Scene, T1, T2 } from "./scene.ts";

const D = "app_20260226_0a1b2c";

function lost(scene: Scene, thread_id: string, places = 2): void {
  for (const place of (["thread", "parent"] as const).slice(0, places))
    scene.do({ type: "lose_thread", thread_id, place, code: "E_THREAD_ACCESS_FAILED" });
}

function asked(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.question(D, ["When?"]);
  scene.place(D, T2);
  scene.show(D, message(10));
  return scene;
}

test("given up in direct messages too, it is void, its file says aborted, and asked again it is a new question", () => {
  const scene = asked();
  lost(scene, T2);
  expect(scene.post(D, null, "prompt").map(({ type }) => type)).toEqual(["PostRecorded", "DecisionVoided"]);
  const decision = scene.state.decisions[D];
  expect(decision).toMatchObject({ state: "void", voided: "no_place" });
  expect(decision && pendingFile(scene.state, decision)).toMatchObject({ status: "aborted", resolution: null });
  expect(scene.question("again", ["When?"]).map(({ type }) => type)).toEqual(["DecisionAsked"]);
  scene.checkReplay();
});

test("while there is a place left, or what is given up is not its prompt, or is a job's, it waits on", () => {
  const parent = asked();
  lost(parent, T2, 1);
  expect(parent.post(D, null, "prompt").map(({ type }) => type)).toEqual(["PostRecorded"]);
  const above = asked();
  lost(above, T2);
  expect(above.post(D, null, "above:1").map(({ type }) => type)).toEqual(["PostRecorded"]);
  const jobs = new Scene().withSessions(T1);
  jobs.hear(T1, message(1));
  jobs.ask(job(1), D);
  lost(jobs, T1);
  expect(jobs.post(D, null, "prompt").map(({ type }) => type)).toEqual(["PostRecorded"]);
});

test("one whose end a crash lost ends when a daemon begins", () => {
  const scene = asked();
  scene.post(D, null, "prompt");
  lost(scene, T2);
  expect(scene.restart().map(({ type }) => type)).toContain("DecisionVoided");
  scene.checkReplay();
});

test("a lost post of a project's forum has no place in the forum: what it owes goes to direct messages", () => {
  const scene = new Scene().withSessions(T1);
  const { channel_id = "", guild_id = "", bot_id = "" } = scene.state.threads[T1] ?? {};
  scene.do({ type: "open_channel", kind: "project", channel_id, guild_id, bot_id, since: "1", forum: true });
  lost(scene, T1, 1);
  expect(scene.state.threads[T1]?.place).toBe("owner");
  scene.checkReplay();
});
