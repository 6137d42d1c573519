/**
 * Windows outlive the daemon: what runs in one that stands goes on, and what is said of another window changes nothing.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../../src/core/state.ts";
import { windowlessThreads } from "../../../src/core/sessions/thread.ts";
import { job, message, Scene, T1 } from "../scene.ts";

const window = {
  thread_id: T1,
  server: "own",
  socket: "/run/x.tmux",
  window_id: "@1",
  pane_id: "%1",
  pid: 7,
  start_time: "1@b",
  cwd: "/one",
  adopted: false,
} as const;
const process = (pid: number) =>
  ({
    type: "progress",
    job_id: job(1),
    progress: { kind: "process", pid, start_time: "1@b", prompt_id: "p1" },
  }) as const;

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
      expect(scene.types({ type: "restart", alive: [T1] })).toEqual([]);
      expect(scene.running()).toEqual([job(1)]);
      scene.checkReplay();
    }
  });

  test.each([
    ["the window is gone", working(), []],
    [
      "its prompt was not taken",
      (() => {
        const scene = new Scene().withSessions(T1);
        scene.do({ type: "open_window", ...window });
        scene.hear(T1, message(1));
        return scene;
      })(),
      [T1],
    ],
    ["it ran in another process", working(8), [T1]],
  ])("it is unknown where %s", (_, scene, alive) => {
    const types = scene.types({ type: "restart", alive });
    expect(types).toContain("JobMarkedUnknownAfterCrash");
    expect(types.includes("WindowClosed")).toBe(alive.length === 0);
    expect(scene.state.windows?.[T1] === undefined).toBe(alive.length === 0);
    scene.checkReplay();
  });

  test("a job that was done is done, although its window stands", () => {
    const done = [{ job_id: job(1), result_excerpt: "x", result_sha256: "0".repeat(64), model: null, usage: null }];
    expect(working().types({ type: "restart", alive: [T1], done })).toContain("JobCompleted");
  });
});

describe("a turn at the terminal", () => {
  function typed(pid = 7): Scene {
    const scene = new Scene().withSessions(T1);
    scene.do({ type: "open_window", ...window });
    scene.do({
      type: "begin_outside_turn",
      turn_id: "turn_1",
      thread_id: T1,
      tool: "claude",
      origin: "terminal",
      prompt: "x",
    });
    scene.do({
      type: "progress",
      job_id: "turn_1",
      progress: { kind: "process", pid, start_time: "1@b", prompt_id: "p1" },
    });
    return scene;
  }

  test("goes on over a restart in the window that stands, and is unknown in any other", () => {
    const kept = { turn_id: "turn_1", outcome: "unknown" } as const;
    expect(typed().types({ type: "restart", alive: [T1], turns: [kept] })).toEqual([]);
    expect(typed(8).types({ type: "restart", alive: [T1], turns: [kept] })).toEqual(["OutsideTurnEnded"]);
    expect(typed().types({ type: "restart", alive: [], turns: [kept] })).toEqual(["OutsideTurnEnded", "WindowClosed"]);
    expect(typed().types({ type: "restart", alive: [T1], turns: [{ ...kept, outcome: "done" }] })).toEqual([
      "OutsideTurnEnded",
    ]);
  });

  test("tells by what its conversation is resumed, until that is cleared", () => {
    const scene = typed();
    scene.do({
      type: "progress",
      job_id: "turn_1",
      progress: { kind: "session_key", adapter_state: { session_id: "one" } },
    });
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({ session_id: "one" });
    const clear = { type: "clear_window", thread_id: T1, tool: "claude" } as const;
    expect(scene.types({ ...clear, pane_id: "%2", key: "one" })).toEqual([]);
    expect(scene.types({ ...clear, pane_id: "%1", key: "another" })).toEqual([]);
    expect(scene.types({ ...clear, pane_id: "%1", key: "one" })).toEqual(["WindowCleared"]);
    expect(scene.state.sessions[T1]?.adapter_state).toEqual({});
    scene.checkReplay();
  });
});

test("the window of a worktree that is lost with its server is wanted again, and no other", () => {
  const lost = (change: (scene: Scene) => void): string[] => {
    const scene = atTerminals();
    scene.do(start("r"));
    scene.do({ type: "open_session", request_id: "r", thread_id: T1 });
    scene.do({ type: "open_window", ...window });
    scene.do({ type: "made_worktree", thread_id: T1, path: "/srv/app/.claude/worktrees/x", branch: "x" });
    change(scene);
    const types = scene.types({ type: "restart", alive: [] });
    scene.checkReplay();
    return types.filter((type) => type.startsWith("Window"));
  };
  expect(lost(() => undefined)).toEqual(["WindowClosed", "WindowRequested"]);
  expect(
    lost((scene) => void scene.do({ type: "lose_worktree", thread_id: T1, path: "/srv/app/.claude/worktrees/x" })),
  ).toEqual(["WindowClosed"]);
  expect(
    lost((scene) => void scene.do({ type: "open_window", ...window, pane_id: "%9", server: "owner", adopted: true })),
  ).toEqual(["WindowClosed"]);
});

test("a session has one window: a second one takes the place of the first, and the same is not opened twice", () => {
  const scene = working();
  expect(scene.types({ type: "open_window", ...window })).toEqual([]);
  expect(scene.types({ type: "open_window", ...window, pane_id: "%2" })).toEqual(["WindowClosed", "WindowOpened"]);
  expect(scene.types({ type: "close_window", thread_id: T1, pane_id: "%1", why: "exit" })).toEqual([]);
  expect(scene.types({ type: "close_window", thread_id: T1, pane_id: "%2", why: "exit", exit_code: 0 })).toEqual([
    "WindowClosed",
  ]);
  expect(scene.types({ type: "open_window", ...window, thread_id: "9" })).toEqual([]);
  scene.checkReplay();
});

const PLACE = { channel_id: "2", guild_id: "3", bot_id: "4" };
const start = (request_id: string) =>
  ({ type: "start_session", request_id, project_name: "app", tool: "tmux", ...PLACE, window: true }) as const;

/** A project whose Claude may run at a terminal. */
function atTerminals(): Scene {
  const scene = new Scene();
  scene.do({
    type: "create_project",
    project: {
      name: "app",
      path: "/srv/app",
      enabled_tools: ["tmux", "claude"],
      default_tool: "tmux",
      default_args: {},
    },
  });
  return scene;
}

