/**
 * What an agent asked ends without an answer in many ways: none of them is a yes, and none is an answer to something
 * else.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import { BellhopError } from "../../../../src/base/errors.ts";
import { bytesFor, replyTo } from "../../../../src/agents/run/asking/decision-request.ts";
import { PERMISSION } from "../../../../src/core/decisions/may-answer.ts";
import { openDecisions } from "../../../../src/core/decisions/decision.ts";
import { Scene, settledAs } from "../../../core/scene.ts";
import { discordTime } from "../../../fakes/discord-time.ts";
import { openExpiry } from "../../../../src/engine/decision-expiry.ts";
import { asked, permission, pick, plan, press, question, running, typesOf } from "./asking-scene.ts";
import { today } from "../runner-scene.ts";

const no = { kind: "deny" };
const MINUTE = 60_000;
/** Of a runner's scene. */
const SILENCE_MS = 900_000;

describe("what nobody can hear any more", () => {
  test("is void with its agent's end; a press after that changes nothing, and no word goes to the agent", async () => {
    const { scene, run } = await running();
    run.say(permission("r1"), question("r2", "Which?"), plan("r3"));
    const decisions = [await asked(scene, "r1"), await asked(scene, "r2"), await asked(scene, "r3")];
    run.fail();
    await scene.is(1, "failed");
    for (const { decision_id } of decisions)
      expect(scene.engine.state.decisions[decision_id]).toMatchObject({ state: "void", voided: "asker_gone" });
    await expect(press(scene, decisions[0]!, pick(PERMISSION.once))).rejects.toThrow(BellhopError);
    await scene.free();
    expect(run.told).toEqual([]);
    expect(scene.failures).toEqual([]);
  });

  test("is void when its job is cancelled", async () => {
    const { scene, run } = await running();
    run.say(permission("r1"));
    const { decision_id } = await asked(scene, "r1");
    await scene.do({ type: "cancel_job", job_id: today(1), by: "owner" });
    await scene.is(1, "cancelled");
    expect(scene.engine.state.decisions[decision_id]?.state).toBe("void");
    expect(run.stopped).toBe(true);
  });

  test("is void when its run fails in passing and another one takes the job up: what that one asks is new", async () => {
    const { scene, run } = await running();
    run.say(question("r1", "Which?"));
    const { decision_id } = await asked(scene, "r1");
    run.fail({ temporary: true });
    await scene.clock.until(() => scene.runs.length === 2);
    await scene.engine.until(({ decisions }) => decisions[decision_id]?.state === "void");
    const again = await scene.run(2);
    again.say(question("r1", "Which?"));
    const fresh = await scene.engine.until(({ decisions }) =>
      Object.values(decisions).find(({ state }) => state === "open"),
    );
    expect(fresh.decision_id).not.toBe(decision_id);
    await press(scene, fresh, pick(1));
    expect(await again.tells(1)).toEqual([{ kind: "answers", answers: { "Which?": "Blue" } }]);
    expect(run.told).toEqual([]);
  });

  test("stays open when the daemon goes, for the next one to say what became of it", async () => {
    const { scene, run } = await running();
    run.say(permission("r1"));
    const { decision_id } = await asked(scene, "r1");
    await scene.runner?.close();
    await scene.clock.settle();
    expect(scene.engine.state.decisions[decision_id]?.state).toBe("open");
    await scene.do({ type: "restart" });
    expect(scene.engine.state.decisions[decision_id]).toMatchObject({ state: "void", voided: "asker_gone" });
    expect(scene.engine.state.jobs[today(1)]?.state).toBe("unknown_after_crash");
  });

  test("is neither taken back nor refused by an agent that the daemon ends, whatever that agent says of it then", async () => {
    const { scene, run } = await running();
    run.say({ kind: "tool_started", id: "t1", name: "Write", title: "a.txt", input: {} }, permission("r1"));
    const { decision_id } = await asked(scene, "r1");
    const cancel = run.cancel.bind(run);
    run.cancel = () => {
      run.say(
        { kind: "withdrawn", id: "r1" },
        { kind: "denied", tool: "Write", reason: "" },
        { kind: "tool_finished", id: "t1", ok: false, summary: "" },
      );
      return cancel();
    };
    await scene.runner?.close();
    await scene.clock.settle();
    expect(scene.engine.state.decisions[decision_id]?.state).toBe("open");
    expect(scene.engine.state.runs[today(1)]).toMatchObject({ begun: { denied: [], tools: [] } });
  });

  test("is not asked at all where its run ended while its bytes were on their way to the disk", async () => {
    const { scene, run } = await running();
    const disk = Promise.withResolvers<string>();
    scene.options.decisionFiles.write = () => disk.promise;
    await scene.hear("next");
    run.say(permission("r1"));
    run.done();
    await scene.is(1, "success");
    disk.resolve("");
    await scene.clock.settle();
    expect(typesOf(scene)).not.toContain("DecisionAsked");
  });
});

