/** A waiting message that is sent into the running turn: what it is on the way, and what may become of it. */
import { beforeEach, describe, expect, test } from "vitest";
import { sendable, sentInto, jobsBeingSent } from "../../../src/core/jobs/sending.ts";
import { message, Scene } from "../scene.ts";

const T1 = "100000000000000010";
const job = (number: number): string => `job_20260226_${String(number).padStart(4, "0")}`;
let scene: Scene;

/** Whether the job can be sent, and why not. */
const may = (number: number): string => sendable(scene.state, scene.state.jobs[job(number)]!);
const queue = (): string[] => scene.state.sessions[T1]?.queue ?? [];
const send = (number: number): string[] => scene.types({ type: "send_now", job_id: job(number) });
const gone = (number: number): string[] =>
  scene.types({ type: "progress", job_id: job(number), progress: { kind: "gone" } });

beforeEach(() => {
  scene = new Scene({ global_max_running: 1 }).withSessions(T1);
  for (const number of [1, 2, 3, 4]) scene.hear(T1, message(number), `p${number}`);
  scene.learn(job(1), { kind: "process", pid: 42, start_time: "7", steers: true });
});

describe("can be sent", () => {
  test("what waits behind a turn whose agent can be spoken to", () => {
    expect([may(1), may(2)]).toEqual(["alone", "now"]);
  });

  test.each([
    ["an agent that cannot be spoken to", () => delete scene.state.runs[job(1)]!.begun!.process!.steers, "alone"],
    ["a job that is being stopped", () => scene.do({ type: "cancel_job", job_id: job(1), by: "owner" }), "alone"],
    ["an agent that waits for its owner", () => scene.ask(job(1), "dec_1"), "asks"],
    ["a job that has ended", () => scene.complete(job(1)), "alone"],
    ["what is being sent already", () => send(2), "under_way"],
  ])("nothing to %s", (_what, happens, why) => {
    happens();
    expect([may(2), send(2)]).toEqual([why, []]);
  });
});

