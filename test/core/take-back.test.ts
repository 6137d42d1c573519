/** A press can be taken back while nobody has heard of it, and from the moment it is handed over no more. */
import { describe, expect, test } from "vitest";
import type { Decision } from "../../src/core/decisions/decision.ts";
import { pendingFile } from "../../src/core/decisions/pending-file.ts";
import { job, message, Scene, T1, T2 } from "./scene.ts";

const D = "app_20260226_0a1b2c";
const of = (scene: Scene): Decision => scene.state.decisions[D] as Decision;
const take = (scene: Scene): string[] => scene.types({ type: "take_back", decision_id: D });

/** Asked through MCP, with its prompt in its thread; the asker has gone. */
function unheard(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.question(D, ["When?"]);
  scene.place(D, T2);
  scene.show(D, message(10));
  scene.do({ type: "disconnect", decision_id: D });
  return scene;
}

test("a press that no caller received is taken back, the question is as it was, and the next answer is the one that counts", () => {
  const scene = unheard();
  const before = structuredClone(of(scene));
  scene.press(D, [0]);
  expect(of(scene)).toMatchObject({ state: "answered", revocable: { refreshed_at: null } });
  expect(take(scene)).toEqual(["AnswerTakenBack"]);
  expect(of(scene)).toEqual(before);
  expect(pendingFile(scene.state, of(scene))).toMatchObject({
    status: "disconnected",
    resolution: null,
    selected_option: null,
    resolved_at: null,
  });
  expect(take(scene)).toEqual([]);
  scene.press(D, [1]);
  expect(pendingFile(scene.state, of(scene))).toMatchObject({ status: "resolved", selected_option: "B) Later" });
  scene.checkReplay();
});

describe.each<[string, (scene: Scene) => void]>([
  [
    "its time for that is over, or it is being handed over",
    (scene) => scene.do({ type: "answer_stands", decision_id: D }),
  ],
  ["it was delivered", (scene) => scene.do({ type: "answer_delivered", decision_id: D })],
])("when %s", (_when, happens) => {
  test("it stands", () => {
    const scene = unheard();
    scene.press(D, [0]);
    happens(scene);
    expect(take(scene)).toEqual([]);
    expect(of(scene)).toMatchObject({ state: "answered", answers: [{ places: [0], words: null }] });
    expect(of(scene)).not.toHaveProperty("revocable");
    scene.checkReplay();
  });
});

test("what somebody waits for, what was typed, and what a job asks is handed over at once and can never be taken back", () => {
  const waited = unheard();
  waited.do({ type: "reconnect", decision_id: D });
  waited.press(D, [0]);
  const typed = unheard();
  typed.hear(T2, message(20), "A");
  const jobs = new Scene().withSessions(T1);
  jobs.hear(T1, message(1));
  jobs.question(D, ["When?"], null, { thread_id: T1, asker: { by: "job", job_id: job(1), request_id: D } });
  jobs.press(D, [0]);
  for (const scene of [waited, typed, jobs]) {
    expect(of(scene).state).toBe("answered");
    expect(take(scene)).toEqual([]);
  }
});

test("a daemon that begins again leaves it as it is; one that stands is told once, and taken back never", () => {
  const scene = unheard();
  scene.press(D, [0]);
  scene.restart();
  expect(of(scene)).toHaveProperty("revocable");
  expect([1, 2].map(() => scene.types({ type: "answer_stands", decision_id: D }))).toEqual([["AnswerStands"], []]);
  expect(take(scene)).toEqual([]);
  scene.checkReplay();
});
