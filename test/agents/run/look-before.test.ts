/**
 * What a job changed is measured from a look at its project that is over before its agent works, or that may have
 * missed something.
 */
import { describe, expect, test } from "vitest";
import type { Update } from "../../../src/agents/contract/updates.ts";
import type { Checkout } from "../../../src/core/projects/checkout.ts";
import { RunnerScene, T1, today } from "./runner-scene.ts";

const TOUCHES: Update[] = [
  { kind: "tool_started", id: "1", name: "Bash", title: "touch a", input: {} },
  { kind: "tool_finished", id: "1", ok: true, summary: "" },
];

describe("the look at the project before a job", () => {
  async function looking(): Promise<{ scene: RunnerScene; look: PromiseWithResolvers<Checkout> }> {
    const scene = await new RunnerScene().withSessions(T1);
    const look = Promise.withResolvers<Checkout>();
    scene.options.git.recordCheckout = () => look.promise;
    await scene.hear();
    await scene.is(1, "running");
    return { scene, look };
  }

  test("is over before its agent has the prompt", async () => {
    const { scene, look } = await looking();
    await scene.clock.advance(49);
    expect(scene.runs).toHaveLength(0);
    look.resolve({ ...scene.checkout, tree: "0".repeat(40) });
    (await scene.run(1)).done();
    await scene.free();
    expect(scene.engine.state.runs[today(1)]).toMatchObject({ changes: { files: 1 } });
    expect(scene.engine.state.runs[today(1)]?.begun?.looked_late).toBeUndefined();
  });

  test("is waited for 50 ms, and misses nothing if the agent has not begun with a tool by its end", async () => {
    const { scene, look } = await looking();
    await scene.clock.advance(50);
    const turn = await scene.run(1);
    turn.say({ kind: "text", delta: "I begin." });
    look.resolve({ ...scene.checkout, tree: "0".repeat(40) });
    await scene.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
    turn.say(...TOUCHES);
    turn.done();
    await scene.free();
    expect(scene.engine.state.runs[today(1)]).toMatchObject({ changes: { files: 1 } });
    expect(scene.engine.state.runs[today(1)]?.begun?.looked_late).toBeUndefined();
  });

  test.each(["a tool", "its end"])(
    "that is not over before %s may have missed something, and that is known",
    async (what) => {
      const { scene, look } = await looking();
      await scene.clock.advance(50);
      const turn = await scene.run(1);
      if (what === "its end") turn.done();
      else turn.say(...TOUCHES);
      await scene.engine.until(
        ({ jobs, runs }) => jobs[today(1)]?.state === "success" || runs[today(1)]?.begun?.tools.length === 1,
      );
      look.resolve({ ...scene.checkout, tree: "0".repeat(40) });
      await scene.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
      if (what !== "its end") turn.done();
      await scene.free();
      expect(scene.engine.state.runs[today(1)]).toMatchObject({ changes: { files: 1 }, begun: { looked_late: true } });
    },
  );

  test("of a directory that is no repository misses nothing", async () => {
    const { scene, look } = await looking();
    await scene.clock.advance(50);
    const turn = await scene.run(1);
    look.resolve({ ...scene.checkout, tree: null });
    turn.done();
    await scene.free();
    expect(scene.engine.state.runs[today(1)]?.begun?.looked_late).toBeUndefined();
  });
});
