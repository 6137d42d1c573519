/** What a thread does whose next message would fail too, and what ends that. */
import { describe, expect, test } from "vitest";
import type { StuckCause, StuckWait } from "../../src/core/projects/checkout.ts";
import { job, message, Scene, T1 } from "./scene.ts";

const since = "2026-02-26T14:00:00.000Z";
const until = "2026-02-26T14:01:00.000Z";

const CODES = {
  login: "E_AGENT_LOGIN",
  full: "E_CONVERSATION_FULL",
  model: "E_MODEL_UNAVAILABLE",
  credits: "E_OUT_OF_CREDITS",
  busy: "E_SERVICE_BUSY",
  locked: "E_LOCKED",
} as const;

function stuck(cause: StuckCause, more: Partial<StuckWait> = {}): StuckWait {
  return { kind: "stuck", job_id: job(1), cause, code: CODES[cause], details: {}, since, ...more };
}

/** Three messages, of which the first has met it; `done`: and may have done something. */
function scene(wait: StuckWait, done = false): Scene {
  const one = new Scene().withSessions(T1);
  for (const number of [1, 2, 3]) one.hear(T1, message(number));
  one.do({ type: "progress", job_id: job(1), progress: { kind: "session_key", adapter_state: { session_id: "k" } } });
  if (done) one.fail(job(1));
  else one.do({ type: "put_back", job_id: job(1), why: "stuck" });
  one.do({ type: "park", thread_id: T1, job_id: job(1), wait });
  one.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
  return one;
}

const waitOf = ({ state }: Scene): unknown => state.threads[T1]?.wait;

test("the message is first in its queue again, and nothing starts", () => {
  const one = scene(stuck("login"));
  expect(one.state.sessions[T1]?.queue).toEqual([job(1), job(2), job(3)]);
  expect(one.types({ type: "start_waiting" })).toEqual([]);
  one.checkReplay();
});

describe.each(["login", "full", "model", "credits", "busy"] as const)("%s", (cause) => {
  test.each([
    ["owner", true],
    ["time", cause !== "full"],
    ["fresh", cause === "full"],
    ["terminal", false],
    ["cleared", false],
  ] as const)("is ended by %s: %s", (by, ends) => {
    const one = scene(stuck(cause));
    one.do({ type: "unpark", thread_id: T1, job_id: job(1), by });
    expect(waitOf(one) === null).toBe(ends);
    if (by === "fresh" && ends) expect(one.state.sessions[T1]?.adapter_state).toEqual({});
    one.checkReplay();
  });

  test("is over with another tool, and with its message", () => {
    const other = scene(stuck(cause));
    other.do({ type: "change_tool", thread_id: T1, tool: "codex" });
    expect(waitOf(other)).toBeNull();
    const dropped = scene(stuck(cause));
    dropped.do({ type: "cancel_job", job_id: job(1), by: "owner" });
    expect(waitOf(dropped)).toBeNull();
    const { running_job_id, queue } = dropped.state.sessions[T1] ?? {};
    expect([running_job_id, queue]).toEqual([job(2), [job(3)]]);
  });

  test("is over with a model that is chosen, if that was it", () => {
    const one = scene(stuck(cause));
    one.do({ type: "choose_model", thread_id: T1, tool: "claude", model: "m" });
    expect(waitOf(one) === null).toBe(cause === "model");
  });
});

test("what may have done something is not put back, and only what is behind it waits: until it is retried, or the queue is empty", () => {
  const retried = scene(stuck("login"), true);
  expect(waitOf(retried)).toMatchObject({ kind: "stuck", job_id: job(1) });
  retried.do({ type: "retry", job_id: job(1) });
  expect(waitOf(retried)).toBeNull();
  const emptied = scene(stuck("login"), true);
  emptied.do({ type: "clear_queue", thread_id: T1 });
  expect(waitOf(emptied)).toBeNull();
  emptied.do({ type: "park", thread_id: T1, job_id: job(1), wait: stuck("login") });
  expect(waitOf(emptied)).toBeNull();
});

test("how often a service did not answer is counted until it does, or its owner says go on", () => {
  const one = scene(stuck("busy", { until }));
  const tries = (): number | undefined => one.state.threads[T1]?.tries;
  expect(tries()).toBe(1);
  one.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "time" });
  expect(tries()).toBe(1);
  one.complete(job(1));
  expect(tries()).toBeUndefined();
  const other = scene(stuck("busy", { until }));
  other.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "owner" });
  expect(other.state.threads[T1]?.tries).toBeUndefined();
});
