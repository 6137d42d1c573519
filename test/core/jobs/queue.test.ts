import { expect, test } from "vitest";
import { decideAndEvolve } from "../../../src/core/decider.ts";
import { emptyState } from "../../../src/core/state.ts";
import { evolve } from "../../../src/core/evolve.ts";
import { AT, job, message, Scene, T1, T2, T3 } from "../scene.ts";

/** A scene in which the first thread's job was cut off by a crash while two more are waitinged there. */
function crashed(afterCrash: "wait" | "go_on" = "wait"): Scene {
  const scene = new Scene({ after_crash: afterCrash }).withSessions(T1, T2);
  for (const number of [1, 2, 3]) scene.hear(T1, message(number));
  scene.restart();
  return scene;
}

test("no more run at once than the owner allows, and none fewer", () => {
  const scene = new Scene({ global_max_running: 2 }).withSessions(T1, T2, T3);
  scene.hear(T1, message(1));
  scene.hear(T2, message(2));
  scene.hear(T3, message(3));
  expect(scene.running()).toEqual([job(1), job(2)]);
  scene.finish(job(2));
  expect(scene.running()).toEqual([job(1), job(3)]);
});

test("a larger limit takes effect with the next thing that happens", () => {
  const scene = new Scene({ global_max_running: 1 }).withSessions(T1, T2, T3);
  for (const [index, thread] of [T1, T2, T3].entries()) scene.hear(thread, message(index));
  scene.rules = { ...scene.rules, global_max_running: 10 };
  scene.restart();
  expect(scene.running()).toEqual([job(2), job(3)]);
});

test("the thread that has waited longest for a slot is served first", () => {
  const scene = new Scene({ global_max_running: 1 }).withSessions(T1, T2);
  for (const number of [1, 2, 3]) scene.hear(T1, message(number));
  for (const number of [4, 5]) scene.hear(T2, message(number));
  const order = [];
  for (let running = scene.running()[0]; running; running = scene.running()[0]) {
    order.push(running);
    scene.finish(running);
  }
  expect(order).toEqual([job(1), job(4), job(2), job(5), job(3)]);
});

test("what ran in a crash is unknown, never runs again by itself, and holds only its own thread", () => {
  const scene = crashed();
  expect(scene.state.jobs[job(1)]?.state).toBe("unknown_after_crash");
  expect(scene.state.threads[T1]).toMatchObject({ hold: job(1), busy_job: null });
  expect(scene.running()).toEqual([]);
  scene.hear(T2, message(4));
  expect(scene.running()).toEqual([job(4)]);
  expect(scene.types({ type: "restart" })).toEqual(["JobMarkedUnknownAfterCrash", "QueueStale"]);
  expect(scene.state.sessions[T1]?.queue).toEqual([job(2), job(3)]);
  scene.checkReplay();
});

test("an answer that was in before the crash is not unknown", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.complete(job(1));
  scene.hear(T1, message(2));
  expect(scene.restart().map((event) => event.type)).toEqual([
    "JobProgress",
    "QueueStale",
    "QueueChecked",
    "JobStarted",
  ]);
  expect(scene.state.jobs[job(1)]?.state).toBe("success");
});

test("where the owner wants it, the queue continues by itself after a crash", () => {
  const scene = crashed("go_on");
  expect(scene.running()).toEqual([job(2)]);
  expect(scene.state.runs[job(2)]?.begun?.after_crash_of).toBe(job(1));
});

test("Retry runs what was interrupted again, before what waits, and says that it was interrupted", () => {
  const scene = crashed();
  expect(scene.types({ type: "retry", job_id: job(1) })).toEqual(["JobEnqueued", "QueueResumed", "JobStarted"]);
  expect(scene.running()).toEqual([job(4)]);
  expect(scene.state.jobs[job(4)]).toMatchObject({ attempt: 2, discord_message_id: message(1) });
  expect(scene.state.runs[job(1)]).toMatchObject({ retried_by: job(4), settled: "retry" });
  expect(scene.state.runs[job(4)]?.begun?.after_crash_of).toBe(job(1));
  expect(scene.state.sessions[T1]?.queue).toEqual([job(2), job(3)]);
  scene.checkReplay();
});

test("Discard lets the queue continue without it, once", () => {
  const scene = crashed();
  expect(scene.types({ type: "discard", job_id: job(2) })).toEqual([]);
  expect(scene.types({ type: "discard", job_id: job(1) })).toEqual(["QueueResumed", "JobStarted"]);
  expect(scene.types({ type: "discard", job_id: job(1) })).toEqual([]);
  expect(scene.running()).toEqual([job(2)]);
  expect(scene.state.runs[job(1)]?.settled).toBe("discard");
});

