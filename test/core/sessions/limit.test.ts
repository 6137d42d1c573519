/** After a usage limit the owner is asked, or one job goes on; his press, his next message and a retry answer alike. */
import { describe, expect, test } from "vitest";
import type { Rules } from "../../../src/core/jobs/job.ts";
import { liftedPart } from "../../../src/core/projects/checkout.ts";
import { job, message, Scene, T1 } from "../scene.ts";

const UNTIL = "2026-02-26T18:00:00.000Z";
const LATER = "2026-02-26T23:00:00.000Z";
const lift = (number = 1) => ({ type: "lift_limit", thread_id: T1, job_id: job(number) }) as const;
const part = (until = UNTIL): string => liftedPart({ kind: "limit", job_id: "", until });

/** A job meets the limit before it did anything; if it already had a tool, it fails instead. */
function meet(scene: Scene, number: number, until = UNTIL, how: "back" | "failed" = "back"): void {
  if (how === "back") scene.do({ type: "put_back", job_id: job(number), why: "limit" });
  else scene.fail(job(number));
  scene.do({ type: "park", thread_id: T1, job_id: job(number), wait: { kind: "limit", job_id: job(number), until } });
  scene.do({ type: "progress", job_id: job(number), progress: { kind: "gone" } });
}

/** Its first job met the limit, and one waits behind it. */
function limited(rule: Rules["resume_after_limit"] = "ask", how: "back" | "failed" = "back"): Scene {
  const scene = new Scene({ resume_after_limit: rule }).withSessions(T1);
  for (const number of [1, 2]) scene.hear(T1, message(number));
  meet(scene, 1, UNTIL, how);
  return scene;
}

describe("where the owner is asked", () => {
  test("the end of the limit starts nothing and is recorded once", () => {
    const scene = limited();
    expect(scene.types(lift())).toEqual(["LimitLifted"]);
    expect(scene.types(lift())).toEqual([]);
    expect(scene.types(lift(2))).toEqual([]);
    expect(scene.running()).toEqual([]);
    scene.checkReplay();
  });

  test("a press lets the queue continue, before the reset and after it", () => {
    for (const before of [true, false]) {
      const scene = limited();
      if (!before) scene.do(lift());
      expect(scene.types({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" })).toEqual([
        "SessionUnparked",
        "JobStarted",
      ]);
      expect(scene.types(lift())).toEqual([]);
    }
  });

  test("a message below the question continues in order; one above it, or written before the reset, waits", () => {
    const scene = limited();
    scene.hear(T1, message(3));
    scene.do(lift());
    scene.post(job(1), message(5), part());
    expect(scene.hear(T1, message(4)).map(({ type }) => type)).toEqual(["JobEnqueued"]);
    expect(scene.hear(T1, message(6)).map(({ type }) => type)).toEqual([
      "JobEnqueued",
      "SessionUnparked",
      "JobStarted",
    ]);
    expect(scene.running()).toEqual([job(1)]);
    scene.checkReplay();
  });

  test("a message that is refused answers too", () => {
    const scene = limited();
    scene.do(lift());
    scene.post(job(1), message(5), part());
    expect(scene.hear(T1, message(6), "").map(({ type }) => type)).toEqual([
      "MessageRefused",
      "SessionUnparked",
      "JobStarted",
    ]);
  });

  test("a message that came before the question was recorded answers when it is, and at a restart", () => {
    const scene = limited();
    scene.do(lift());
    scene.hear(T1, message(6));
    expect(scene.post(job(1), message(5), part()).map(({ type }) => type)).toEqual([
      "PostRecorded",
      "SessionUnparked",
      "JobStarted",
    ]);
    const cut = limited();
    cut.do(lift());
    cut.post(job(1), message(5), part());
    cut.hear(T1, message(6));
    cut.crash(1);
    cut.rules = { ...cut.rules, resume_after_limit: "ask" };
    expect(cut.restart().map(({ type }) => type)).toContain("SessionUnparked");
    expect(cut.running()).toEqual([job(1)]);
  });

  test("the question of an earlier limit is no place to answer a later one from", () => {
    const scene = limited();
    scene.do(lift());
    scene.post(job(1), message(5), part());
    scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" });
    meet(scene, 1, LATER);
    scene.do(lift());
    expect(scene.hear(T1, message(7)).map(({ type }) => type)).toEqual(["JobEnqueued"]);
  });

  test("nobody is asked where nothing could continue", () => {
    const scene = limited();
    scene.do({ type: "clear_queue", thread_id: T1 });
    expect(scene.types(lift())).toEqual(["SessionUnparked"]);
  });

  test("a job that failed at the limit asks also alone, and its retry continues", () => {
    const scene = limited("ask", "failed");
    scene.do({ type: "cancel_job", job_id: job(2), by: "owner" });
    expect(scene.types(lift())).toEqual(["LimitLifted"]);
    expect(scene.types({ type: "retry", job_id: job(1) })).toEqual(["JobEnqueued", "SessionUnparked", "JobStarted"]);
  });

  test.each([
    [
      "cancelled one by one",
      (scene: Scene) =>
        [1, 2].flatMap((number) => scene.types({ type: "cancel_job", job_id: job(number), by: "owner" })),
    ],
    ["cleared", (scene: Scene) => scene.types({ type: "clear_queue", thread_id: T1 })],
  ])("a queue that is %s asks no more", (_how, cancel) => {
    const scene = limited();
    scene.do(lift());
    expect(cancel(scene)).toEqual(["JobCancelled", "JobCancelled", "SessionUnparked"]);
    expect(scene.state.threads[T1]?.wait).toBeNull();
    expect(scene.hear(T1, message(9)).map(({ type }) => type)).toContain("JobStarted");
  });

  test("another tool has another account", () => {
    const scene = limited();
    scene.do(lift());
    expect(scene.types({ type: "change_tool", thread_id: T1, tool: "codex" })).toEqual(["ToolChanged", "JobStarted"]);
  });
});

describe("where it continues by itself", () => {
  test("one job continues, and those behind it follow", () => {
    const scene = limited("go_on");
    expect(scene.types(lift())).toEqual(["SessionUnparked", "JobStarted"]);
    scene.finish(job(1));
    expect(scene.running()).toEqual([job(2)]);
  });

  test("a second limit in a row waits for the owner, whichever job meets it; his word begins anew", () => {
    for (const how of ["back", "failed"] as const) {
      const scene = limited("go_on", how);
      scene.do(lift());
      const second = how === "back" ? 1 : 2;
      meet(scene, second, LATER);
      expect(scene.state.threads[T1]?.wait).toMatchObject({ again: true });
      expect(scene.types(lift(second))).toEqual(["LimitLifted"]);
      scene.do({ type: "unpark", thread_id: T1, job_id: job(second), by: "owner" });
      meet(scene, second, "2026-02-27T05:00:00.000Z");
      expect(scene.types(lift(second))).toEqual(["SessionUnparked", "JobStarted"]);
      scene.checkReplay();
    }
  });

  test("a job that succeeds in between makes the next limit a first one", () => {
    const scene = limited("go_on");
    scene.do(lift());
    scene.finish(job(1));
    meet(scene, 2, LATER);
    expect(scene.types(lift(2))).toEqual(["SessionUnparked", "JobStarted"]);
  });

  test("a limit that nothing waited for is no first one", () => {
    const scene = limited("go_on");
    scene.do({ type: "clear_queue", thread_id: T1 });
    scene.do(lift());
    scene.hear(T1, message(3));
    meet(scene, 3, LATER);
    expect(scene.types(lift(3))).toEqual(["SessionUnparked", "JobStarted"]);
  });
});
