/** The real claude-agent-acp, at the driver. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BenchOptions, claudeEnvironment, onFirst, openBench, programOf } from "../bench.ts";
import { only, textOf } from "../stage.ts";
import { actsIn, asksAnyway, driverOf, goesOn, keepsTheContract, tellsCosts } from "./acp-bench.ts";

const options: BenchOptions = {
  driver: driverOf(["claude-agent-acp"]),
  env: claudeEnvironment,
  passEnv: [],
};

const bench = await openBench(options);

describe("claude-agent-acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({
      found: true,
      path: programOf("claude-agent-acp"),
      version: "0.100.0",
      tried: true,
    });
  });

  keepsTheContract(bench, { isAdapter: true, cut: { outcome: "done" } });

  goesOn(bench);
  tellsCosts(bench);

  it("asks, and is told what its owner chose", async () => {
    const { updates } = await bench.ask("ask:", {
      on: onFirst(
        "question",
        (run) => void run.answer("acp-1", { kind: "answers", answers: { "Which colour?": "Blue" } }),
      ),
    });
    expect(only(updates, "question")).toMatchObject([
      { questions: [{ question: "Which colour?", words: true, options: [{ label: "Red" }, { label: "Blue" }] }] },
    ]);
    expect(textOf(updates)).toContain("Blue");
  });

  describe("with several questions", () => {
    const options = (...labels: string[]): object[] => labels.map((label) => ({ label, description: "" }));
    const questions = [
      { question: "Which colours?", header: "Colours", multiSelect: true, options: options("Red", "Blue", "Green") },
      { question: "Which size?", header: "Size", multiSelect: false, options: options("Small", "Large") },
    ];
    const prompt = `call:AskUserQuestion:${JSON.stringify({ questions })}`;

    it("takes several of the options, and the owner's own words", async () => {
      const answers = { "Which colours?": "Red, Blue", "Which size?": "as wide as a door" };
      const { updates, end } = await bench.ask(prompt, {
        on: onFirst("question", (run) => void run.answer("acp-1", { kind: "answers", answers })),
      });
      expect(only(updates, "question")).toMatchObject([
        {
          questions: [
            { question: "Which colours?", multiple: true, words: true },
            { question: "Which size?", multiple: false, words: true },
          ],
        },
      ]);
      expect(textOf(updates).replaceAll("\\", "")).toContain('"Which colours?"="Red, Blue"');
      expect(textOf(updates)).toContain("as wide as a door");
      expect(end).toMatchObject({ outcome: "done" });
    });

    it.each(["decline", "cancel"] as const)(
      "goes on without an answer when its owner will not give one (%s)",
      async (how) => {
        const { updates, end } = await bench.ask(prompt, {
          on: onFirst("question", (run) => void run.answer("acp-1", { kind: "declined", how })),
        });
        expect(only(updates, "question")).toHaveLength(1);
        expect(textOf(updates)).not.toContain('="');
        expect(end).toMatchObject({ outcome: "done" });
      },
    );
  });

  it("says that it changes a file", async () => {
    const file_path = join(bench.project, "known.txt");
    await writeFile(file_path, "one\ntwo\n");
    const edit = { file_path, old_string: "two", new_string: "TWO" };
    const { updates } = await bench.ask(
      `calls:${JSON.stringify([
        { name: "Read", input: { file_path } },
        { name: "Edit", input: edit },
      ])}`,
      { on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })) },
    );
    expect(actsIn(updates, bench.project)).toEqual([{ verb: "change", object: "known.txt" }]);
  });

  it("edits a file only once exactly that was shown and allowed", async () => {
    const { updates } = await bench.ask(
      `call:Write:${JSON.stringify({ file_path: join(bench.project, "made.txt"), content: "the whole text" })}`,
      { on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })) },
    );
    expect(JSON.stringify(only(updates, "permission")[0]?.input)).toContain("the whole text");
    expect(actsIn(updates, bench.project)).toEqual([{ verb: "write", object: "made.txt" }]);
    expect(await readFile(join(bench.project, "made.txt"), "utf8")).toBe("the whole text");
  });

  it("may edit unasked where its owner's arguments say so", async () => {
    const { updates } = await bench.ask(
      `call:Write:${JSON.stringify({ file_path: join(bench.project, "unasked"), content: "x" })}`,
      { args: ["--permission-mode", "acceptEdits"] },
    );
    expect(only(updates, "mode")).toEqual([{ kind: "mode", mode: "acceptEdits", by: "config" }]);
    expect(only(updates, "permission")).toEqual([]);
    expect(await readFile(join(bench.project, "unasked"), "utf8")).toBe("x");
  });
});

describe.each(["acceptEdits", "auto", "bypassPermissions"])(
  "claude-agent-acp whose owner prefers %s",
  async (defaultMode) => {
    const own = await openBench({
      ...options,
      async prepare(_, home) {
        await mkdir(join(home, ".claude"));
        await writeFile(
          join(home, ".claude", "settings.json"),
          JSON.stringify({ permissions: { defaultMode }, skipDangerousModePermissionPrompt: true }),
        );
      },
    });
    asksAnyway(own, `call:Write:${JSON.stringify({ file_path: join(own.project, "by-settings"), content: "x" })}`);
  },
);

describe("a plan", () => {
  it("is shown as it is, and approved: the agent leaves its planning for a mode in which it asks", async () => {
    const { updates, end } = await bench.ask('call:ExitPlanMode:{"plan":"# Plan\\n1. Do A"}', {
      args: ["--permission-mode", "plan"],
      on: onFirst("plan_approval", (run) => void run.answer("acp-1", { kind: "approve", input: {} })),
    });
    expect(only(updates, "plan_approval")).toMatchObject([{ input: { plan: "# Plan\n1. Do A" } }]);
    expect(only(updates, "mode").map(({ mode, by }) => [mode, by])).toEqual([
      ["plan", "config"],
      ["default", "agent"],
    ]);
    expect(end).toMatchObject({ outcome: "done", result: expect.stringContaining("User has approved") as string });
  });
});
