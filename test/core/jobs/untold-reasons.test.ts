/** Why the owner refused, for an agent that hears only the no: it is told with its next prompt, once. */
import { describe, expect, test } from "vitest";
import { untoldReasons, type UntoldReason } from "../../../src/core/jobs/untold-reasons.ts";
import { job, message, Scene, SHA, T1 } from "../scene.ts";

const [ALLOW, DENY] = [0, 2];
const options = ["Allow once", "Allow for this session", "Deny"].map((label) => ({ label, description: "" }));
const asked = (described: boolean): object => ({
  questions: [{ question: "", header: "", options, many: false, words: true }],
  subject: {
    tool: "execute",
    title: "rm -rf build",
    sha256: SHA,
    pages: 1,
    grant_until: "2026-03-27T14:00:00.000Z",
    ...(described && { described }),
  },
});

/** A job whose agent has asked, and was answered this; it runs. */
function answered(place: number, words: string | null, described = true): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.ask(job(1), "first", 1, asked(described));
  scene.show("first", message(50));
  scene.press("first", [place], words);
  expect(scene.state.decisions["first"]?.state).toBe("answered");
  return scene;
}

/** The thread's next job begins when the last one is over: what its agent is told then. */
function next(scene: Scene, number: number): UntoldReason[] {
  scene.hear(T1, message(number));
  scene.finish(job(number - 1));
  const begun = scene.state.jobs[job(number)];
  expect(begun?.state).toBe("running");
  return begun ? untoldReasons(scene.state, begun) : [];
}

test("it is told with the next prompt, and not again", () => {
  const scene = answered(DENY, "not on a Friday");
  expect(next(scene, 2)).toEqual([{ title: "rm -rf build", words: "not on a Friday" }]);
  expect(next(scene, 3)).toEqual([]);
});

test("it is told again while nothing shows that the agent had the prompt, and not after that", () => {
  const scene = answered(DENY, "not on a Friday");
  expect(next(scene, 2)).toHaveLength(1);
  scene.hear(T1, message(3));
  scene.fail(job(2));
  scene.learn(job(2), { kind: "gone" });
  const begun = scene.state.jobs[job(3)];
  expect(begun?.state).toBe("running");
  expect(begun && untoldReasons(scene.state, begun)).toEqual([{ title: "rm -rf build", words: "not on a Friday" }]);
  scene.learn(job(3), { kind: "tool", name: "Bash", title: "ls", ok: true });
  scene.hear(T1, message(4));
  scene.fail(job(3));
  scene.learn(job(3), { kind: "gone" });
  const after = scene.state.jobs[job(4)];
  expect(after?.state).toBe("running");
  expect(after && untoldReasons(scene.state, after)).toEqual([]);
});

test("what was asked in an outside turn since then is told as well", () => {
  const scene = answered(DENY, "not on a Friday");
  scene.finish(job(1));
  scene.do({ type: "begin_outside_turn", turn_id: "turn_1", thread_id: T1, tool: "claude", origin: "background" });
  scene.ask("none", "second", 1, {
    ...asked(true),
    thread_id: T1,
    asker: { by: "turn", turn_id: "turn_1", request_id: "r" },
  });
  scene.show("second", message(51));
  scene.press("second", [DENY], "nor at night");
  scene.do({ type: "end_outside_turn", turn_id: "turn_1", outcome: "done" });
  scene.hear(T1, message(2));
  const begun = scene.state.jobs[job(2)];
  expect(begun && untoldReasons(scene.state, begun).map(({ words }) => words)).toEqual([
    "not on a Friday",
    "nor at night",
  ]);
});

describe("nothing is told", () => {
  test.each([
    ["of a yes", () => answered(ALLOW, null)],
    ["of a no without a reason", () => answered(DENY, null)],
    ["that its agent has heard", () => answered(DENY, "not on a Friday", false)],
  ])("%s", (_what, begin) => {
    expect(next(begin(), 2)).toEqual([]);
  });

  test("to another agent", () => {
    const scene = answered(DENY, "not on a Friday");
    scene.do({ type: "change_tool", thread_id: T1, tool: "codex", key_name: null } as never);
    scene.hear(T1, message(2));
    scene.finish(job(1));
    const begun = scene.state.jobs[job(2)];
    expect([begun?.tool, begun && untoldReasons(scene.state, begun)]).toEqual(["codex", []]);
  });
});
