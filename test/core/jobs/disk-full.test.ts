/** A disk that is full is no event: it is a rule by which nothing new starts, whatever asks for it. */
import { expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const full = { disk_full: true } as const;

function withRoom(scene: Scene): string[] {
  scene.rules = { ...scene.rules };
  delete scene.rules.disk_full;
  return scene.types({ type: "start_waiting" });
}

/** What is about to start something, and the command that would start it. */
const starts: [string, (scene: Scene) => Command][] = [
  [
    "a message",
    () => ({
      type: "hear",
      thread_id: T1,
      discord_message_id: message(1),
      prompt: "do it",
      files: [],
      refused_files: [],
      reply_to: null,
    }),
  ],
  [
    "a retry",
    (scene) => {
      scene.hear(T1, message(1));
      scene.fail(job(1));
      scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
      return { type: "retry", job_id: job(1) };
    },
  ],
  [
    "a continuation after a crash",
    (scene) => {
      scene.hear(T1, message(1));
      scene.restart();
      return { type: "continue", job_id: job(1) };
    },
  ],
  [
    "the end of the job before",
    (scene) => {
      scene.hear(T1, message(1));
      scene.hear(T1, message(2));
      scene.do({
        type: "complete",
        job_id: job(1),
        result_excerpt: "a",
        result_sha256: null,
        model: null,
        usage: null,
      });
      return { type: "progress", job_id: job(1), progress: { kind: "gone" } };
    },
  ],
  [
    "a limit that is over",
    (scene) => {
      scene.hear(T1, message(1));
      scene.do({ type: "put_back", job_id: job(1), why: "limit" });
      scene.do({
        type: "park",
        thread_id: T1,
        job_id: job(1),
        wait: { kind: "limit", job_id: job(1), until: "2026-02-26T18:00:00.000Z" },
      });
      scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
      return { type: "unpark", thread_id: T1, job_id: job(1), by: "owner" };
    },
  ],
];

test.each(starts)(
  "%s starts nothing on a full disk, and starts its job by itself when there is room",
  (_what, before) => {
    const scene = new Scene().withSessions(T1);
    const command = before(scene);
    scene.rules = { ...scene.rules, ...full };
    expect(scene.types(command)).not.toContain("JobStarted");
    expect(scene.types({ type: "start_waiting" })).toEqual([]);
    expect(withRoom(scene)).toEqual(["JobStarted"]);
  },
);

test("as many start with room again as the owner allows, of all threads", () => {
  const scene = new Scene({ ...full }).withSessions(T1, T2);
  scene.hear(T1, message(1));
  scene.hear(T2, message(2));
  expect(scene.running()).toEqual([]);
  expect(withRoom(scene)).toEqual(["JobStarted", "JobStarted"]);
});

test("what runs is stopped, asked and ended as ever", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.rules = { ...scene.rules, ...full };
  expect(scene.types({ type: "cancel_job", job_id: job(1), by: "owner" })).toEqual(["JobCancelRequested"]);
  expect(scene.types({ type: "cancelled", job_id: job(1), result_excerpt: "so far", result_sha256: null })).toEqual([
    "JobCancelled",
  ]);
  expect(scene.state.runs[job(1)]?.result_sha256).toBeNull();
});

test("a message is not sent into what runs, as its agent may begin a turn of its own with it; it waits", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "process", pid: 1, start_time: "1", steers: true } });
  scene.hear(T1, message(2));
  scene.rules = { ...scene.rules, ...full };
  expect(() => scene.do({ type: "send_now", job_id: job(2) })).toThrow(
    expect.objectContaining({ code: "E_DISK_FULL" }) as Error,
  );
  expect(scene.state.sessions[T1]?.queue).toEqual([job(2)]);
});
