/** When a session may be forgotten, what stays of it, and what becomes of what is written there afterwards. */
import { describe, expect, test } from "vitest";
import { job, message, Scene, T1, T2 } from "../scene.ts";

const forget = { type: "forget_session", thread_id: T1 } as const;
const done = { type: "forgetting_done", thread_id: T1 } as const;

/** A session in which one job has ended. */
function ended(): Scene {
  const scene = new Scene().withSessions(T1, T2);
  scene.hear(T1, message(1), "the word");
  scene.learn(job(1), { kind: "session_key", adapter_state: { session_id: "key" } });
  scene.finish(job(1));
  return scene;
}

describe("is refused", () => {
  const busy: Record<string, (scene: Scene) => unknown> = {
    "while a job runs": (scene) => scene.hear(T1, message(2)),
    "while its agent works in the background": (scene) =>
      scene.do({ type: "note_background", thread_id: T1, tool: "claude", what: "npm run watch" }),
    "while a turn of the agent's own runs": (scene) =>
      scene.do({ type: "begin_outside_turn", turn_id: "turn_1", thread_id: T1, tool: "claude", origin: "background" }),
    "while its queue waits": (scene) => {
      for (const number of [2, 3]) scene.hear(T2, message(number));
      scene.rules = { ...scene.rules, global_max_running: 1 };
      scene.hear(T1, message(4));
    },
    "while its owner is asked after a crash": (scene) => {
      scene.hear(T1, message(2));
      scene.do({ type: "restart" });
    },
    "while a decision is open": (scene) => {
      scene.hear(T1, message(2));
      scene.ask(job(2), "dec_1");
    },
  };
  test.each(Object.entries(busy))("%s", (_name, make) => {
    const scene = ended();
    make(scene);
    expect(() => scene.do(forget)).toThrow("E_SESSION_BUSY");
  });

  test("where there is no session", () => {
    expect(() => new Scene().do(forget)).toThrow("E_SESSION_NOT_FOUND");
  });
});

test("it closes the session without anything that was said in it, and leaves the other one alone", () => {
  const scene = ended();
  scene.hear(T2, message(2), "another word");
  const other = JSON.stringify([scene.state.sessions[T2], scene.state.threads[T2], scene.state.jobs[job(2)]]);
  scene.do({ type: "name_session", thread_id: T1, name: "the word" });
  expect(scene.types(forget)).toEqual(["SessionForgotten"]);
  expect(JSON.stringify(scene.state)).not.toContain("the word");
  expect(scene.state.sessions[T1]).toMatchObject({ adapter_state: {}, last_job_id: null, project_name: "app" });
  expect(scene.state.threads[T1]).toMatchObject({ closed: "forgotten", forgetting: true });
  expect(JSON.stringify([scene.state.sessions[T2], scene.state.threads[T2], scene.state.jobs[job(2)]])).toBe(other);
  // The same message is not heard again.
  expect(scene.hear(T1, message(1), "the word")).toEqual([]);
  scene.checkReplay();
});

test("asked for again meanwhile, nothing happens; nothing is reopened before it is done", () => {
  const scene = ended();
  scene.do(forget);
  expect(scene.types(forget)).toEqual([]);
  expect(() => scene.do({ type: "reopen_session", thread_id: T1 })).toThrow("E_SESSION_FORGETTING");
  expect(scene.types(done)).toEqual(["ForgettingDone"]);
  expect(scene.types(done)).toEqual([]);
  expect(scene.types({ type: "reopen_session", thread_id: T1 })).toEqual(["SessionReopened"]);
});

test("what an agent that is just ending tells, a post that was on its way, and the thread's name in Discord bring nothing back", () => {
  const scene = ended();
  scene.do(forget);
  scene.do(done);
  const post = { type: "record_post", part: "end", channel_id: T1, message_id: "9", hash: "h", is: "said" } as const;
  for (const subject of [job(1), "turn_20260226_a", "dec_1"]) expect(scene.types({ ...post, subject })).toEqual([]);
  for (const subject of [T1, message(5)]) expect(scene.types({ ...post, subject })).toEqual(["PostRecorded"]);
  for (const late of [
    { type: "note_told", thread_id: T1, tool: "claude", told: { name: "the word" } },
    { type: "note_background", thread_id: T1, tool: "claude", what: "the word" },
    { type: "set_mode", thread_id: T1, tool: "claude", mode: "plan", by: "agent" },
    { type: "begin_outside_turn", turn_id: "turn_1", thread_id: T1, tool: "claude", origin: "background" },
    { type: "name_session", thread_id: T1, name: "the word", renamed: true },
    { type: "close_session", thread_id: T1, by: "killed" },
  ] as const)
    expect(scene.types(late), late.type).toEqual([]);
});

test("a message there is refused as in a closed session; reopened with it, it begins a new conversation and is named after it", () => {
  const scene = ended();
  scene.do(forget);
  scene.do(done);
  expect(scene.hear(T1, message(5), "anew").map(({ type }) => type)).toEqual(["MessageRefused"]);
  const heard = { thread_id: T1, discord_message_id: message(5), prompt: "anew", files: [], refused_files: [] };
  const types = scene.types({ type: "hear", ...heard, reply_to: null, reopens: true });
  expect(types).toEqual(["SessionReopened", "JobEnqueued", "JobStarted"]);
  expect(scene.state.sessions[T1]?.adapter_state).toEqual({});
  scene.do({ type: "name_session", thread_id: T1, name: "the word", renamed: true });
  expect(scene.state.threads[T1]?.name).toBeUndefined();
  scene.do({ type: "name_session", thread_id: T1, name: "anew" });
  scene.do({ type: "name_session", thread_id: T1, name: "renamed", renamed: true });
  expect(scene.state.threads[T1]?.name).toBe("renamed");
  scene.checkReplay();
});