describe("a window that its owner wants without a prompt", () => {
  function wanted(): Scene {
    const scene = atTerminals();
    expect(scene.types(start("r1"))).toEqual(["SessionRequested"]);
    expect(scene.types({ type: "open_session", request_id: "r1", thread_id: T1 })).toEqual(["SessionCreated"]);
    return scene;
  }
  const isWanted = ({ state }: Scene): boolean => windowlessThreads(state).some(({ thread_id }) => thread_id === T1);
  const failure = { code: "E_TMUX_MISSING" as const, details: {} };

  test("is wanted from the moment its session is there, also after a crash, until it is open", () => {
    const scene = wanted();
    scene.crash(1);
    expect(isWanted(scene)).toBe(true);
    expect(scene.types({ type: "restart" })).toEqual(["FormatRaised"]);
    expect(isWanted(scene)).toBe(true);
    scene.do({ type: "open_window", ...window });
    expect(isWanted(scene)).toBe(false);
    scene.checkReplay();
  });

  test("one start under way, or one open session, is enough for every press", () => {
    const scene = atTerminals();
    scene.do(start("r1"));
    expect(scene.types(start("r2"))).toEqual([]);
    scene.do({ type: "open_session", request_id: "r1", thread_id: T1 });
    expect(scene.types(start("r3"))).toEqual([]);
    expect(scene.types({ type: "request_window", thread_id: T1 })).toEqual([]);
  });

  test("is opened by a start that wanted none, if that is under way; one of another kind goes on beside it", () => {
    const scene = atTerminals();
    const { window: _window, ...plain } = start("r1");
    scene.do({ ...plain, request_id: "r0", tool: "claude" });
    scene.do(plain);
    const { at } = scene.state.starts["r1"] ?? {};
    expect(scene.types(start("r2"))).toEqual(["SessionRequested"]);
    expect([Object.keys(scene.state.starts), scene.state.starts["r1"]]).toEqual([
      ["r0", "r1"],
      expect.objectContaining({ window: true, at }),
    ]);
    expect(scene.types(start("r3"))).toEqual([]);
    scene.do({ type: "open_session", request_id: "r1", thread_id: T1 });
    expect(isWanted(scene)).toBe(true);
    scene.checkReplay();
  });

  test("is asked for where none stands, in an open session with this tool only", () => {
    const scene = wanted();
    const ask = { type: "request_window", thread_id: T1 } as const;
    scene.do({ type: "open_window", ...window });
    expect(scene.types(ask)).toEqual([]);
    scene.do({ type: "close_window", thread_id: T1, pane_id: "%1", why: "exit" });
    expect(scene.types({ ...ask, thread_id: "9" })).toEqual([]);
    expect([scene.types(ask), scene.types(ask)]).toEqual([["WindowRequested"], []]);
    scene.do({ type: "change_tool", thread_id: T1, tool: "claude" });
    expect([isWanted(scene), scene.types(ask)]).toEqual([false, []]);
    scene.do({ type: "change_tool", thread_id: T1, tool: "tmux" });
    scene.do(ask);
    scene.do({ type: "close_session", thread_id: T1, by: "owner" });
    expect([isWanted(scene), scene.types(ask)]).toEqual([false, []]);
    scene.do({ type: "reopen_session", thread_id: T1 });
    expect(isWanted(scene)).toBe(false);
    scene.checkReplay();
  });

  test("its failure is kept once until its owner asks again, or it opens", () => {
    const scene = wanted();
    const refuse = { type: "refuse_window", thread_id: T1, ...failure } as const;
    scene.do(refuse);
    const first = scene.state.threads[T1]?.window;
    expect([first, isWanted(scene)]).toEqual([{ ...failure, at: scene.events.at(-1)?.ts }, false]);
    scene.do(refuse);
    expect(scene.state.threads[T1]?.window).toEqual(first);
    scene.do({ ...refuse, code: "E_PROJECT_CHANGED", details: { project: "app" } });
    expect(scene.state.threads[T1]?.window).toMatchObject({ code: "E_PROJECT_CHANGED" });
    scene.do({ type: "request_window", thread_id: T1 });
    expect(scene.state.threads[T1]?.window).toBe("wanted");
    scene.do(refuse);
    scene.do({ type: "open_window", ...window });
    expect(scene.state.threads[T1]?.window).toBeUndefined();
    expect(scene.types(refuse)).toEqual([]);
    scene.checkReplay();
  });

  test("is left to a job without a word", () => {
    const scene = wanted();
    const refuse = { type: "refuse_window", thread_id: T1 } as const;
    expect([scene.types(refuse), scene.types(refuse)]).toEqual([["WindowRefused"], []]);
    expect([isWanted(scene), scene.state.threads[T1]?.window]).toEqual([false, undefined]);
  });

  test("in every history: wanted only while it can be opened; each wish has one end, and a crash forgets none", () => {
    const kinds = [
      "start",
      "open_session",
      "request",
      "refuse",
      "fail",
      "open",
      "close",
      "tool",
      "close_session",
      "reopen",
      "crash",
    ] as const;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...kinds), { maxLength: 60, size: "max" }), (happened) => {
        const scene = atTerminals();
        for (const kind of happened) {
          perform(scene, kind);
          const thread = scene.state.threads[T1];
          if (thread?.window === "wanted")
            ok(
              thread.closed === undefined && scene.state.sessions[T1]?.tool === "tmux" && !scene.state.windows?.[T1],
              kind,
            );
          equal(isWanted(scene), thread?.window === "wanted");
        }
        deepEqual(wishes(scene.events), scene.state.threads[T1]?.window === "wanted");
      }),
    );
  });

  let panes = 0;
  function perform(scene: Scene, kind: string): void {
    const thread_id = T1;
    const pane_id = scene.state.windows?.[T1]?.pane_id ?? "%0";
    if (kind === "start") scene.do(start(`r${scene.events.length}`));
    if (kind === "open_session")
      for (const request_id of Object.keys(scene.state.starts))
        scene.do({ type: "open_session", request_id, thread_id });
    if (kind === "request") scene.do({ type: "request_window", thread_id });
    if (kind === "refuse") scene.do({ type: "refuse_window", thread_id });
    if (kind === "fail") scene.do({ type: "refuse_window", thread_id, ...failure });
    if (kind === "open") scene.do({ type: "open_window", ...window, pane_id: `%${(panes += 1)}` });
    if (kind === "close") scene.do({ type: "close_window", thread_id, pane_id, why: "exit" });
    if (kind === "tool" && scene.state.sessions[T1])
      scene.do({ type: "change_tool", thread_id, tool: scene.state.sessions[T1].tool === "tmux" ? "claude" : "tmux" });
    if (kind === "close_session") scene.do({ type: "close_session", thread_id, by: "owner" });
    if (kind === "reopen") scene.do({ type: "reopen_session", thread_id });
    if (kind === "crash") scene.crash(1);
  }

  /** Whether one is open at the end of the record; none begins within another. */
  function wishes(events: readonly RecordedEvent[]): boolean {
    let isOpen = false;
    for (const event of events) {
      const begins =
        event.type === "WindowRequested" || (event.type === "SessionCreated" && event.payload.window === true);
      if (begins) equal(isOpen, false);
      if (begins) isOpen = true;
      if (["WindowOpened", "WindowRefused", "SessionClosed", "ToolChanged"].includes(event.type)) isOpen = false;
    }
    return isOpen;
  }
});

