/**
 * What an agent does without a prompt: recorded, waited for by its thread's queue, counted among the slots, never run
 * again.
 */
import { describe, expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { endedIn, workersIn } from "../../../src/core/jobs/job-or-turn.ts";
import { KEPT_TURNS } from "../../../src/core/jobs/outside-turn-lifecycle.ts";
import { canRun } from "../history.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const begin = (turn_id = "turn_1", thread_id = T1) =>
  ({ type: "begin_outside_turn", turn_id, thread_id, tool: "claude", origin: "background" }) as const;
const done = (turn_id = "turn_1") =>
  ({
    type: "end_outside_turn",
    turn_id,
    outcome: "done",
    result_excerpt: "built",
    result_sha256: "1".repeat(64),
    model: "m",
    usage: { output_tokens: 7 },
  }) as const;

function begun(change: ConstructorParameters<typeof Scene>[0] = {}, ...threads: string[]): Scene {
  const scene = new Scene(change).withSessions(T1, ...threads);
  scene.do(begin());
  return scene;
}

describe("an outside turn", () => {
  test("is recorded from its beginning to its end, with what was said and spent", () => {
    const scene = begun();
    expect(scene.state.threads[T1]?.outside).toBe("turn_1");
    expect(workersIn(scene.state, T1)).toEqual(["turn_1"]);
    expect(scene.types(done())).toEqual(["OutsideTurnEnded"]);
    expect(scene.state.threads[T1]?.outside).toBeUndefined();
    expect(scene.state.turns?.["turn_1"]).toMatchObject({
      state: "done",
      origin: "background",
      result_excerpt: "built",
    });
    expect(scene.state.runs["turn_1"]).toMatchObject({
      result_sha256: "1".repeat(64),
      concluded: { model: "m", usage: { output_tokens: 7 } },
    });
    scene.checkReplay();
  });

  test("tells of what was lost in the background, which is on record until then", () => {
    const scene = new Scene().withSessions(T1, T2);
    const note = (what: string): Command => ({ type: "note_background", thread_id: T1, tool: "claude", what });
    expect([scene.types(note("")), scene.types(note("a build")), scene.types(note("a build"))]).toEqual([
      [],
      ["BackgroundNoted"],
      [],
    ]);
    scene.do({ type: "restart" });
    scene.do(begin());
    scene.do({ ...done(), outcome: "failed", error_code: "E_CLI_TIMEOUT" } as Command);
    expect(scene.state.threads[T1]?.background).toEqual({ tool: "claude", what: "a build" });
    scene.do(begin("turn_2"));
    scene.do({ ...done("turn_2"), outcome: "failed", error_code: "E_BACKGROUND_ENDED" } as Command);
    expect(scene.state.threads[T1]?.background).toBeUndefined();
    scene.checkReplay();
  });

  test("begins once, one at a time, and only in a session; it ends once", () => {
    const scene = begun();
    for (const again of [begin(), begin("turn_2"), begin("turn_3", "199999999999999999")])
      expect(scene.types(again)).toEqual([]);
    scene.do(done());
    expect(scene.types(done())).toEqual([]);
    expect(scene.types(begin())).toEqual([]);
    expect(scene.types({ ...done("turn_9") })).toEqual([]);
  });

  test("waits for no slot and takes one; what waits in its thread starts at its end, other threads when a slot is free", () => {
    const scene = new Scene({ global_max_running: 1 }).withSessions(T1, T2);
    scene.hear(T2, message(1));
    expect(scene.types(begin())).toEqual(["OutsideTurnBegan"]);
    scene.finish(job(1));
    scene.hear(T2, message(2));
    scene.hear(T1, message(3));
    expect([scene.running(), canRun(scene, T1)]).toEqual([[], false]);
    expect(scene.types(done())).toEqual(["OutsideTurnEnded", "JobStarted"]);
    scene.finish(scene.running()[0] ?? "");
    expect(scene.running()).toHaveLength(1);
    scene.checkReplay();
  });

  test("that waits for its owner takes no slot", () => {
    const scene = begun({ global_max_running: 1 }, T2);
    scene.ask("turn_1", "dec_1", 1, { thread_id: T1, asker: { by: "turn", turn_id: "turn_1", request_id: "r" } });
    expect(scene.hear(T2, message(1)).map(({ type }) => type)).toContain("JobStarted");
  });

  test("asks like a job: answered by a press, void at its end, never asked when it is over", () => {
    const scene = begun();
    const asker = { by: "turn", turn_id: "turn_1", request_id: "r" } as const;
    for (const id of ["dec_1", "dec_2"])
      scene.ask("turn_1", id, 1, { thread_id: T1, asker: { ...asker, request_id: id } });
    scene.show("dec_1", message(2));
    expect(scene.press("dec_1", [0]).map(({ type }) => type)).toEqual(["DecisionAnswered"]);
    expect(scene.types(done())).toEqual(["DecisionVoided", "OutsideTurnEnded"]);
    expect(scene.ask("turn_1", "dec_3", 1, { thread_id: T1, asker })).toEqual([]);
    scene.checkReplay();
  });

  test("keeps its tools and files while it runs, teaches its conversation's name, and frees no thread", () => {
    const scene = begun();
    expect(scene.learn("turn_1", { kind: "tool", name: "Bash", title: "ls", ok: true })).toEqual(["JobProgress"]);
    expect(scene.learn("turn_1", { kind: "attachment", name: "a.png", why: null })).toEqual(["JobProgress"]);
    expect(scene.learn("turn_1", { kind: "session_key", adapter_state: { session_id: "cleared" } })).toEqual([
      "JobProgress",
    ]);
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({ session_id: "cleared" });
    expect(scene.learn("turn_1", { kind: "gone" })).toEqual([]);
    expect(scene.state.runs["turn_1"]).toMatchObject({
      begun: { tools: [{ name: "Bash" }] },
      attachments: [{ name: "a.png" }],
    });
    scene.do(done());
    expect(scene.learn("turn_1", { kind: "denied", name: "Bash" })).toEqual([]);
  });

  test("is unknown after a crash, with what was saved of it; it holds no queue and nothing runs it again", () => {
    const scene = begun();
    scene.hear(T1, message(1));
    scene.ask("turn_1", "dec_1", 1, { thread_id: T1, asker: { by: "turn", turn_id: "turn_1", request_id: "r" } });
    const restarted = scene.do({
      type: "restart",
      turns: [{ turn_id: "turn_1", outcome: "unknown", result_excerpt: "so far", result_sha256: "2".repeat(64) }],
    });
    expect(restarted.map(({ type }) => type)).toEqual(["DecisionVoided", "OutsideTurnEnded", "QueueStale"]);
    expect(scene.state.turns?.["turn_1"]).toMatchObject({ state: "unknown", result_excerpt: "so far" });
    expect(scene.types({ type: "queue_checked", thread_id: T1 })).toEqual(["QueueChecked", "JobStarted"]);
    expect(() => scene.do({ type: "retry", job_id: "turn_1" })).toThrow("E_JOB_NOT_RETRYABLE");
    const lost = begun();
    lost.do({ type: "restart" });
    expect(lost.state.turns?.["turn_1"]).toMatchObject({ state: "unknown", result_excerpt: null });
    for (const one of [scene, lost]) one.checkReplay();
  });

  test("leaves the live state by count, with all that belongs to it", () => {
    const scene = new Scene().withSessions(T1);
    for (let number = 1; number <= KEPT_TURNS + 2; number += 1) {
      scene.do(begin(`turn_${number}`));
      scene.do(done(`turn_${number}`));
      scene.post(`turn_${number}`, message(number));
    }
    expect(Object.keys(scene.state.turns ?? {})).toHaveLength(KEPT_TURNS);
    for (const record of [scene.state.turns, scene.state.runs, scene.state.posts])
      expect(record).not.toHaveProperty("turn_2");
    expect(scene.post("turn_2", message(99)).length).toBe(1);
    expect(scene.state.posts).not.toHaveProperty("turn_2");
    scene.checkReplay();
  });

  test("stands among its thread's jobs in the order in which they ended", () => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.finish(job(1));
    scene.do(begin());
    scene.do(done());
    scene.hear(T1, message(2));
    scene.finish(job(2));
    const thread = scene.state.threads[T1];
    expect(thread && endedIn(scene.state, thread)).toEqual([job(1), "turn_1", job(2)]);
  });
});
