import { describe, expect, test } from "vitest";
import { job, message, Scene, T1 } from "../core/scene.ts";
import { buttons, description, of, running, view } from "./seen.ts";

describe("a job that a crash cut off", () => {
  function crashed(): Scene {
    const scene = running();
    for (const number of [2, 3]) scene.hear(T1, message(number));
    scene.do({ type: "progress", job_id: job(1), progress: { kind: "tool", name: "Bash", title: "npm test", ok: true } });
    scene.post(job(1), "5", "answer:0");
    scene.post(job(1), "6", "answer:1");
    scene.do({ type: "wake" });
    return scene;
  }

  test("says what is known, that nothing runs again by itself, and how many wait", () => {
    const end = of(view(crashed()), "end");
    expect(description(end)).toContain("nothing is run again by itself");
    expect(description(end)).toContain("✓ Bash `npm test`");
    expect(description(end)).toContain("Waiting in this thread: 2.");
    expect(buttons(end)).toEqual([`retry:${job(1)}`, `continue:${job(1)}`, `discard:${job(1)}`]);
  });

  test("keeps what had been said, its last message marked as cut off", () => {
    const answers = view(crashed()).filter(({ part }) => part.startsWith("answer"));
    expect(answers.map(({ part, want }) => [part, want])).toEqual([
      ["answer:1", { kind: "interrupted", line: "-# Cut off here: Bellhop or its machine stopped." }],
    ]);
  });

  test.each([
    ["Retry", (scene: Scene) => scene.do({ type: "retry", job_id: job(1) }), job(4)],
    ["Discard", (scene: Scene) => scene.do({ type: "discard", job_id: job(1) }), "discarded"],
    ["the next message", (scene: Scene) => [scene.post(job(1), message(5)), scene.hear(T1, message(6))], "wrote on"],
  ])("settled by %s it has no buttons and says who settled it", (_by, settle, says) => {
    const scene = crashed();
    settle(scene);
    const end = view(scene).find(({ subject, part }) => subject === job(1) && part === "end");
    expect(end && buttons(end)).toEqual([]);
    expect(end && description(end)).toContain(says);
  });

  test("where the queue went on by itself it can still be taken up again, and there is nothing to discard", () => {
    const scene = new Scene({ after_crash: "go_on" }).withSessions(T1);
    scene.hear(T1, message(1));
    scene.do({ type: "wake" });
    expect(buttons(of(view(scene), "end"))).toEqual([`retry:${job(1)}`, `continue:${job(1)}`]);
    expect(description(of(view(scene), "end"))).toContain("The queue went on without it.");
  });
});
