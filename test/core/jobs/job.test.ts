import { expect, test } from "vitest";
import { KEPT_JOBS } from "../../../src/core/jobs/ending.ts";
import type { Progress } from "../../../src/core/jobs/run.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

test("a message becomes a job that starts at once where nothing is in its way", () => {
  const scene = new Scene().withSessions(T1);
  expect(scene.hear(T1, message(1), "fix it").map((event) => event.type)).toEqual(["JobEnqueued", "JobStarted"]);
  expect(scene.state.jobs[job(1)]).toEqual({
    job_id: job(1),
    thread_id: T1,
    discord_message_id: message(1),
    state: "running",
    prompt: "fix it",
    attempt: 1,
    tool: "claude",
    error_code: null,
    error_message: null,
    started_at: "2026-02-26T14:00:04.000Z",
    finished_at: null,
    result_excerpt: null,
  });
  expect(scene.state.dedupe).toEqual({ [`${T1}:${message(1)}`]: job(1) });
  scene.checkReplay();
});

test("a redelivered message is not a second job", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  expect(scene.hear(T1, message(1))).toEqual([]);
  scene.do({ type: "channel_read", channel_id: T1, through: message(1) });
  expect(scene.state.dedupe).toEqual({});
  expect(scene.hear(T1, message(1))).toEqual([]);
  expect(scene.hear(T1, T1)).toEqual([]);
});

test("a message of a thread that is no session's is nobody's", () => {
  expect(new Scene().withSessions(T1).hear(T2, message(1))).toEqual([]);
});

test("a full thread refuses the next message, and other threads do not mind", () => {
  const scene = new Scene({ max_queue_per_session: 2 }).withSessions(T1, T2);
  for (let number = 1; number <= 3; number += 1) scene.hear(T1, message(number));
  expect(scene.hear(T1, message(4)).map((event) => event.type)).toEqual(["MessageRefused"]);
  expect(scene.state.notices[message(4)]).toMatchObject({ code: "E_QUEUE_FULL", details: { limit: 2 } });
  expect(scene.hear(T2, message(5)).map((event) => event.type)).toEqual(["JobEnqueued", "JobStarted"]);
});

test("the next job starts when the last one's process is gone, not when its answer is there", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.hear(T1, message(2));
  expect(scene.complete(job(1)).map((event) => event.type)).toEqual(["JobCompleted"]);
  expect(scene.running()).toEqual([]);
  expect(scene.types({ type: "progress", job_id: job(1), progress: { kind: "gone" } })).toEqual([
    "JobProgress",
    "JobStarted",
  ]);
  expect(scene.running()).toEqual([job(2)]);
});

test("a process that is gone without an end does not free its thread", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  expect(scene.types({ type: "progress", job_id: job(1), progress: { kind: "gone" } })).toEqual([]);
  expect(scene.state.threads[T1]?.busy_job).toBe(job(1));
});

test("a second end of a job changes nothing, and neither does progress of one that is over", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.finish(job(1));
  const before = structuredClone(scene.state);
  expect([
    ...scene.complete(job(1)),
    ...scene.fail(job(1)),
    ...scene.do({ type: "cancelled", job_id: job(1) }),
  ]).toEqual([]);
  expect(
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "tool", name: "Bash", title: "ls", ok: true } }),
  ).toEqual([]);
  expect(scene.fail("job_20260226_9999")).toEqual([]);
  expect(scene.state).toEqual(before);
});

test("nothing is told of a job that was taken back before it began", () => {
  const scene = new Scene({ global_max_running: 1 }).withSessions(T1);
  for (const number of [1, 2]) scene.hear(T1, message(number));
  scene.do({ type: "cancel_job", job_id: job(2), by: "owner" });
  const checkout = { cwd: "/srv/app", branch: null, head: null, tree: null };
  expect(
    scene.learn(job(2), { kind: "changes", changes: { files: 1, added: 1, removed: 1, patch: null }, stat: null }),
  ).toEqual([]);
  expect(scene.learn(job(2), { kind: "checkout_end", checkout })).toEqual([]);
  expect(scene.learn(job(2), { kind: "tool", name: "Bash", title: "ls", ok: true })).toEqual([]);
});

