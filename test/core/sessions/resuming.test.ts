/** A session goes on with a conversation that was begun elsewhere, and no two go on with the same one. */
import { describe, expect, test } from "vitest";
import { sessionKey } from "../../../src/core/sessions/session.ts";
import { job, message, Scene, T1, T2 } from "../scene.ts";

type Command = Parameters<Scene["do"]>[0];

const checkout = { cwd: "/srv/app", branch: "main", head: null, tree: null };
const request = (request_id: string, key = "k1"): Command => ({
  type: "start_session",
  request_id,
  project_name: "app",
  tool: "claude",
  channel_id: "7",
  guild_id: "1",
  bot_id: "4",
  adapter_state: { session_id: key },
  checkout,
});
const open = (request_id: string, thread_id: string): Command => ({ type: "open_session", request_id, thread_id });

function resumed(): Scene {
  const scene = new Scene().withSessions(T2);
  scene.do(request("31"));
  scene.do(open("31", T1));
  return scene;
}

test("its first job resumes it, in the checkout where it was", () => {
  const scene = resumed();
  expect(scene.state.sessions[T1]).toMatchObject({ tool: "claude", adapter_state: { session_id: "k1" } });
  expect(scene.state.threads[T1]?.checkout).toEqual(checkout);
  expect(scene.state.starts).toEqual({});
  scene.checkReplay();
});

describe("a conversation has one thread", () => {
  const refused = (scene: Scene, place: string, key = "k1"): void => {
    expect(() => scene.do(request("32", key))).toThrow(
      expect.objectContaining({ code: "E_CONVERSATION_IN_USE", details: { thread: `<#${place}>` } }) as Error,
    );
  };

  test("while that is being made, once it is there, and when the session has another tool", () => {
    const scene = new Scene().withSessions(T2);
    scene.do(request("31"));
    refused(scene, "7");
    scene.do(open("31", T1));
    refused(scene, T1);
    scene.do({ type: "change_tool", thread_id: T1, tool: "codex" });
    refused(scene, T1);
    scene.checkReplay();
  });

  test("also one that began in Bellhop", () => {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.do({
      type: "progress",
      job_id: job(1),
      progress: { kind: "session_key", adapter_state: { session_id: "own" } },
    });
    refused(scene, T1, "own");
  });

  test("or is in a window that stands although its thread is gone, where nobody can write to it", () => {
    const scene = resumed();
    scene.do({
      type: "open_window",
      thread_id: T1,
      server: "own",
      adopted: false,
      socket: "/s",
      window_id: "@1",
      pane_id: "%1",
      pid: 5,
      start_time: "1",
      cwd: "/srv/app",
    });
    refused(scene, T1);
    scene.do({ type: "lose_thread", thread_id: T1, place: "thread", code: "E_THREAD_ACCESS_FAILED" });
    expect(() => scene.do(request("32"))).toThrow(
      expect.objectContaining({ code: "E_CONVERSATION_IN_WINDOW", details: {} }) as Error,
    );
    scene.do({ type: "close_window", thread_id: T1, pane_id: "%1", why: "stopped" });
    scene.do(request("32"));
    scene.do(open("32", "200000000000000077"));
    scene.checkReplay();
  });

  test("but not for ever: one whose thread was deleted can be had in another", () => {
    const scene = resumed();
    scene.do({ type: "lose_thread", thread_id: T1, place: "thread", code: "E_THREAD_ACCESS_FAILED" });
    scene.do(request("32"));
    scene.do(open("32", "200000000000000077"));
    const session = scene.state.sessions["200000000000000077"];
    expect(session && sessionKey(session)).toBe("k1");
    scene.checkReplay();
  });
});
