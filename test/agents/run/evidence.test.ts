/** What a job that a crash cut off had changed is found once, afterwards, and nobody waits for it. */
import { describe, expect, test } from "vitest";
import { gatherEvidence } from "../../../src/agents/run/conclusion.ts";
import { RunnerScene, T1, today } from "./runner-scene.ts";

/** Back after a crash of a job that ran, and that had noted its checkout where `noted`. */
async function cutOff(noted = true): Promise<RunnerScene> {
  const before = new RunnerScene();
  if (!noted) before.options.git.recordCheckout = () => new Promise(() => undefined);
  await before.withSessions(T1);
  await before.hear();
  await before.is(1, "running");
  await before.clock.advance(50);
  (await before.run(1)).say({ kind: "session_key", key: "s1" });
  if (noted) await before.engine.until(({ runs }) => runs[today(1)]?.begun?.checkout != null);
  await before.engine.until(({ sessions }) => sessions[T1]?.adapter_state["session_id"] === "s1");
  const back = new RunnerScene(before.events);
  await back.do({ type: "restart" });
  return back;
}

describe("the evidence of a crash", () => {
  test("is what lies between the tree as the job found it and the tree now; the patch is on the disk, redacted", async () => {
    const scene = await cutOff();
    scene.checkout = { ...scene.checkout, tree: "2".repeat(40) };
    scene.difference = {
      root: "/srv/app",
      files: 3,
      added: 9,
      removed: 2,
      stat: " a | 11",
      patch: Buffer.from("+SECRET\n"),
    };
    await gatherEvidence(scene.options);
    expect(scene.engine.state.runs[today(1)]).toMatchObject({
      changes: { files: 3, added: 9, removed: 2, patch: "f".repeat(64), stat: " a | 11" },
    });
    expect(scene.patches.get(today(1))).toBe("+***\n");
  });

  test("is looked for once, and what was kept for it is let go", async () => {
    const scene = await cutOff();
    await gatherEvidence(scene.options);
    const written = scene.events.length;
    expect(scene.engine.state.runs[today(1)]?.changes).toEqual({
      files: 0,
      added: 0,
      removed: 0,
      patch: null,
      stat: null,
    });
    await gatherEvidence(scene.options);
    expect([scene.events.length, scene.forgotten]).toEqual([written, [today(1)]]);
  });

  test("that was never taken, or cannot be, is not made up", async () => {
    for (const scene of [await cutOff(false), await cutOff()]) {
      scene.options.git.changes = () => Promise.reject(new Error("no"));
      await gatherEvidence(scene.options);
      expect(scene.engine.state.runs[today(1)]?.changes).toBeNull();
    }
  });

  test("keeps what open jobs still need", async () => {
    const scene = await cutOff();
    await scene.hear("waits");
    let kept: ReadonlySet<string> = new Set();
    scene.options.git.forgetAllBut = async (ids) => void (kept = ids);
    await gatherEvidence(scene.options);
    expect([...kept]).toEqual([today(1), today(2)]);
  });

  test("is no reason to continue unasked where another branch was checked out meanwhile", async () => {
    const scene = await cutOff();
    await gatherEvidence(scene.options);
    scene.checkout = { ...scene.checkout, branch: "other" };
    await scene.do({ type: "continue", job_id: today(1) });
    scene.keep();
    await scene.waits();
    expect(scene.runs).toHaveLength(0);
    await scene.accept(today(2));
    const { request } = await scene.run(1);
    expect(request.key).toBe("s1");
    expect(request.text).toContain("Go on with what you were doing");
  });

  test("a conversation that the agent knows no more is taken up anew at once, with the whole prompt", async () => {
    const scene = await cutOff();
    await scene.do({ type: "continue", job_id: today(1) });
    scene.keep();
    (await scene.run(1)).fail({ resume: "unknown" }, "E_RESUME_UNKNOWN");
    const { request } = await scene.run(2);
    expect(request.key).toBeNull();
    expect(request.text).toMatch(/its conversation is lost.*It had been asked:\n\ndo it$/s);
  });
});