describe("what the agent takes back", () => {
  test("is void, and nothing is said to the agent about it", async () => {
    const { scene, run } = await running();
    run.say(permission("r1"), permission("r2", "ls"));
    const [first, second] = [await asked(scene, "r1"), await asked(scene, "r2")];
    run.say({ kind: "withdrawn", id: "r1" }, { kind: "withdrawn", id: "never" });
    await scene.engine.until(({ decisions }) => decisions[first.decision_id]?.state === "void");
    expect(scene.engine.state.decisions[first.decision_id]).toMatchObject({ voided: "withdrawn" });
    await press(scene, second, pick(PERMISSION.once));
    await run.tells(1);
    expect(run.told).toEqual([{ id: "r2", reply: { kind: "allow", input: { command: "ls" } } }]);
  });

  test("before it was asked is never asked", async () => {
    const { scene, run } = await running();
    const disk = Promise.withResolvers<string>();
    scene.options.decisionFiles.write = () => disk.promise;
    await scene.hear("next");
    run.say(permission("r1"), { kind: "withdrawn", id: "r1" }, permission("r2", "ls"));
    await scene.clock.settle();
    disk.resolve("");
    await asked(scene, "r2");
    expect(scene.events.filter(({ type }) => type === "DecisionAsked")).toHaveLength(1);
  });
});

describe("time", () => {
  test("that none is set for lets a request wait for ever", async () => {
    const { scene, run } = await running();
    const lapses = openExpiry({
      engine: scene.engine,
      clock: scene.clock,
      time: discordTime(scene.clock),
      log: scene.options.log,
      hasHeard: async () => true,
    });
    onTestFinished(() => lapses.close());
    run.say(permission("r1"), plan("r2"));
    await asked(scene, "r2");
    await scene.clock.advance(366 * 24 * 60 * MINUTE);
    expect((await asked(scene, "r1")).state).toBe("open");
    expect(run.told).toEqual([]);
    expect(scene.engine.state.jobs[today(1)]?.state).toBe("running");
  });

  test("that is set and runs out gives neither a yes nor an answer, and the job continues", async () => {
    const { scene, run } = await running();
    const lapses = openExpiry({
      engine: scene.engine,
      clock: scene.clock,
      time: discordTime(scene.clock),
      log: scene.options.log,
      hasHeard: async () => true,
    });
    onTestFinished(() => lapses.close());
    scene.lapses = { permission: 60, plan: 120 };
    run.say(permission("r1"), plan("r2"), question("r3", "Which?"));
    await asked(scene, "r3");
    await scene.clock.advance(MINUTE - 1);
    expect(run.told).toEqual([]);
    await scene.clock.advance(1);
    expect(await run.tells(1)).toEqual([
      { kind: "deny", message: expect.stringContaining("did not answer in time") as string },
    ]);
    await scene.clock.advance(MINUTE);
    expect((await run.tells(2))[1]).toMatchObject({ kind: "reject" });
    await scene.clock.advance(MINUTE);
    expect((await asked(scene, "r3")).state).toBe("open");
    run.done();
    await scene.is(1, "success");
  });

  test.each([{ state: "lapsed" }, { state: "aborted" }, { state: "void", voided: "withdrawn" }] as const)(
    "or whatever else ends it as $state lets the agent do nothing, and says why",
    (end) => {
      const core = new Scene();
      core.question("q", ["Which?"]);
      const [open] = openDecisions(core.state);
      if (open === undefined) throw new Error("nothing was asked");
      const settled = { ...settledAs(open, end), answers: [{ places: [PERMISSION.once], words: null }] };
      for (const request of [permission("r1"), question("r2", "Which?")]) {
        expect(replyTo(request, bytesFor(request), settled)).toEqual({
          kind: "deny",
          message: expect.stringMatching(/^(The owner|Nobody)/) as string,
        });
      }
      expect(replyTo(plan("r3"), bytesFor(plan("r3")), settled)).toMatchObject({ kind: "reject" });
    },
  );

  test("in which the owner is asked does not count as the agent's silence, which begins anew after it", async () => {
    const { scene, run } = await running();
    run.quiet = true;
    await scene.clock.advance(SILENCE_MS - MINUTE);
    run.say(permission("r1"), permission("r2", "ls"));
    const [first, second] = [await asked(scene, "r1"), await asked(scene, "r2")];
    await scene.clock.advance(10 * SILENCE_MS);
    await press(scene, first, pick(PERMISSION.once));
    await run.tells(1);
    await scene.clock.advance(10 * SILENCE_MS);
    expect(run.stopped).toBe(false);
    await press(scene, second, pick(PERMISSION.deny));
    await run.tells(2);
    await scene.clock.advance(SILENCE_MS - 1);
    expect(run.stopped).toBe(false);
    await scene.clock.advance(1);
    expect(run.stopped).toBe(true);
    await scene.is(1, "failed");
    expect(scene.engine.state.jobs[today(1)]?.error_code).toBe("E_CLI_TIMEOUT");
  });
});

test("bytes that are not those of the digest that was pressed on are not run", async () => {
  const { scene, run } = await running();
  run.say(permission("r1"));
  const decision = await asked(scene, "r1");
  const { sha256 } = decision.subject!;
  // As if what stands in the journal were of other bytes than what is at hand.
  Object.assign(decision.subject!, { sha256: "0".repeat(64) });
  await scene.do({
    type: "answer",
    decision_id: decision.decision_id,
    question: 0,
    answer: pick(PERMISSION.once),
    sha256,
  });
  expect(await run.tells(1)).toMatchObject([no]);
});

test("several are open at once and are answered in any order, each to its own", async () => {
  const { scene, run } = await running();
  const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
  run.say(...ids.map((id) => permission(id, `echo ${id}`)));
  for (const [at, id] of ids.toReversed().entries()) {
    await press(scene, await asked(scene, id), pick(at % 2 === 0 ? PERMISSION.once : PERMISSION.deny));
    await run.tells(at + 1);
  }
  for (const [at, { id, reply }] of run.told.entries()) {
    expect(id).toBe(`r${19 - at}`);
    expect(reply).toMatchObject(at % 2 === 0 ? { kind: "allow", input: { command: `echo ${id}` } } : no);
  }
});