test("how a job ended stays with it: answer, failure, cancellation", () => {
  const scene = new Scene().withSessions(T1);
  for (const number of [1, 2, 3]) scene.hear(T1, message(number));
  scene.finish(job(1));
  expect(scene.state.jobs[job(1)]).toMatchObject({
    state: "success",
    result_excerpt: "said",
    finished_at: expect.any(String),
  });
  expect(scene.state.runs[job(1)]).toMatchObject({
    result_sha256: "0".repeat(64),
    concluded: { model: "m", usage: { input_tokens: 1 } },
  });
  scene.fail(job(2));
  expect(scene.state.jobs[job(2)]).toMatchObject({
    state: "failed",
    error_code: "E_CLI_EXIT_NONZERO",
    error_message: "it broke",
  });
  expect(scene.state.runs[job(2)]?.concluded?.error_details).toEqual({ reason: "it broke", exit_code: 1 });
  scene.do({ type: "progress", job_id: job(2), progress: { kind: "gone" } });
  scene.do({ type: "cancelled", job_id: job(3) });
  expect(scene.state.jobs[job(3)]?.state).toBe("cancelled");
  scene.checkReplay();
});

test("what a run leaves behind is remembered: its process, and the last fifty tools", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "process", pid: 42, start_time: "7" } });
  for (let count = 0; count < 60; count += 1) {
    scene.do({
      type: "progress",
      job_id: job(1),
      progress: { kind: "tool", name: "Bash", title: `${count}`, ok: true },
    });
  }
  expect(scene.state.runs[job(1)]).toMatchObject({ begun: { process: { pid: 42, start_time: "7" } } });
  expect(scene.state.runs[job(1)]?.begun?.tools.map((tool) => tool.title)).toEqual(
    Array.from({ length: 50 }, (_, index) => `${index + 10}`),
  );
  scene.checkReplay();
});

test("what is known of a run is not written again: its process, its conversation, the checkout that it leaves", () => {
  const scene = new Scene().withSessions(T1);
  const process = { kind: "process", pid: 42, start_time: "7" } as const;
  const key = (session_id: string): Progress => ({ kind: "session_key", adapter_state: { session_id } });
  const left = (head: string | null): Progress => ({
    kind: "checkout_end",
    checkout: { cwd: "/srv/app", branch: "main", head, tree: null },
  });
  const told = (number: number, ...all: Progress[]): number =>
    all.filter((one) => scene.learn(job(number), one).length > 0).length;
  for (const number of [1, 2, 3]) scene.hear(T1, message(number));
  expect(told(1, process, process, key("k1"), key("k1"), left("a"), left("a"))).toBe(3);
  expect(
    told(1, { ...process, steers: true }, process, { ...process, prompt_id: "p" }, { ...process, start_time: "8" }),
  ).toBe(3);
  scene.finish(job(1));
  expect(told(2, process, key("k1"), left("a"))).toBe(1);
  expect(told(2, key("k2"), left("b"), { kind: "session_key", adapter_state: {} })).toBe(3);
  // The conversation and the checkout of another tool are its own.
  scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
  expect(told(2, key("k2"), key("k2"), left("b"), left("c"), left("c"))).toBe(2);
  scene.finish(job(2));
  expect(told(3, left(null), left(null))).toBe(1);
  scene.checkReplay();
});

test("a retry is a new job, after those that wait, and there is one of it", () => {
  const scene = new Scene().withSessions(T1);
  for (const number of [1, 2]) scene.hear(T1, message(number), `p${number}`);
  scene.fail(job(1));
  expect(scene.types({ type: "retry", job_id: job(1) })).toEqual(["JobEnqueued"]);
  expect(scene.state.jobs[job(3)]).toMatchObject({
    prompt: "p1",
    attempt: 2,
    discord_message_id: message(1),
    state: "queued",
  });
  expect(scene.state.sessions[T1]?.queue).toEqual([job(2), job(3)]);
  expect(scene.state.runs[job(1)]?.retried_by).toBe(job(3));
  expect(() => scene.do({ type: "retry", job_id: job(1) })).toThrow(
    expect.objectContaining({ code: "E_JOB_NOT_RETRYABLE" }),
  );
  scene.checkReplay();
});

