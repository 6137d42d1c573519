/**
 * A job that failed may be run again while no other run of its words waits, runs, has succeeded, or waits for its
 * owner's choice.
 */
import { expect, test } from "vitest";
import { otherRun } from "../../../src/core/jobs/ending.ts";
import { job, message, Scene, T1 } from "../scene.ts";

type End = "waits" | "runs" | "success" | "failed" | "cancelled" | "cancelled in the queue" | "unknown_after_crash";

function failed(scene: Scene, number: number): void {
  scene.fail(job(number));
  scene.learn(job(number), { kind: "gone" });
}

/** The first job has failed; its retry, the third, ends so. The second is another message's. */
function retried(end: End): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  failed(scene, 1);
  scene.hear(T1, message(2));
  scene.do({ type: "retry", job_id: job(1) });
  if (end === "cancelled in the queue") scene.do({ type: "cancel_job", job_id: job(3), by: "owner" });
  if (end === "waits" || end === "cancelled in the queue") return scene;
  scene.finish(job(2));
  if (end === "success") scene.complete(job(3));
  if (end === "failed") failed(scene, 3);
  if (end === "cancelled") scene.do({ type: "cancelled", job_id: job(3) });
  if (end === "unknown_after_crash") scene.restart();
  return scene;
}

test.each<[End, boolean]>([
  ["waits", false],
  ["runs", false],
  ["success", false],
  ["failed", true],
  ["cancelled", true],
  ["cancelled in the queue", true],
  ["unknown_after_crash", false],
])("whose retry %s, may be retried: %s", (end, may) => {
  const scene = retried(end);
  const first = scene.state.jobs[job(1)];
  if (first === undefined) throw new Error("the first job is gone");
  expect(otherRun(scene.state, first)).toBe(may ? null : job(3));
  const again = (): string[] => scene.types({ type: "retry", job_id: job(1) });
  if (may) expect(again()).toContain("JobEnqueued");
  else expect(again).toThrow(expect.objectContaining({ code: "E_JOB_NOT_RETRYABLE" }));
  scene.checkReplay();
});

test("a retry that failed is not run again while another one of the same words is", () => {
  const scene = retried("failed");
  scene.do({ type: "retry", job_id: job(1) });
  expect(scene.state.jobs[job(4)]).toMatchObject({ state: "running", attempt: 2 });
  expect(() => scene.do({ type: "retry", job_id: job(3) })).toThrow(
    expect.objectContaining({ code: "E_JOB_NOT_RETRYABLE" }),
  );
  scene.finish(job(4));
  for (const one of [1, 3])
    expect(() => scene.do({ type: "retry", job_id: job(one) })).toThrow(
      expect.objectContaining({ code: "E_JOB_NOT_RETRYABLE" }),
    );
});

test("the retry of one message does not stand in the way of another's", () => {
  const scene = retried("waits");
  failed(scene, 2);
  expect(scene.state.jobs[job(3)]?.state).toBe("running");
  expect(scene.types({ type: "retry", job_id: job(2) })).toEqual(["JobEnqueued"]);
  expect(scene.state.jobs[job(4)]).toMatchObject({ discord_message_id: message(2), state: "queued" });
});
