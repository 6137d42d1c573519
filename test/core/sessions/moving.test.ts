/** The conversation goes along when the session moves to another tool that finds it; else each tool keeps its own. */
import { describe, expect, test } from "vitest";
import { sessionKey } from "../../../src/core/sessions/session.ts";
import { job, message, Scene, T1 } from "../scene.ts";

const key = (number: number, id: string, name = "session_id"): Parameters<Scene["do"]>[0] => ({
  type: "progress",
  job_id: job(number),
  progress: { kind: "session_key", adapter_state: { [name]: id } },
});
const move = (tool: string, key_name?: string): Parameters<Scene["do"]>[0] => ({
  type: "change_tool",
  thread_id: T1,
  tool,
  ...(key_name && { key_name }),
});

function talked(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.do(key(1, "k1"));
  scene.finish(job(1));
  return scene;
}

const now = ({ state }: Scene): [string | undefined, string | null] => [
  state.sessions[T1]?.tool,
  state.sessions[T1] ? sessionKey(state.sessions[T1]) : null,
];

describe("to a tool that finds it", () => {
  test("its key goes along, under that tool's name for it, and comes back", () => {
    const scene = talked();
    expect(scene.do(move("codex", "thread_id"))).toMatchObject([
      { type: "ToolChanged", payload: { carried: { thread_id: "k1" } } },
    ]);
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({ thread_id: "k1" });
    scene.hear(T1, message(2));
    scene.do(key(2, "k2", "thread_id"));
    scene.finish(job(2));
    scene.do(move("claude", "session_id"));
    expect(now(scene)).toEqual(["claude", "k2"]);
    scene.checkReplay();
  });

  test("a conversation that has not begun begins there", () => {
    const scene = new Scene().withSessions(T1);
    expect(scene.do(move("codex", "thread_id"))).toEqual([
      expect.objectContaining({ payload: { thread_id: T1, tool: "codex" } }),
    ]);
    expect(now(scene)).toEqual(["codex", null]);
  });

  test("the checkout goes along too", () => {
    const scene = talked();
    scene.hear(T1, message(2));
    scene.do({
      type: "progress",
      job_id: job(2),
      progress: { kind: "checkout", checkout: { cwd: "/srv/app", branch: "main", head: null, tree: null } },
    });
    scene.finish(job(2));
    const { checkout } = scene.state.threads[T1] ?? {};
    scene.do(move("codex", "thread_id"));
    expect(scene.state.threads[T1]?.checkout).toEqual(checkout);
    scene.checkReplay();
  });
});

test("to another tool each keeps its own, also after it moved", () => {
  const scene = talked();
  scene.do(move("codex"));
  expect(now(scene)).toEqual(["codex", null]);
  scene.do(move("claude"));
  expect(now(scene)).toEqual(["claude", "k1"]);
  scene.checkReplay();
});
