import { expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { sessionKey, sessionState } from "../../../src/core/sessions/session.ts";
import { CHANNEL, createApp, job, message, Scene, T1 } from "../scene.ts";

const want: Command = {
  type: "start_session",
  request_id: "r1",
  project_name: "app",
  channel_id: CHANNEL,
  guild_id: "3",
  bot_id: "4",
};

test("a session is wanted first, and opened when its thread is there", () => {
  const scene = new Scene();
  scene.do(createApp);
  expect(scene.types(want)).toEqual(["SessionRequested"]);
  expect(scene.state.starts["r1"]).toMatchObject({ project_name: "app", tool: "claude" });
  expect(scene.types({ type: "open_session", request_id: "r1", thread_id: T1 })).toEqual(["SessionCreated"]);
  expect(scene.state.starts).toEqual({});
  expect(scene.state.sessions[T1]).toEqual({
    thread_id: T1,
    project_name: "app",
    tool: "claude",
    adapter_state: {},
    queue: [],
    running_job_id: null,
    last_job_id: null,
    created_at: "2026-02-26T14:00:03.000Z",
    updated_at: "2026-02-26T14:00:03.000Z",
    last_activity_at: "2026-02-26T14:00:03.000Z",
  });
  expect(scene.state.watermarks[T1]).toBe(T1);
  scene.checkReplay();
});

test("the same interaction asks once, and its thread is opened once", () => {
  const scene = new Scene();
  scene.do(createApp);
  scene.do(want);
  expect(scene.types(want)).toEqual([]);
  scene.do({ type: "open_session", request_id: "r1", thread_id: T1 });
  expect(scene.types({ type: "open_session", request_id: "r1", thread_id: T1 })).toEqual([]);
  expect(scene.types({ type: "open_session", request_id: "unknown", thread_id: "1" })).toEqual([]);
});

test("a start that cannot be made is dropped, once", () => {
  const scene = new Scene();
  scene.do(createApp);
  scene.do(want);
  const drop = { type: "drop_start", request_id: "r1", code: "E_THREAD_ACCESS_FAILED" } as const;
  expect(scene.types(drop)).toEqual(["SessionRequestDropped"]);
  expect(scene.types(drop)).toEqual([]);
  expect(scene.state.starts).toEqual({});
  scene.checkReplay();
});

test.each([
  ["an unknown project", { project_name: "none" }, "E_PROJECT_NOT_FOUND"],
  ["a tool the project does not allow", { tool: "gemini" }, "E_TOOL_NOT_ENABLED"],
])("%s is refused", (_what, change, code) => {
  const scene = new Scene();
  scene.do(createApp);
  expect(() => scene.do({ ...want, ...change } as Command)).toThrow(expect.objectContaining({ code }));
  expect(scene.state.starts).toEqual({});
});

test("the session's key is kept under its tool's own name for it, and is what the next job resumes by", () => {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.do({
    type: "progress",
    job_id: job(1),
    progress: { kind: "session_key", adapter_state: { session_id: "s1", other: "x" } },
  });
  const session = scene.state.sessions[T1];
  expect(session?.adapter_state).toEqual({ session_id: "s1" });
  expect(session && sessionKey(session)).toBe("s1");
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "session_key", adapter_state: {} } });
  expect(session && sessionKey(session)).toBeNull();
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "session_key", adapter_state: { thread_id: "t1" } } });
  expect(session && [session.adapter_state, sessionKey(session)]).toEqual([{ thread_id: "t1" }, "t1"]);
  scene.checkReplay();
});

test("a session's state is derived in the documented order", () => {
  const scene = new Scene().withSessions(T1);
  const state = (): string | undefined => {
    const session = scene.state.sessions[T1];
    return session && sessionState(session, scene.state.jobs, scene.state.threads[T1]);
  };
  expect(state()).toBe("idle");
  scene.hear(T1, message(1));
  scene.hear(T1, message(2));
  expect(state()).toBe("running");
  scene.fail(job(1));
  expect(state()).toBe("queued");
  scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
  scene.fail(job(2));
  expect(state()).toBe("failed");
  scene.do({ type: "progress", job_id: job(2), progress: { kind: "gone" } });
  scene.hear(T1, message(3));
  scene.do({ type: "restart" });
  expect(state()).toBe("unknown_after_crash");
  scene.do({ type: "discard", job_id: job(3) });
  scene.hear(T1, message(4));
  scene.finish(job(4));
  expect(state()).toBe("idle");
});