test("a retry has the words that its message has now, and counts as edited; the job that failed keeps its own", () => {
  const scene = new Scene({ max_prompt_chars: 10 }).withSessions(T1);
  const retry = (number: number, prompt: string): string[] =>
    scene.types({ type: "retry", job_id: job(number), prompt });
  const failed = (number: number): void => {
    scene.fail(job(number));
    scene.learn(job(number), { kind: "gone" });
  };
  scene.hear(T1, message(1), "old");
  failed(1);
  for (const [words, code] of [
    ["", "E_EMPTY_PROMPT"],
    ["more words than fit", "E_PROMPT_TOO_LONG"],
  ] as const) {
    expect(() => scene.do({ type: "retry", job_id: job(1), prompt: words })).toThrow(expect.objectContaining({ code }));
  }
  expect(retry(1, "new")).toEqual(["JobEnqueued", "JobEdited", "JobStarted"]);
  expect([scene.state.jobs[job(1)]?.prompt, scene.state.jobs[job(2)]?.prompt]).toEqual(["old", "new"]);
  expect([scene.state.runs[job(1)]?.edited, scene.state.runs[job(2)]?.edited]).toEqual([false, true]);
  failed(2);
  expect(retry(2, "new")).toEqual(["JobEnqueued", "JobStarted"]);
  expect(scene.state.jobs[job(3)]?.prompt).toBe("new");
  scene.checkReplay();
});

test.each([["success"], ["running"], ["queued"], ["cancelled"], ["unknown"]])(
  "a job that is %s is not retried",
  (state) => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.hear(T1, message(2));
    if (state === "success") scene.complete(job(1));
    if (state === "cancelled") scene.do({ type: "cancelled", job_id: job(1) });
    const id = state === "queued" ? job(2) : state === "unknown" ? "constructor" : job(1);
    expect(() => scene.do({ type: "retry", job_id: id })).toThrow(
      expect.objectContaining({ code: "E_JOB_NOT_RETRYABLE" }),
    );
  },
);

test("a clock that is set back gives no job's number a second time", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.now += 24 * 3_600_000;
  scene.hear(T1, message(2));
  scene.now -= 48 * 3_600_000;
  scene.hear(T1, message(3));
  expect(Object.keys(scene.state.jobs)).toEqual(["job_20260226_0001", "job_20260227_0001", "job_20260227_0002"]);
});

test("the last fifty ended jobs of a thread stay, with all that hangs on them, and no more", () => {
  const scene = new Scene().withSessions(T1, T2);
  for (let number = 1; number <= KEPT_JOBS + 20; number += 1) {
    scene.hear(T1, message(number));
    scene.finish(job(number));
    scene.post(job(number), `${number}`);
  }
  const kept = Array.from({ length: KEPT_JOBS }, (_, index) => job(index + 21));
  for (const record of [scene.state.jobs, scene.state.runs, scene.state.posts])
    expect(Object.keys(record)).toEqual(kept);
  expect(scene.post(job(1), "1").map((event) => event.type)).toEqual(["PostRecorded"]);
  expect(scene.state.posts[job(1)]).toBeUndefined();
  scene.checkReplay();
});

test("one whose end is not posted stays, however many end after it, and leaves once it is", () => {
  const scene = new Scene().withSessions(T1);
  const all = Array.from({ length: KEPT_JOBS + 20 }, (_, index) => job(index + 1));
  for (const [index, id] of all.entries()) {
    scene.hear(T1, message(index + 1));
    scene.finish(id);
  }
  expect(Object.keys(scene.state.jobs)).toEqual(all);
  for (const id of all) scene.post(id, id);
  scene.hear(T1, message(all.length + 1));
  scene.finish(job(all.length + 1));
  expect(Object.keys(scene.state.jobs)).toEqual([...all.slice(21), job(all.length + 1)]);
  scene.checkReplay();
});

test("a job whose agent had ended and whose answer is whole is done at a restart, and its thread continues; another is unknown", () => {
  const scene = new Scene().withSessions(T1, T2);
  for (const thread of [T1, T2]) scene.hear(thread, message(thread === T1 ? 1 : 2));
  scene.hear(T1, message(3));
  const end = { result_excerpt: "said", result_sha256: "0".repeat(64), model: "m", usage: { input_tokens: 1 } };
  // One that has ended already, or that nobody knows, changes nothing.
  scene.do({
    type: "restart",
    done: [
      { job_id: job(1), ...end },
      { job_id: job(3), ...end },
      { job_id: job(9), ...end },
    ],
  });
  expect(scene.state.jobs[job(1)]?.state).toBe("success");
  expect(scene.state.runs[job(1)]).toMatchObject({ result_sha256: end.result_sha256, concluded: { usage: end.usage } });
  expect(scene.state.jobs[job(2)]?.state).toBe("unknown_after_crash");
  expect([T1, T2].map((thread) => scene.state.threads[thread]?.hold)).toEqual([null, job(2)]);
  scene.do({ type: "queue_checked", thread_id: T1 });
  expect(scene.state.jobs[job(3)]?.state).toBe("running");
  scene.checkReplay();
});