test("a retry of which a crash kept only the beginning is finished by the next press, without a second job", () => {
  const scene = crashed();
  scene.do({ type: "retry", job_id: job(1) });
  const kept = emptyState();
  for (const event of scene.events.slice(0, scene.events.findLastIndex((one) => one.type === "JobEnqueued") + 1))
    evolve(kept, event);
  expect(kept.threads[T1]?.hold).toBe(job(1));
  const types = decideAndEvolve(kept, { type: "retry", job_id: job(1) }, { at: AT, rules: scene.rules }).map(
    (event) => event.type,
  );
  expect(types).toEqual(["QueueResumed", "JobStarted"]);
  expect(kept.sessions[T1]?.running_job_id).toBe(job(4));
  expect(kept.jobs).toEqual(expect.objectContaining({ [job(4)]: expect.objectContaining({ attempt: 2 }) }));
});

test("the next message below the notice lets the queue continue in order, one from before it does not", () => {
  const scene = crashed();
  scene.hear(T1, message(4));
  expect(scene.running()).toEqual([]);
  scene.post(job(1), message(10));
  scene.hear(T1, message(9));
  expect(scene.running()).toEqual([]);
  expect(scene.hear(T1, message(11)).map((event) => event.type)).toEqual(["JobEnqueued", "QueueResumed", "JobStarted"]);
  expect(scene.running()).toEqual([job(2)]);
  expect(scene.state.runs[job(1)]?.settled).toBe("message");
  expect(scene.state.sessions[T1]?.queue).toEqual([job(3), job(4), job(5), job(6)]);
  scene.checkReplay();
});

test("a message heard before the notice above it was written down lets the queue continue when that is", () => {
  const scene = crashed();
  scene.hear(T1, message(11));
  expect(scene.running()).toEqual([]);
  expect(scene.post(job(1), message(10)).map((event) => event.type)).toEqual([
    "PostRecorded",
    "QueueResumed",
    "JobStarted",
  ]);
  expect(scene.state.runs[job(1)]?.settled).toBe("message");
  scene.checkReplay();
});

test("where the notice could not be posted anywhere, any message lets the queue continue", () => {
  const scene = crashed();
  scene.post(job(1), null);
  scene.hear(T1, message(4));
  expect(scene.running()).toEqual([job(2)]);
});

test("even a message that is refused lets the queue continue: it was written", () => {
  const scene = crashed();
  scene.post(job(1), message(10));
  expect(scene.hear(T1, message(11), " ").map((event) => event.type)).toEqual([
    "MessageRefused",
    "QueueResumed",
    "JobStarted",
  ]);
});

test("a held job stays in the live state however many end after it elsewhere", () => {
  const scene = crashed();
  for (let number = 4; number < 70; number += 1) {
    scene.hear(T2, message(number));
    scene.finish(job(number));
  }
  expect(scene.state.jobs[job(1)]?.state).toBe("unknown_after_crash");
  expect(scene.types({ type: "retry", job_id: job(1) })).toContain("JobStarted");
});

test("a place that is lost is given up for the next one up, to the owner's own messages, and no further", () => {
  const scene = new Scene().withSessions(T1);
  const lose = { type: "lose_thread", thread_id: T1, place: "thread", code: "E_THREAD_ACCESS_FAILED" } as const;
  expect([scene.types(lose), scene.state.threads[T1]?.place]).toEqual([["ThreadLost"], "parent"]);
  // The gateway and a refused post may both tell of the same loss.
  expect([scene.types(lose), scene.state.threads[T1]?.place]).toEqual([[], "parent"]);
  expect([scene.types({ ...lose, place: "parent" }), scene.state.threads[T1]?.place]).toEqual([
    ["ThreadLost"],
    "owner",
  ]);
  for (const place of ["thread", "parent", "owner"] as const) expect(scene.types({ ...lose, place })).toEqual([]);
  expect(scene.types({ ...lose, thread_id: T2 })).toEqual([]);
  scene.checkReplay();
});

test("a watermark only rises, and takes the ids it has passed with it", () => {
  const scene = new Scene().withSessions(T1, T2);
  for (const number of [1, 2, 3]) scene.hear(T1, message(number));
  scene.hear(T2, message(1));
  expect(scene.types({ type: "channel_read", channel_id: T1, through: message(2) })).toEqual(["ChannelRead"]);
  expect(Object.keys(scene.state.dedupe)).toEqual([`${T1}:${message(3)}`, `${T2}:${message(1)}`]);
  for (const number of [1, 2])
    expect(scene.types({ type: "channel_read", channel_id: T1, through: message(number) })).toEqual([]);
  expect(scene.types({ type: "channel_read", channel_id: "5", through: "6" })).toEqual(["ChannelRead"]);
});

test("a post is recorded when it changes, and only then", () => {
  const scene = new Scene().withSessions(T1);
  expect(scene.post(T1, "7", "welcome").map((event) => event.type)).toEqual(["PostRecorded"]);
  expect(scene.post(T1, "7", "welcome")).toEqual([]);
  expect(scene.post(T1, "8", "welcome").map((event) => event.type)).toEqual(["PostRecorded"]);
  expect(scene.state.posts[T1]?.["welcome"]).toEqual({ is: "said", channel_id: "9", message_id: "8", hash: "h" });
});
