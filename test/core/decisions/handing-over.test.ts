/** What an agent asks on after its turn: one decision, whichever of the two turns is recorded first. */
import { describe, expect, test } from "vitest";
import type { Command } from "../../../src/core/slices.ts";
import { openOf } from "../../../src/core/decisions/decision.ts";
import { job, message, Scene, T1 } from "../scene.ts";

const D = "dec_1";
const begin = (turn_id: string): Command => ({
  type: "begin_outside_turn",
  turn_id,
  thread_id: T1,
  tool: "claude",
  origin: "background",
});
const end = (turn_id: string): Command => ({ type: "end_outside_turn", turn_id, outcome: "done" });
const leave: Command = { type: "leave_decision", decision_id: D, work: job(1) };
const over: Command = { type: "take_over", thread_id: T1, asker: { by: "turn", turn_id: "turn_1", request_id: D } };

function asked(): Scene {
  const scene = new Scene().withSessions(T1);
  scene.hear(T1, message(1));
  scene.ask(job(1), D);
  scene.show(D, message(2));
  return scene;
}

const complete = (scene: Scene): void => void scene.complete(job(1));
const press = (scene: Scene): void => void scene.press(D, [0]);
const told = (scene: Scene): string[] =>
  scene.events.flatMap(({ type, payload }) =>
    "decision_id" in payload && payload.decision_id === D && type !== "DecisionHandedOver" ? type : [],
  );

const takes = (scene: Scene): void => {
  scene.do(begin("turn_1"));
  scene.do(over);
};

describe("a decision goes over to the turn that follows", () => {
  const ends = (scene: Scene): void => {
    scene.do(leave);
    complete(scene);
  };
  const inTwo = (scene: Scene): void => {
    scene.do(leave);
    takes(scene);
    complete(scene);
  };
  test.each<[string, ((scene: Scene) => void)[]]>([
    ["after the job's end", [ends, takes, press]],
    ["before the job's end", [takes, ends, press]],
    ["in between", [inTwo, press]],
    ["pressed before it is taken over", [ends, press, takes]],
    ["pressed while both run", [takes, press, ends]],
    ["pressed before either", [press, ends, takes]],
  ])("%s: it is asked once, answered once, and the turn is told", (_, steps) => {
    const scene = asked();
    const before = structuredClone(scene.state.decisions[D]);
    for (const step of steps) step(scene);
    scene.do({ type: "answer_delivered", decision_id: D });
    expect(told(scene)).toEqual(["DecisionAsked", "DecisionAnswered", "AnswerDelivered"]);
    const { asker, subject, questions, shown } = scene.state.decisions[D] ?? {};
    expect(asker).toEqual({ by: "turn", turn_id: "turn_1", request_id: D });
    expect([subject, questions, shown]).toEqual([before?.subject, before?.questions, before?.shown]);
    expect(scene.state.decisions[D]).not.toHaveProperty("between");
    scene.checkReplay();
  });

  test("and from that one to the next, and ends with it", () => {
    const scene = asked();
    ends(scene);
    takes(scene);
    scene.do({ type: "leave_decision", decision_id: D, work: "turn_1" });
    scene.do(end("turn_1"));
    expect(scene.state.decisions[D]?.state).toBe("open");
    scene.do(begin("turn_2"));
    scene.do({ type: "take_over", thread_id: T1, asker: { by: "turn", turn_id: "turn_2", request_id: D } });
    expect(openOf(scene.state, "turn_2").map(({ decision_id }) => decision_id)).toEqual([D]);
    scene.do(end("turn_2"));
    expect(scene.state.decisions[D]).toMatchObject({ state: "void", voided: "asker_gone" });
    scene.checkReplay();
  });
});

describe("nobody waits for it any more", () => {
  const left = (): Scene => {
    const scene = asked();
    scene.do(leave);
    complete(scene);
    return scene;
  };
  test.each<[string, (scene: Scene) => void]>([
    ["when the daemon ends in between", (scene) => scene.restart()],
    [
      "when the turn that follows does not take it over",
      (scene) => [begin("turn_2"), end("turn_2")].forEach((command) => scene.do(command)),
    ],
    [
      "when that turn is over before it has",
      (scene) => [begin("turn_1"), end("turn_1"), over].forEach((command) => scene.do(command)),
    ],
    [
      "when that turn is being stopped",
      (scene) => {
        scene.do(begin("turn_1"));
        scene.do({ type: "cancel_job", job_id: "turn_1", by: "owner" });
        scene.do(over);
      },
    ],
  ])("%s: it is void", (_, step) => {
    const scene = left();
    step(scene);
    expect(scene.state.decisions[D]).toMatchObject({ state: "void", voided: "asker_gone" });
    scene.checkReplay();
  });

  test("one that was not left is void with its job, and is taken over by nobody; nor is one that was delivered", () => {
    const scene = asked();
    complete(scene);
    expect(scene.state.decisions[D]?.state).toBe("void");
    scene.do(begin("turn_1"));
    expect(scene.types(over)).toEqual([]);
    const other = asked();
    press(other);
    other.do({ type: "answer_delivered", decision_id: D });
    other.do(leave);
    complete(other);
    other.do(begin("turn_1"));
    expect(other.types(over)).toEqual([]);
  });
});
