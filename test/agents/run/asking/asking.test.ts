/** What an agent asks of its owner: kept, asked, settled and told to the agent, once; and no way but a yes is one. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PERMISSION, PLAN } from "../../../../src/core/decisions/may-answer.ts";
import { isDelivered } from "../../../core/scene.ts";
import { digestOf } from "../../../../src/host/files/kept-files.ts";
import {
  asked,
  permission,
  pick,
  plan,
  press,
  question,
  running,
  shown,
  told,
  typesOf,
  words,
} from "./asking-scene.ts";
import { today } from "../runner-scene.ts";

describe("a permission", () => {
  test("is asked with its exact bytes on the disk before, whole, in the owner's language, and with our own options", async () => {
    const { scene, run } = await running();
    const disk = Promise.withResolvers<void>();
    const { write } = scene.options.decisionFiles;
    scene.options.decisionFiles.write = async (id, bytes) => {
      await disk.promise;
      return write(id, bytes);
    };
    scene.options.locale = "ko";
    await scene.hear("second");
    run.say(permission("r1"));
    await scene.clock.settle();
    expect(typesOf(scene)).not.toContain("DecisionAsked");
    disk.resolve();
    const { decision_id, subject, kind, questions, asker, lapses_at } = await asked(scene, "r1");
    const bytes = scene.decided.get(decision_id) ?? "";
    expect(JSON.parse(bytes)).toEqual({ tool: "Bash", input: { command: "rm -rf build" } });
    expect(subject).toEqual({
      tool: "Bash",
      title: "rm -rf build",
      rules: true,
      act: { verb: "run", object: "rm -rf build" },
      sha256: digestOf(bytes),
      pages: 1,
      grant_until: "2026-03-02T12:00:00.000Z",
    });
    expect(questions[0]?.question).toBe("claude wants to run rm -rf build");
    expect({ kind, asker, lapses_at }).toEqual({
      kind: "permission",
      asker: { by: "job", job_id: today(1), request_id: "r1" },
      lapses_at: null,
    });
    expect(questions[0]?.options.map(({ label }) => label)).toHaveLength(3);
    expect(decision_id).toMatch(/^dec_20260301_[0-9a-f]{32}$/);
  });

  test("allowed once is told with what was shown, and its delivery is written down", async () => {
    expect(await told(permission("r1"), pick(PERMISSION.once))).toEqual({
      kind: "allow",
      input: { command: "rm -rf build" },
    });
  });

  test("denied says so, with the owner's reason where he gave one", async () => {
    expect(await told(permission("r1"), pick(PERMISSION.deny))).toEqual({
      kind: "deny",
      message: expect.stringMatching(/did not allow this/) as string,
    });
    const reason = { places: [PERMISSION.deny], words: "it is still needed" };
    expect(await told(permission("r1"), reason)).toEqual({
      kind: "deny",
      message: expect.stringMatching(/The owner says: it is still needed$/) as string,
    });
  });

  test("for the session lets the very same pass unasked, and nothing that differs by a character or a tool", async () => {
    const { scene, run } = await running();
    run.say(permission("r1"));
    await press(scene, await asked(scene, "r1"), pick(PERMISSION.session));
    run.say(permission("r2"), permission("r3", "rm -rf build "), permission("r4", "rm -rf build", "Shell"));
    expect(await run.tells(2)).toEqual(["r1", "r2"].map(() => ({ kind: "allow", input: { command: "rm -rf build" } })));
    expect(run.told.map(({ id }) => id)).toEqual(["r1", "r2"]);
    expect(await asked(scene, "r2")).toMatchObject({ settled_by: "grant" });
    expect([(await asked(scene, "r3")).state, (await asked(scene, "r4")).state]).toEqual(["open", "open"]);
    await scene.clock.settle();
    expect(run.told).toHaveLength(2);
  });

  test("of any input is allowed with exactly that input", async () => {
    const { scene, run } = await running();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
        fc.string({ unit: "binary", minLength: 1 }),
        async (value, tool) => {
          count += 1;
          const input = JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
          run.say({ ...permission(`r${count}`, "x", tool), input });
          const decision = await asked(scene, `r${count}`);
          for (let page = 2; page <= (decision.subject?.pages ?? 0); page += 1)
            await scene.do({ type: "see_page", decision_id: decision.decision_id, page });
          await press(scene, decision, pick(PERMISSION.once));
          const replies = await run.tells(count);
          expect(replies.at(-1)).toEqual({ kind: "allow", input });
          expect(digestOf(scene.decided.get(decision.decision_id) ?? "")).toBe(decision.subject?.sha256);
        },
      ),
      { numRuns: process.env["BELLHOP_TEST_LONG"] ? 1_000 : 60 },
    );
  });

  test.each([
    ["of 7.8 million characters that nobody can see", "\x7f".repeat(7_800_000), "bytes"],
    ["whose pages would be a file that Discord does not take", "\x7f".repeat(950_000), "pages"],
  ])(
    "%s is refused before anything is made of it, with a reason, and its thread says so",
    async (_what, command, of) => {
      const { scene, run } = await running();
      const made: string[] = [];
      scene.options.redactor = {
        ...scene.options.redactor,
        redactText: (one) => one,
        value: (one) => (made.push("redacted"), one),
        fingerprint: () => "",
      };
      scene.options.decisionFiles.write = async () => (made.push("written"), "");
      run.say({ ...permission("r1"), title: "a long one", input: { command } });
      expect(await run.tells(1)).toMatchObject([
        { kind: "deny", message: expect.stringMatching(/too long to show to the owner .*Split it/) as string },
      ]);
      expect(made).toEqual([]);
      expect(await asked(scene, "r1")).toMatchObject({
        state: "void",
        voided: "too_long",
        excess: { of },
        subject: { tool: "Bash", title: "a long one" },
      });
      await scene.engine.until(({ decisions }) => isDelivered(Object.values(decisions)[0]));
      expect(typesOf(scene).slice(-3)).toEqual(["DecisionAsked", "DecisionVoided", "AnswerDelivered"]);
    },
  );

  test("that mixes scripts in its command names the word, and one that does not has none", async () => {
    const { scene, run } = await running();
    run.say(permission("r1", "c\u0430t notes.txt"), permission("r2", "cat notes.txt"));
    expect((await asked(scene, "r1")).subject?.mixed).toEqual([
      { word: "c\u0430t", scripts: ["Latn", "Cyrl"], letters: [{ at: 2, code: 0x430 }] },
    ]);
    expect((await asked(scene, "r2")).subject?.mixed).toBeUndefined();
  });

  test("that holds a secret is shown with a mark in its place, and, allowed, runs as the agent made it", async () => {
    const { scene, run } = await running();
    run.say(permission("r1", "curl -d SECRET http://somewhere"));
    const decision = await asked(scene, "r1");
    expect(JSON.parse(scene.decided.get(decision.decision_id) ?? "")).toEqual({
      tool: "Bash",
      input: { command: "curl -d *** http://somewhere" },
    });
    expect(decision.subject).toMatchObject({
      title: "curl -d *** http://somewhere",
      exact: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    await press(scene, decision, pick(PERMISSION.once));
    expect(await run.tells(1)).toEqual([{ kind: "allow", input: { command: "curl -d SECRET http://somewhere" } }]);
    expect(JSON.stringify([scene.events, [...scene.decided]])).not.toContain("SECRET");
  });

  test("that holds a secret and is allowed for the session allows exactly that again, and nothing that only looks the same", async () => {
    const { scene, run } = await running();
    run.say(permission("r1", "echo SECRET"));
    await press(scene, await asked(scene, "r1"), pick(PERMISSION.session));
    run.say(permission("r2", "echo SECRET"));
    expect(await run.tells(2)).toMatchObject([{ kind: "allow" }, { kind: "allow" }]);
    run.say(permission("r3", "echo ***"));
    expect((await asked(scene, "r3")).state).toBe("open");
  });

  test("that cannot be kept on the disk is refused, and the job continues", async () => {
    const { scene, run } = await running();
    scene.options.decisionFiles.write = () => Promise.reject(new Error("ENOSPC"));
    await scene.hear("next");
    run.say(permission("r1"));
    expect(await run.tells(1)).toMatchObject([{ kind: "deny" }]);
    expect(typesOf(scene)).not.toContain("DecisionAsked");
    expect(scene.failures).toHaveLength(1);
    run.done();
    await scene.is(1, "success");
  });
});

describe("a question", () => {
  test("is answered by the question's own text with the labels as the agent wrote them", async () => {
    expect(await told(question("r1", "Which?"), pick(1))).toEqual({ kind: "answers", answers: { "Which?": "Blue" } });
  });

  test("of several is answered when the last one is, each with its own: one, many, or in the owner's words", async () => {
    const reply = await told(
      question("r1", "Which?", "Which others?*", "Why?"),
      pick(0),
      { places: [0, 1], words: null },
      words("because, I say"),
    );
    expect(reply).toEqual({
      kind: "answers",
      answers: { "Which?": "Red", "Which others?*": "Red, Blue", "Why?": "because, I say" },
    });
  });

  test("with a secret in it is asked without it, and answered under the text that the agent knows", async () => {
    const { scene, run } = await running();
    run.say(question("r1", "Is SECRET right?"));
    const decision = await asked(scene, "r1");
    expect(decision.questions[0]?.question).toBe("Is *** right?");
    await press(scene, decision, pick(0));
    expect(await run.tells(1)).toEqual([{ kind: "answers", answers: { "Is SECRET right?": "Red" } }]);
  });

  test("typed in the thread settles it as well", async () => {
    const { scene, run } = await running();
    run.say(question("r1", "Which?"));
    await shown(scene, await asked(scene, "r1"));
    await scene.hear("blue");
    expect(await run.tells(1)).toEqual([{ kind: "answers", answers: { "Which?": "Blue" } }]);
  });

  test("too long for any prompt, or not fit for a journal, is refused and does no harm", async () => {
    const { scene, run } = await running();
    run.say(question("r1", "x".repeat(70_000)));
    expect(await run.tells(1)).toMatchObject([
      { kind: "deny", message: expect.stringContaining("too long") as string },
    ]);
    run.say(question("r2", "half a character \ud83d?"));
    await press(scene, await asked(scene, "r2"), pick(0));
    expect((await run.tells(2))[1]).toEqual({ kind: "answers", answers: { "half a character \ud83d?": "Red" } });
  });

  test("that was asked again in vain has no answer, and the agent is told that", async () => {
    const { scene, run } = await running();
    run.say(question("r1", "Which?"));
    await shown(scene, await asked(scene, "r1"));
    for (const text of ["hm?", "hm?", "hm?"]) await scene.hear(text);
    expect(await run.tells(1)).toEqual([
      { kind: "deny", message: expect.stringContaining("could not be understood") as string },
    ]);
    expect((await asked(scene, "r1")).state).toBe("aborted");
    expect(scene.engine.state.jobs[today(1)]?.state).toBe("running");
  });
});

describe("a plan", () => {
  test("is approved, or rejected with what the owner said of it", async () => {
    expect(await told(plan("r1"), pick(PLAN.approve))).toEqual({ kind: "approve", input: { plan: "# Plan\n1. Do A" } });
    expect(await told(plan("r1"), pick(PLAN.reject))).toEqual({
      kind: "reject",
      message: expect.stringContaining("did not approve") as string,
    });
    const reply = await told(plan("r1"), { places: [PLAN.reject], words: "smaller steps" });
    expect(reply).toEqual({
      kind: "reject",
      message: expect.stringMatching(/The owner says: smaller steps$/) as string,
    });
  });
});
