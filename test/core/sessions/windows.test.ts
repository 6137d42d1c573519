/** Windows outlive the daemon: what runs in one that stands goes on, and what is said of another window changes nothing. */
import { describe, expect, test } from "vitest";
import { job, message, Scene, T1 } from "../scene.ts";

const window = { thread_id: T1, server: "own", socket: "/run/x.tmux", window_id: "@1", pane_id: "%1", pid: 7, start_time: "1@b", cwd: "/one", adopted: false } as const;
const process = (pid: number) => ({ type: "progress", job_id: job(1), progress: { kind: "process", pid, start_time: "1@b", prompt_id: "p1" } }) as const;

/** A job whose prompt was taken by this process, in a session with a window. */
function working(pid = 7): Scene {
  const scene = new Scene().withSessions(T1);
  scene.do({ type: "open_window", ...window });
  scene.hear(T1, message(1));
  scene.do(process(pid));
  return scene;
}

describe("at a restart", () => {
  test("the job whose window stands goes on, and its cancellation with it", () => {
    for (const cancelled of [false, true]) {
      const scene = working();
      if (cancelled) scene.do({ type: "cancel_job", job_id: job(1), by: "owner" });
      expect(scene.types({ type: "wake", alive: [T1] })).toEqual([]);
      expect(scene.running()).toEqual([job(1)]);
      scene.checkReplay();
    }
  });

  test.each([
    ["the window is gone", working(), []],
    ["its prompt was not taken", (() => { const scene = new Scene().withSessions(T1); scene.do({ type: "open_window", ...window }); scene.hear(T1, message(1)); return scene; })(), [T1]],
    ["it ran in another process", working(8), [T1]],
  ])("it is unknown where %s", (_, scene, alive) => {
    const types = scene.types({ type: "wake", alive });
    expect(types).toContain("JobMarkedUnknownAfterCrash");
    expect(types.includes("WindowClosed")).toBe(alive.length === 0);
    expect(scene.state.windows?.[T1] === undefined).toBe(alive.length === 0);
    scene.checkReplay();
  });

  test("a job that was done is done, although its window stands", () => {
    const done = [{ job_id: job(1), result_excerpt: "x", result_sha256: "0".repeat(64), model: null, usage: null }];
    expect(working().types({ type: "wake", alive: [T1], done })).toContain("JobCompleted");
  });
});

describe("a turn at the terminal", () => {
  function typed(pid = 7): Scene {
    const scene = new Scene().withSessions(T1);
    scene.do({ type: "open_window", ...window });
    scene.do({ type: "begin_outside_turn", turn_id: "turn_1", thread_id: T1, tool: "claude", origin: "terminal", prompt: "x" });
    scene.do({ type: "progress", job_id: "turn_1", progress: { kind: "process", pid, start_time: "1@b", prompt_id: "p1" } });
    return scene;
  }

  test("goes on over a restart in the window that stands, and is unknown in any other", () => {
    const kept = { turn_id: "turn_1", outcome: "unknown" } as const;
    expect(typed().types({ type: "wake", alive: [T1], turns: [kept] })).toEqual([]);
    expect(typed(8).types({ type: "wake", alive: [T1], turns: [kept] })).toEqual(["OutsideTurnEnded"]);
    expect(typed().types({ type: "wake", alive: [], turns: [kept] })).toEqual(["OutsideTurnEnded", "WindowClosed"]);
    expect(typed().types({ type: "wake", alive: [T1], turns: [{ ...kept, outcome: "done" }] })).toEqual(["OutsideTurnEnded"]);
  });

  test("tells by what its conversation is resumed, until that is cleared", () => {
    const scene = typed();
    scene.do({ type: "progress", job_id: "turn_1", progress: { kind: "session_key", adapter_state: { session_id: "one" } } });
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({ session_id: "one" });
    const clear = { type: "clear_window", thread_id: T1, tool: "claude" } as const;
    expect(scene.types({ ...clear, pane_id: "%2", key: "one" })).toEqual([]);
    expect(scene.types({ ...clear, pane_id: "%1", key: "another" })).toEqual([]);
    expect(scene.types({ ...clear, pane_id: "%1", key: "one" })).toEqual(["WindowCleared"]);
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({});
    scene.checkReplay();
  });
});

test("a session has one window: a second one takes the place of the first, and the same is not opened twice", () => {
  const scene = working();
  expect(scene.types({ type: "open_window", ...window })).toEqual([]);
  expect(scene.types({ type: "open_window", ...window, pane_id: "%2" })).toEqual(["WindowClosed", "WindowOpened"]);
  expect(scene.types({ type: "close_window", thread_id: T1, pane_id: "%1", why: "exit" })).toEqual([]);
  expect(scene.types({ type: "close_window", thread_id: T1, pane_id: "%2", why: "exit", exit_code: 0 })).toEqual(["WindowClosed"]);
  expect(scene.types({ type: "open_window", ...window, thread_id: "9" })).toEqual([]);
  scene.checkReplay();
});

describe("a wait for the terminal", () => {
  const wait = { kind: "terminal", job_id: job(1), reason: "draft", attach: "tmux attach" } as const;
  function waiting(): Scene {
    const scene = new Scene().withSessions(T1);
    scene.hear(T1, message(1));
    scene.do({ type: "put_back", job_id: job(1), why: "terminal" });
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait });
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
    expect(scene.running()).toEqual([]);
    return scene;
  }

  test.each(["owner", "terminal"] as const)("is ended by the %s, and the same job runs", (by) => {
    const scene = waiting();
    expect(scene.types({ type: "unpark", thread_id: T1, job_id: job(1), by: "anyway" })).toEqual([]);
    expect(scene.types({ type: "unpark", thread_id: T1, job_id: job(1), by })).toEqual(["SessionUnparked", "JobStarted"]);
    scene.checkReplay();
  });

  test("ends with its job, and with the tool", () => {
    expect(waiting().types({ type: "cancel_job", job_id: job(1), by: "owner" })).toEqual(["SessionUnparked", "JobCancelled"]);
    expect(waiting().types({ type: "change_tool", thread_id: T1, tool: "codex" })).toEqual(["ToolChanged", "JobStarted"]);
  });
});
