import { describe, expect, test } from "vitest";
import { errors, type ErrorCode } from "../../../../src/base/errors.ts";
import { say } from "../../../../src/base/words/say.ts";
import type { Body } from "../../../../src/discord/views/message.ts";
import { job, message, Scene, T1 } from "../../../core/scene.ts";
import { buttons, content, description, of, running, view } from "../../seen.ts";

describe("a job that a crash cut off", () => {
  function crashed(isMarked = true): Scene {
    const scene = running();
    for (const number of [2, 3]) scene.hear(T1, message(number));
    scene.do({
      type: "progress",
      job_id: job(1),
      progress: { kind: "tool", name: "Bash", title: "npm test", ok: true },
    });
    scene.post(job(1), "5", "answer:0");
    scene.post(job(1), "6", "answer:1");
    scene.do({ type: "restart" });
    // Nothing was posted without a record.
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "unrecorded",
      channel_id: T1,
      message_id: null,
      hash: "",
      is: "said",
    });
    if (isMarked)
      scene.do({
        type: "record_post",
        subject: job(1),
        part: "answer:1",
        channel_id: T1,
        message_id: "6",
        hash: "h",
        is: "interrupted",
      });
    return scene;
  }

  test("says what is known, that nothing runs again by itself, and how many wait", () => {
    const end = of(view(crashed()), "end");
    expect(description(end)).toContain("won't rerun it without you");
    expect(description(end)).toContain("✓ Bash `npm test`");
    expect(description(end)).toContain("Waiting in this thread: 2.");
    expect(buttons(end)).toEqual([`retry:${job(1)}`, `continue:${job(1)}`, `discard:${job(1)}`]);
  });

  test("keeps what had been said, its last message marked as cut off", () => {
    const answers = view(crashed(false)).filter(({ part }) => part.startsWith("answer"));
    expect(answers.map(({ part, want }) => [part, want])).toEqual([
      ["answer:1", { kind: "interrupted", line: "-# Cut off here because Bellhop or its machine stopped." }],
    ]);
  });

  test.each([
    ["Retry", (scene: Scene) => scene.do({ type: "retry", job_id: job(1) }), job(4)],
    ["Continue", (scene: Scene) => scene.do({ type: "continue", job_id: job(1) }), `Continued as \`${job(4)}\``],
    ["Discard", (scene: Scene) => scene.do({ type: "discard", job_id: job(1) }), "discarded"],
    [
      "the next message",
      (scene: Scene) => [scene.post(job(1), message(5)), scene.hear(T1, message(6))],
      "wrote your next message",
    ],
  ])("settled by %s it has no buttons and says who settled it", (_by, settle, says) => {
    const scene = crashed();
    settle(scene);
    const end = view(scene).find(({ subject, part }) => subject === job(1) && part === "end");
    expect(end && buttons(end)).toEqual([]);
    expect(end && description(end)).toContain(says);
  });

  describe("tells what it changed", () => {
    const evidence = (
      changes: { files: number; added: number; removed: number; patch: string | null } | null,
      stat: string | null = null,
    ): string => {
      const scene = crashed();
      if (changes) scene.learn(job(1), { kind: "changes", changes, stat });
      return description(of(view(scene), "end"));
    };
    const some = { files: 2, added: 1200, removed: 3, patch: null };

    test("as git draws it, or that it is nothing, or not known", () => {
      expect(evidence(some, " a.ts | 3 ++-\n b.ts | 1 +\n 2 files changed, 1200 insertions(+)")).toContain(
        "since it started: **+1,200 −3 in 2 files**.\n```\na.ts | 3 ++-\nb.ts | 1 +\n```\n",
      );
      expect(evidence({ ...some, files: 0 })).toContain("Nothing in its directory has changed since it started.");
      expect(evidence(null)).toContain("Bellhop can't tell what it changed in its directory.");
    });

    test("whole lines of it, however many, and no name ends the block it stands in", () => {
      const lines = Array.from({ length: 60 }, (_, n) => ` ${"x".repeat(50)}${n}\u001b[31m\`\`\` | 1 +`);
      const [, drawn = ""] = /```\n(.*)\n```/s.exec(evidence(some, [...lines, " sum"].join("\n"))) ?? [];
      expect(drawn).not.toMatch(/`|\u001b/);
      expect(drawn.length).toBeLessThan(1500);
      const shown = drawn.split("\n");
      expect(shown.pop()).toBe("…");
      expect(shown.every((line) => line.endsWith("| 1 +"))).toBe(true);
    });

    test("with the threads that worked there too, and the patch still fits", () => {
      const scene = crashed();
      const beside = Array.from({ length: 7 }, (_, n) => `10000000000000002${n}`);
      scene.learn(job(1), { kind: "changes", changes: { ...some, beside }, stat: null });
      const owed = view(scene, { patch: () => Buffer.from(`+${"x".repeat(1_400)}\n`) });
      const links = beside.slice(0, 5).map((id) => `<#${id}>`);
      const named = `These changes are from this session and from ${links.join(", ")}, …, which worked in this directory`;
      expect(description(of(owed, "end"))).toContain(named);
      expect(content(of(owed, "patch"))).toMatch(/👥 These changes .* at the same time\.\n```diff\n\+x/);
      for (const length of [1_400, 1_600, 1_699])
        expect(
          content(of(view(scene, { patch: () => Buffer.from(`+${"x".repeat(length)}\n`) }), "patch")).length,
        ).toBeLessThanOrEqual(2000);
    });

    test("with the whole patch below it: a small one as it is, else a file, or where it lies if Discord does not take it", () => {
      const patch = (text: string | Buffer, max_file_bytes = 10_000): Body => {
        const { want } = of(
          view(crashed(), { patch: () => Buffer.from(text), config: { long_answers: "file", max_file_bytes } }),
          "patch",
        );
        if (want.kind !== "show") throw new Error(want.kind);
        return want.body;
      };
      const line = `-# Everything that changed while \`${job(1)}\` was running:`;
      expect(patch("-a\n+b \u202e\n")).toMatchObject({ content: `${line}\n\`\`\`diff\n-a\n+b ⟨U+202E RLO⟩\n\`\`\`` });
      expect(patch("-a\n+b\n").files).toBeUndefined();
      const git =
        "diff --git a/a b/a\nindex 936b788e8be576eb3b..a25a33005b3050078f 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-a\n+index 1..2\n \n";
      expect(patch(git).content).toBe(
        `${line}\n\`\`\`diff\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-a\n+index 1..2\n\n\`\`\``,
      );
      expect(patch("+a\n".repeat(40)).files).toBeUndefined();
      for (const whole of ["+a\n".repeat(41), `+${"x".repeat(1700)}`, Buffer.from([0x2b, 0xff])]) {
        expect(patch(whole)).toMatchObject({
          content: line,
          files: [{ name: `${job(1)}.patch`, bytes: Buffer.from(whole) }],
        });
      }
      expect(patch("+`" + "``\n").content.match(/```/g)).toHaveLength(2);
      expect(patch("+a\n".repeat(41), 100).content).toContain(`\`results/${job(1)}.patch\``);
      expect(patch("+a\n".repeat(41), 100).files).toBeUndefined();
      expect(view(crashed()).map(({ part }) => part)).not.toContain("patch");
    });
  });

  test("where the queue went on by itself it can still be taken up again, and there is nothing to discard", () => {
    const scene = new Scene({ after_crash: "go_on" }).withSessions(T1);
    scene.hear(T1, message(1));
    scene.do({ type: "restart" });
    // Nothing was posted without a record.
    scene.do({
      type: "record_post",
      subject: job(1),
      part: "unrecorded",
      channel_id: T1,
      message_id: null,
      hash: "",
      is: "said",
    });
    expect(buttons(of(view(scene), "end"))).toEqual([`retry:${job(1)}`, `continue:${job(1)}`]);
    expect(description(of(view(scene), "end"))).toContain("The queue continued without it.");
  });
});

test.each(Object.entries(errors).map(([code, { retry }]) => [code as ErrorCode, retry] as const))(
  "a job that failed with %s has Retry: %s",
  (code, retry) => {
    const scene = running();
    scene.do({
      type: "fail",
      job_id: job(1),
      code,
      details: {},
      result_excerpt: null,
      result_sha256: null,
      model: null,
      usage: null,
    });
    expect(buttons(of(view(scene), "end")).includes(`retry:${job(1)}`)).toBe(retry);
    // What the sentence tells its reader to do can be done.
    if (/\bretry\b/i.test(say("en", code))) expect(retry).toBe(true);
  },
);

test.each(["E_WORKTREE_GONE", "E_PROMPT_IS_COMMAND", "E_ATTACHMENT_CHANGED"] as const)(
  "%s would only come again",
  (code) => {
    expect(errors[code].retry).toBe(false);
  },
);
