/** Closed sessions: nothing starts and nothing is taken until the owner reopens them; nothing that waited is lost. */
import { describe, expect, test } from "vitest";
import { message, Scene } from "../scene.ts";

const T = "100000000000000010";
const none = { result_excerpt: null, result_sha256: null, model: null, usage: null };

function scene(): Scene {
  return new Scene().withSessions(T);
}

const running = ({ state }: Scene): string => state.sessions[T]?.running_job_id ?? "";
const reopen = (one: Scene, number: number): string[] =>
  one.types({
    type: "hear",
    thread_id: T,
    discord_message_id: message(number),
    prompt: `p${number}`,
    files: [],
    refused_files: [],
    reply_to: null,
    reopens: true,
  });

test("closing cancels what runs, keeps the queue and starts nothing of it", () => {
  const one = scene();
  one.hear(T, message(1));
  one.hear(T, message(2));
  const job = running(one);
  expect(one.types({ type: "close_session", thread_id: T, by: "owner" })).toEqual([
    "SessionClosed",
    "JobCancelRequested",
  ]);
  one.do({ type: "cancelled", job_id: job });
  expect(one.types({ type: "progress", job_id: job, progress: { kind: "gone" } })).toEqual(["JobProgress"]);
  expect(one.state.sessions[T]?.queue).toHaveLength(1);
  expect(one.types({ type: "reopen_session", thread_id: T })).toEqual(["SessionReopened", "JobStarted"]);
});

test("a message in a closed session becomes no job, and is refused once", () => {
  const one = scene();
  one.do({ type: "close_session", thread_id: T, by: "owner" });
  expect(one.hear(T, message(1))).toMatchObject([{ type: "MessageRefused", payload: { code: "E_SESSION_CLOSED" } }]);
  expect(one.hear(T, message(1))).toEqual([]);
});

test("reopened with the message that was refused, it runs it once, after what waited before", () => {
  const one = scene();
  one.hear(T, message(1));
  const job = running(one);
  one.hear(T, message(2));
  one.do({ type: "close_session", thread_id: T, by: "owner" });
  one.do({ type: "cancelled", job_id: job });
  one.do({ type: "progress", job_id: job, progress: { kind: "gone" } });
  one.hear(T, message(3));
  expect(reopen(one, 3)).toEqual(["SessionReopened", "JobEnqueued", "JobStarted"]);
  expect(one.state.jobs[running(one)]?.discord_message_id).toBe(message(2));
  expect(reopen(one, 3)).toEqual([]);
  expect(one.state.sessions[T]?.queue).toHaveLength(1);
});

test("of several that were refused each is sent once, also when the session is open by then, and no other message is", () => {
  const one = scene();
  one.hear(T, message(1));
  one.do({ type: "close_session", thread_id: T, by: "owner" });
  for (const number of [2, 3]) one.hear(T, message(number));
  expect(reopen(one, 3)).toEqual(["SessionReopened", "JobEnqueued"]);
  expect([2, 3, 1, 4].map((number) => reopen(one, number))).toEqual([["JobEnqueued"], [], [], []]);
  one.do({ type: "close_session", thread_id: T, by: "owner" });
  expect([reopen(one, 2), reopen(one, 1)]).toEqual([["SessionReopened"], []]);
});

test.each([
  ["owner", "owner", 0],
  ["owner", "killed", 1],
  ["killed", "owner", 0],
  ["killed", "killed", 0],
] as const)("closed by %s, then by %s: %i more events", (first, second, events) => {
  const one = scene();
  one.do({ type: "close_session", thread_id: T, by: first });
  expect(one.do({ type: "close_session", thread_id: T, by: second })).toHaveLength(events);
});

describe("an agent that was silent for too long", () => {
  test("has its session closed with the end of its job, and a retry reopens it", () => {
    const one = scene();
    one.hear(T, message(1));
    const job = running(one);
    expect(
      one.types({ type: "fail", job_id: job, code: "E_AGENT_SILENT", details: { seconds: 1800 }, ...none }),
    ).toEqual(["JobFailed", "SessionClosed"]);
    expect(one.state.threads[T]?.closed).toBe("silent");
    one.do({ type: "progress", job_id: job, progress: { kind: "gone" } });
    expect(one.types({ type: "retry", job_id: job })).toEqual(["SessionReopened", "JobEnqueued", "JobStarted"]);
  });

  test("in a turn of its own as well", () => {
    const one = scene();
    one.do({
      type: "begin_outside_turn",
      turn_id: "turn_20260226_11111111111111111111111111111111",
      thread_id: T,
      tool: "acp",
      origin: "background",
    });
    expect(
      one.types({
        type: "end_outside_turn",
        turn_id: "turn_20260226_11111111111111111111111111111111",
        outcome: "failed",
        error_code: "E_AGENT_SILENT",
      }),
    ).toEqual(["OutsideTurnEnded", "SessionClosed"]);
  });
});

test("a session that is not there is neither closed nor reopened", () => {
  const one = scene();
  for (const thread_id of ["100000000000000099", "constructor"]) {
    expect(one.do({ type: "close_session", thread_id, by: "owner" })).toEqual([]);
    expect(one.do({ type: "reopen_session", thread_id })).toEqual([]);
  }
});