describe("on its way", () => {
  beforeEach(() => void [send(3), send(4)]);

  test("they are first in the queue, in the order in which they were sent", () => {
    expect(queue()).toEqual([job(3), job(4), job(2)]);
    expect(jobsBeingSent(scene.state, T1)).toEqual([job(3), job(4)]);
    expect(scene.types({ type: "move_first", job_id: job(2) })).toEqual([]);
    scene.hear(T1, message(5), "p5");
    scene.do({ type: "move_first", job_id: job(5) });
    expect(queue()).toEqual([job(3), job(4), job(5), job(2)]);
  });

  test("an edit is too late, and no clearing takes them back", () => {
    expect(
      scene.types({ type: "edit_message", thread_id: T1, discord_message_id: message(3), prompt: "other" }),
    ).toEqual(["MessageNoted"]);
    expect(scene.types({ type: "move_first", job_id: job(4) })).toEqual([]);
    expect(scene.types({ type: "clear_queue", thread_id: T1 })).toEqual(["JobCancelled"]);
    expect([queue(), scene.state.jobs[job(3)]?.prompt]).toEqual([[job(3), job(4)], "p3"]);
  });

  describe.each([
    [
      "its deletion",
      { type: "delete_message", thread_id: T1, discord_message_id: message(3) },
      ["MessageNoted"],
      false,
    ],
    ["its cancellation", { type: "cancel_job", job_id: job(3), by: "owner" }, ["JobCancelRequested"], true],
  ] as const)("%s is a wish as long as its agent may have it", (_what, wish, noted, stops) => {
    beforeEach(() => {
      expect(scene.types(wish)).toEqual(noted);
      expect([scene.types(wish), may(3), queue()[0]]).toEqual([[], "under_way", job(3)]);
    });

    test("taken back, where its agent was surely not given it", () => {
      expect(scene.types({ type: "not_sent", job_id: job(3), code: "E_SEND_FAILED" })).toEqual(["JobCancelled"]);
      expect([scene.state.jobs[job(3)]?.state, queue()]).toEqual(["cancelled", [job(4), job(2)]]);
      scene.checkReplay();
    });

    test("too late, where its agent has taken it up", () => {
      expect(scene.types({ type: "sent", job_id: job(3), into: job(1) })).toEqual(["JobSent"]);
      expect(scene.state.jobs[job(3)]?.state).toBe("sent_into");
    });

    test("too late, where its agent has begun with it: only a cancelled job is to be stopped", () => {
      scene.complete(job(1));
      gone(1);
      expect([scene.state.jobs[job(3)]?.state, scene.state.runs[job(3)]?.cancelling]).toEqual(["running", stops]);
      scene.checkReplay();
    });

    test("unknown after a crash, and the queue waits for another that was sent, not for it", () => {
      scene.complete(job(1));
      scene.restart();
      expect(scene.state.jobs[job(3)]?.state).toBe("unknown_after_crash");
      expect(scene.state.threads[T1]?.hold).toBe(job(4));
      scene.checkReplay();
    });

    test("too late, where its agent's record shows after a crash that it was taken up", () => {
      scene.do({ type: "restart", read: [{ job_id: job(3), how: "taken" }] });
      expect(scene.state.jobs[job(3)]?.state).toBe("sent_into");
      expect(sentInto(scene.state, scene.state.jobs[job(1)]!).map(({ job_id }) => job_id)).toEqual([job(3)]);
      scene.checkReplay();
    });

    test("too late, where its agent's record shows after a crash that it was begun: it was cut off like any job", () => {
      expect(scene.do({ type: "restart", read: [{ job_id: job(3), how: "begun" }] }).map(({ type }) => type)).toEqual(
        expect.arrayContaining(["JobStarted", "JobMarkedUnknownAfterCrash"]),
      );
      const { state, started_at } = scene.state.jobs[job(3)] ?? {};
      expect([state, started_at]).toEqual(["unknown_after_crash", expect.any(String)]);
      expect(scene.state.threads[T1]).toMatchObject({ hold: job(1), busy_job: null });
      scene.checkReplay();
    });
  });

  test("taken up, they have ended as part of the running job, and an edit is still too late", () => {
    expect(scene.types({ type: "sent", job_id: job(3), into: job(1) })).toEqual(["JobSent"]);
    expect(scene.state.jobs[job(3)]).toMatchObject({ state: "sent_into", started_at: null });
    expect(sentInto(scene.state, scene.state.jobs[job(1)]!).map(({ job_id }) => job_id)).toEqual([job(3)]);
    expect(scene.types({ type: "sent", job_id: job(3), into: job(1) })).toEqual([]);
    expect(
      scene.types({ type: "edit_message", thread_id: T1, discord_message_id: message(3), prompt: "other" }),
    ).toEqual(["MessageNoted"]);
    expect(queue()).toEqual([job(4), job(2)]);
  });

  test("not taken up, one waits again as the first, and its writer is told", () => {
    scene.do({ type: "sent", job_id: job(3), into: job(1) });
    expect(scene.types({ type: "not_sent", job_id: job(4), code: "E_SEND_FAILED" })).toEqual(["JobSendFailed"]);
    expect([queue(), may(4)]).toEqual([[job(4), job(2)], "now"]);
    expect(Object.values(scene.state.notices)).toMatchObject([
      { discord_message_id: message(4), change: "unsent", code: "E_SEND_FAILED" },
    ]);
    expect(scene.types({ type: "not_sent", job_id: job(4), code: "E_SEND_FAILED" })).toEqual([]);
  });

  test("where the turn is over first, its agent has begun with it: it starts whatever else runs, with that agent's tool", () => {
    scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
    scene.withSessions("100000000000000020").hear("100000000000000020", message(9));
    scene.complete(job(1));
    expect(gone(1)).toEqual(["JobProgress", "JobStarted"]);
    expect(scene.state.jobs[job(3)]).toMatchObject({ state: "running", tool: "claude" });
    expect(scene.state.runs[job(3)]).not.toHaveProperty("sent_into");
    // The other thread has waited for the only slot, and gets it when this one is through.
    scene.do({ type: "sent", job_id: job(4), into: job(3) });
    scene.complete(job(3));
    expect(scene.do({ type: "progress", job_id: job(3), progress: { kind: "gone" } }).at(-1)).toMatchObject({
      type: "JobStarted",
      payload: { thread_id: "100000000000000020" },
    });
  });

  test("a crash makes them unknown: the queue waits for the running job alone, and no agent is given them again by itself", () => {
    const restarted = scene.restart();
    expect(
      restarted.map(({ type, payload }) => ("hold" in payload ? [type, payload.job_id, payload.hold] : type)),
    ).toEqual([
      ["JobMarkedUnknownAfterCrash", job(1), true],
      ["JobMarkedUnknownAfterCrash", job(3), false],
      ["JobMarkedUnknownAfterCrash", job(4), false],
      "QueueStale",
      "QueueChecked",
    ]);
    expect(scene.types({ type: "discard", job_id: job(1) })).toEqual(["QueueResumed", "JobStarted"]);
    expect(scene.types({ type: "retry", job_id: job(3) })).toEqual(["JobEnqueued"]);
  });

  test("a crash after the running job's end holds the queue for the first of them", () => {
    const done = [{ job_id: job(1), result_excerpt: "said", result_sha256: "0".repeat(64), model: null, usage: null }];
    const restarted = scene.do({ type: "restart", done });
    expect(restarted.flatMap(({ payload }) => ("hold" in payload ? [[payload.job_id, payload.hold]] : []))).toEqual([
      [job(3), true],
      [job(4), false],
    ]);
    expect(scene.state.threads[T1]?.hold).toBe(job(3));
  });
});