describe("a wait for the terminal", () => {
  const wait = {
    kind: "terminal",
    job_id: job(1),
    reason: "draft",
    attach: "tmux attach",
    screen: "half a thought",
  } as const;
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
    expect(scene.types({ type: "accept_changed", thread_id: T1, job_id: job(1), digest: "", by: "seen" })).toEqual([]);
    expect(scene.types({ type: "unpark", thread_id: T1, job_id: job(1), by })).toEqual([
      "SessionUnparked",
      "JobStarted",
    ]);
    scene.checkReplay();
  });

  test("is ended by its owner's word to clear the draft, each of which stays known with the job", () => {
    const scene = waiting();
    expect(scene.types({ type: "unpark", thread_id: T1, job_id: job(1), by: "cleared" })).toEqual([
      "SessionUnparked",
      "JobStarted",
    ]);
    expect(scene.state.runs[job(1)]?.drafts).toEqual(["half a thought"]);
    scene.do({ type: "put_back", job_id: job(1), why: "terminal" });
    scene.do({ type: "park", thread_id: T1, job_id: job(1), wait: { ...wait, screen: "more" } });
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "gone" } });
    scene.do({ type: "unpark", thread_id: T1, job_id: job(1), by: "cleared" });
    expect(scene.state.runs[job(1)]?.drafts).toEqual(["half a thought", "more"]);
    scene.checkReplay();
  });

  test("ends with its job, and with the tool", () => {
    expect(waiting().types({ type: "cancel_job", job_id: job(1), by: "owner" })).toEqual([
      "SessionUnparked",
      "JobCancelled",
    ]);
    expect(waiting().types({ type: "change_tool", thread_id: T1, tool: "codex" })).toEqual([
      "ToolChanged",
      "JobStarted",
    ]);
  });
});
