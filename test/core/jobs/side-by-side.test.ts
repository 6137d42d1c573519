/** Whose the changes of a job are as well: those of the sessions that worked in its directory while it ran. */
import { describe, expect, test } from "vitest";
import { workedBeside } from "../../../src/core/jobs/side-by-side.ts";
import { createApp, job, message, Scene, T1, T2, T3 } from "../scene.ts";

const ROOT = "/srv/app";

/** Its job of this number has begun in this directory. */
function begins(scene: Scene, thread: string, number: number, cwd = ROOT): void {
  scene.hear(thread, message(number));
  const checkout = { cwd, branch: "main", head: "a".repeat(40), tree: "1".repeat(40) };
  scene.learn(job(number), { kind: "checkout", checkout });
  expect(scene.state.jobs[job(number)]?.state).toBe("running");
}

function beside(scene: Scene, number: number, root = ROOT): string[] {
  const found = scene.state.jobs[job(number)];
  return found ? workedBeside(scene.state, found, root) : ["no such job"];
}

const scene = (): Scene => new Scene({ global_max_running: 3 }).withSessions(T1, T2, T3);

describe("of two jobs in one directory", () => {
  test("each is the other's too, whichever ends first, and none is of a third that did nothing", () => {
    const both = scene();
    begins(both, T1, 1);
    begins(both, T2, 2);
    both.finish(job(1));
    expect(beside(both, 1)).toEqual([T2]);
    both.finish(job(2));
    expect([beside(both, 1), beside(both, 2)]).toEqual([[T2], [T1]]);
  });

  test("one that had ended before the other began is not, in its own thread neither", () => {
    const after = scene();
    begins(after, T1, 1);
    after.finish(job(1));
    begins(after, T2, 2);
    after.hear(T2, message(3));
    after.finish(job(2));
    expect([beside(after, 2), beside(after, 3)]).toEqual([[], []]);
  });

  test("a message that waits has changed nothing, nor has one that was cancelled while it waited", () => {
    const waiting = new Scene({ global_max_running: 1 }).withSessions(T1, T2);
    begins(waiting, T1, 1);
    for (const number of [2, 3]) waiting.hear(T2, message(number));
    waiting.do({ type: "cancel_job", job_id: job(2), by: "owner" });
    expect(beside(waiting, 1)).toEqual([]);
    expect(waiting.state.jobs[job(2)]?.state).toBe("cancelled");
  });

  test("an agent that can only read has changed nothing", () => {
    const reading = scene();
    begins(reading, T1, 1);
    begins(reading, T2, 2);
    reading.learn(job(2), { kind: "access", access: "reads" });
    expect([beside(reading, 1), beside(reading, 2)]).toEqual([[], [T1]]);
  });

  test("both may be cut off by a crash", () => {
    const cut = scene();
    begins(cut, T1, 1);
    begins(cut, T2, 2);
    cut.restart();
    expect([beside(cut, 1), beside(cut, 2)]).toEqual([[T2], [T1]]);
  });
});

describe("work without a prompt counts as well:", () => {
  test("an outside turn, while it runs and after its end", () => {
    const outside = scene();
    begins(outside, T1, 1);
    const turn = { turn_id: "turn_1", thread_id: T2, tool: "claude" };
    outside.do({ type: "begin_outside_turn", ...turn, origin: "terminal" });
    expect(beside(outside, 1)).toEqual([T2]);
    outside.do({ type: "end_outside_turn", turn_id: "turn_1", outcome: "done" });
    expect(beside(outside, 1)).toEqual([T2]);
    outside.finish(job(1));
    begins(outside, T1, 2);
    expect(beside(outside, 2)).toEqual([]);
  });

  test("what an agent still does in the background", () => {
    const background = scene();
    background.do({ type: "note_background", thread_id: T2, tool: "claude", what: "npm run dev" });
    begins(background, T1, 1);
    expect(beside(background, 1)).toEqual([T2]);
  });
});

test.each([
  ["the same", ROOT, true],
  ["a folder of it", `${ROOT}/packages/a`, true],
  ["the folder around it", "/srv", true],
  ["the root of the disk", "/", true],
  ["another one", "/srv/other", false],
  ["one whose name begins like it", `${ROOT}-two`, false],
  ["a worktree in it", `${ROOT}/.claude/worktrees/a`, false],
  ["a folder of a worktree in it", `${ROOT}/packages/.claude/worktrees/a/packages`, false],
])("the other's directory is %s", (_name, cwd, is) => {
  const two = scene();
  begins(two, T1, 1);
  begins(two, T2, 2, cwd);
  expect(beside(two, 1)).toEqual(is ? [T2] : []);
});

test("a session of another project in the same directory works there too, before its checkout is known", () => {
  const two = scene();
  two.do({ type: "create_project", project: { ...createApp.project, name: "twin" } });
  const other = "100000000000000040";
  two.do({
    type: "start_session",
    request_id: "twin",
    project_name: "twin",
    channel_id: "2",
    guild_id: "3",
    bot_id: "4",
  });
  two.do({ type: "open_session", request_id: "twin", thread_id: other });
  begins(two, T1, 1);
  two.hear(other, message(2));
  expect(beside(two, 1)).toEqual([other]);
  expect(beside(two, 1, "/srv/elsewhere")).toEqual([]);
});

test("a session with a worktree of its own works beside nobody, and nobody beside it", () => {
  const two = scene();
  const path = `${ROOT}/.claude/worktrees/bellhop-${T2}`;
  begins(two, T1, 1);
  begins(two, T2, 2, `${path}/packages/a`);
  begins(two, T3, 3, "/srv");
  expect([beside(two, 1), beside(two, 2, path)]).toEqual([[T3], []]);
});