describe("into what the agent does by itself", () => {
  const turn_id = "turn_1";
  const end = (more: object = {}) => ({ type: "end_outside_turn", turn_id, outcome: "done", ...more }) as const;
  const steers = (): void =>
    void scene.do({
      type: "progress",
      job_id: turn_id,
      progress: { kind: "process", pid: 42, start_time: "7", steers: true },
    });

  beforeEach(() => {
    scene = new Scene({ global_max_running: 1 }).withSessions(T1);
    scene.do({ type: "begin_outside_turn", turn_id, thread_id: T1, tool: "claude", origin: "background" });
    for (const number of [1, 2]) scene.hear(T1, message(number), `p${number}`);
  });

  test("nothing is sent to an agent that cannot be spoken to, asks its owner, or is being stopped", () => {
    expect([may(1), send(1)]).toEqual(["alone", []]);
    steers();
    expect(may(1)).toBe("now");
    scene.ask(turn_id, "dec_1", 1, { thread_id: T1, asker: { by: "turn", turn_id, request_id: "r" } });
    expect([may(1), send(1)]).toEqual(["asks", []]);
    scene.do({ type: "cancel_job", job_id: turn_id, by: "owner" });
    expect([may(1), send(1)]).toEqual(["alone", []]);
  });

  test("taken up, a message has ended as part of it, and an edit is too late", () => {
    steers();
    expect(scene.do({ type: "send_now", job_id: job(1) })).toMatchObject([
      { type: "JobSendRequested", payload: { into: turn_id } },
    ]);
    expect([may(1), scene.running()]).toEqual(["under_way", []]);
    expect(scene.types({ type: "sent", job_id: job(1), into: turn_id })).toEqual(["JobSent"]);
    expect(sentInto(scene.state, { job_id: turn_id, thread_id: T1 }).map(({ job_id }) => job_id)).toEqual([job(1)]);
    expect(
      scene.types({ type: "edit_message", thread_id: T1, discord_message_id: message(1), prompt: "other" }),
    ).toEqual(["MessageNoted"]);
    expect(scene.types(end())).toEqual(["OutsideTurnEnded", "JobStarted"]);
    expect(scene.state.jobs[job(2)]?.state).toBe("running");
    scene.checkReplay();
  });

  test("where it is over first, its agent has begun with the message: it starts with that agent's tool, whatever its thread waits for", () => {
    steers();
    send(2);
    scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
    expect(scene.types(end({ goes_on: true }))).toEqual(["OutsideTurnEnded", "JobStarted"]);
    expect(scene.state.jobs[job(2)]).toMatchObject({ state: "running", tool: "claude" });
    scene.checkReplay();
  });

  test("what its agent was not given waits again when it is over, and its writer is told", () => {
    steers();
    send(2);
    expect(scene.types(end({ outcome: "failed" }))).toEqual(["JobSendFailed", "OutsideTurnEnded", "JobStarted"]);
    expect(scene.state.jobs[job(2)]?.state).toBe("running");
    expect(Object.values(scene.state.notices)).toMatchObject([
      { discord_message_id: message(2), change: "unsent", code: "E_SEND_FAILED" },
    ]);
    scene.checkReplay();
  });

  test("a crash makes it unknown, and the queue waits for its owner", () => {
    steers();
    send(2);
    expect(scene.restart().map(({ type }) => type)).toEqual([
      "OutsideTurnEnded",
      "JobMarkedUnknownAfterCrash",
      "QueueStale",
      "QueueChecked",
    ]);
    expect(scene.state.threads[T1]?.hold).toBe(job(2));
    expect(scene.running()).toEqual([]);
    scene.checkReplay();
  });
});
