import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Update } from "../../../src/agents/contract/updates.ts";
import { only, textOf } from "../stage.ts";
import { exitOf, linesOf, translate } from "./streams.ts";

const key = "f45b8baf-23aa-4a58-b48c-eb4127240979";
const init = { type: "init", timestamp: "2026-01-01T00:00:00.000Z", session_id: key, model: "m" };
const said = (content: string): object => ({ type: "message", role: "assistant", content, delta: true });
const done = { type: "result", timestamp: "2026-01-01T00:00:00.000Z", status: "success", stats: {} };
const failed = (message: string): object => ({ ...done, status: "error", error: { type: "unknown", message } });
const exit = (code: number): { code: number; signal: null; failure: null } => ({ code, signal: null, failure: null });

it.each([[{ a: 1 }], [12], [null], [undefined]])("an answer that is %j is no answer, so the job fails", (content) => {
  const lines = [
    { type: "init", session_id: "s1", model: "m" },
    { type: "message", role: "assistant", content, delta: true },
    { type: "result", status: "success", stats: {} },
  ];
  expect(translate(lines).ends).toMatchObject([{ outcome: "failed", code: "E_ADAPTER_PARSE" }]);
});

it.each([[{ a: 1 }], [5], [["a"]]])("a response that is %j is no answer either", (response) => {
  expect(translate([{ session_id: "s1", response, stats: {} }], { output: "json" }).ends).toMatchObject([
    { outcome: "failed", code: "E_ADAPTER_PARSE" },
  ]);
});

describe("a true stream", () => {
  it.each([
    ["new", "hello"],
    ["session-id", "x"],
    ["resume", 'HISTORY ["user:echo:hello","assistant:hello"]'],
    ["think", "thought: x"],
    ["after-kill-resume", 'HISTORY ["user:slow:40:250"]'],
  ])("of %s is one answer, its deltas exactly its result", (name, answer) => {
    const { updates, ends, unknown } = translate(linesOf(name));
    expect(ends).toMatchObject([{ outcome: "done" }]);
    expect(ends).toMatchObject([{ result: textOf(updates) }]);
    if (name !== "session-id") expect(textOf(updates)).toBe(answer);
    expect(unknown).toEqual([]);
    expect(only(updates, "session_key")).toHaveLength(1);
    expect(exitOf(name)).toBe(0);
  });

  it("of any kind leaves nothing that was not understood, and has at most one end", () => {
    const names =
      "after-kill-resume auto-edit badresume err400 err429 err500 new nosuchflag resume session-id sigterm-norelaunch sigterm-pgrp table think tool tool-denied tool-fail";
    for (const name of names.split(" ")) {
      const { ends, unknown } = translate(linesOf(name));
      expect([name, unknown]).toEqual([name, []]);
      expect(ends.length).toBe(
        ["badresume", "nosuchflag", "sigterm-norelaunch", "sigterm-pgrp"].includes(name) ? 0 : 1,
      );
    }
  });

  it("of a tool call shows what runs, what came of it, and both texts around it", () => {
    const { updates, ends } = translate(linesOf("tool"));
    expect(only(updates, "tool_started")).toMatchObject([{ name: "run_shell_command", title: "echo hi; ls /" }]);
    const [finished] = only(updates, "tool_finished");
    expect(finished).toMatchObject({ id: only(updates, "tool_started")[0]!.id, ok: true });
    expect(finished!.summary.startsWith("hi\nbin\nboot")).toBe(true);
    expect(textOf(updates).startsWith("Running a command.\n\nAFTER_TOOL {")).toBe(true);
    expect(ends).toMatchObject([{ outcome: "done", result: textOf(updates) }]);
  });

  it("of a failed command shows it as failed, though it says success", () => {
    const { updates } = translate(linesOf("tool-fail"));
    expect(linesOf("tool-fail").join("\n")).toContain('"status":"success","output":"Command exited with code: 3"');
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: false, summary: "Command exited with code: 3" }]);
  });

  it.each([
    ["err400", 400, "E_CLI_EXIT_NONZERO", undefined],
    ["err429", 429, "E_SERVICE_BUSY", true],
    ["err500", 500, "E_SERVICE_BUSY", true],
  ])(
    "of a model's failure (%s) is a failure with its status, and %s is no usage limit",
    (name, status, code, temporary) => {
      const { ends } = translate(linesOf(name), { stderr: linesOf(name, "err") });
      expect(ends).toMatchObject([{ outcome: "failed", code, details: { status } }]);
      const details = (ends[0] as { details: Record<string, unknown> }).details;
      expect(details["temporary"]).toBe(temporary);
      expect(details["reason"]).toContain(`mock error ${status}`);
      expect(exitOf(name)).toBe(status % 256);
    },
  );

  it("of retries tells each one when it is said, from stderr", () => {
    const texts = (name: string): string[] =>
      only(translate([], { stderr: linesOf(name, "err") }).updates, "notice").map(({ text }) => text);
    expect(texts("err429")).toEqual(["Attempt 1 failed with status 429. Retrying with backoff"]);
    expect(texts("err500")).toEqual(["Attempt 1 failed with status 500. Retrying with backoff"]);
    expect(texts("err400")).toEqual([]);
    expect(texts("new")).toEqual([]);
  });

  it.each(["sigterm-norelaunch", "sigterm-pgrp"])(
    "that was killed (%s) has no end, for all that it exits well",
    (name) => {
      const { updates, ends, translation } = translate(linesOf(name), { stderr: linesOf(name, "err") });
      expect(ends).toEqual([]);
      expect(exitOf(name)).toBe(0);
      expect(translation.ending(exit(0), linesOf(name, "err").join("\n"))).toBe(null);
      expect(only(updates, "session_key")).toHaveLength(1);
      expect(textOf(updates)).toMatch(/^chunk1 chunk2 /);
    },
  );

  it("of a session that is not there says so, and gives no key to store", () => {
    const resume = "11111111-2222-3333-4444-555555555555";
    const { updates, ends, translation } = translate(linesOf("badresume"), {
      resume,
      stderr: linesOf("badresume", "err"),
    });
    expect([updates, ends]).toEqual([[], []]);
    const end = translation.ending(exit(exitOf("badresume")), linesOf("badresume", "err").join("\n"));
    expect(end).toMatchObject({
      outcome: "failed",
      code: "E_RESUME_UNKNOWN",
      details: { resume: "unknown", session: resume },
    });
  });

  it("without a login names the command for the machine's terminal", () => {
    const words =
      "Please set an Auth method in your /home/me/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY";
    const end = translate([], { stderr: [words] }).translation.ending(exit(41), words);
    expect(end).toMatchObject({ outcome: "failed", code: "E_AGENT_LOGIN", details: { login: "gemini" } });
  });

  it("of an argument it does not know names that argument", () => {
    const { translation } = translate([], { stderr: linesOf("nosuchflag", "err") });
    const end = translation.ending(exit(exitOf("nosuchflag")), linesOf("nosuchflag", "err").join("\n"));
    expect(end).toMatchObject({
      code: "E_CLI_EXIT_NONZERO",
      details: { reason: "Unknown argument: nosuchflag", exit_code: 1 },
    });
  });

  it("of json is the same answer with the same key, whatever is printed around it", () => {
    const around = ["Loaded cached credentials.", ...linesOf("new-json"), "bye"];
    const { updates, ends } = translate(around, { output: "json" });
    expect(textOf(updates)).toBe("hello");
    expect(ends).toMatchObject([{ outcome: "done", result: "hello" }]);
    expect(only(updates, "session_key")).toEqual([
      { kind: "session_key", key: "72134c6f-457a-41a1-9975-e53a87d97cc9" },
    ]);
    expect(only(updates, "usage")[0]!.usage).toMatchObject({ input: 2268, output: 112, cacheRead: 200, model: "mock" });
  });

  it("of json that fails has its error on stderr, its key too where it went on from one, and is not called temporary", () => {
    const stderr = linesOf("json-err", "err");
    const { updates, translation } = translate([], { output: "json", stderr });
    expect(only(updates, "session_key")).toEqual([]);
    const resume = "77bdbabb-4f03-405c-8058-431f01c24ce3";
    expect(only(translate([], { output: "json", stderr, resume }).updates, "session_key")).toEqual([
      { kind: "session_key", key: resume },
    ]);
    const end = translation.ending(exit(exitOf("json-err")), stderr.join("\n"));
    expect(end).toMatchObject({ code: "E_CLI_EXIT_NONZERO", details: { status: 400, exit_code: 144 } });
    expect((end as { details: object }).details).not.toHaveProperty("temporary");
  });

  it("of usage counts this run alone", () => {
    for (const name of ["new", "resume"]) {
      const used = only(translate(linesOf(name)).updates, "usage").at(-1)!.usage;
      expect(used).toMatchObject({ cacheRead: expect.any(Number) as number, model: "mock" });
      expect([1, 2]).toContain((used.output ?? 0) / 56);
    }
  });

  it("cut after any of its lines gives the same updates until there", () => {
    const lines = linesOf("tool");
    const whole = translate(lines).updates;
    for (let many = 0; many <= lines.length; many += 1) {
      const { updates } = translate(lines.slice(0, many));
      expect(updates).toEqual(whole.slice(0, updates.length));
    }
  });

  it("with words between its lines is the same as without", () => {
    const noise = fc.oneof(
      fc.constantFrom(
        "Loaded cached credentials.",
        "Attempt 1 failed: quota. Retrying after 500ms...",
        "{",
        "}",
        "{broken}",
        "{ not: json }",
        "[]",
        "null",
        "data: {",
      ),
      fc.string({ unit: "binary" }).filter((text) => !text.includes("\n")),
    );
    for (const name of ["new", "tool", "err429", "table"]) {
      const lines = linesOf(name);
      const plain = translate(lines);
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(lines.length), noise), { maxLength: 12 }), (injected) => {
          const mixed = lines.flatMap((line, at) => [
            ...injected.filter(([place]) => place === at).map(([, text]) => text),
            line,
          ]);
          const heard = translate([
            ...mixed,
            ...injected.filter(([place]) => place === lines.length).map(([, text]) => text),
          ]);
          expect(heard.updates).toEqual(plain.updates);
          expect(heard.ends).toEqual(plain.ends);
        }),
      );
    }
  });
});

describe("a session key", () => {
  it("of init goes before any that is named later", () => {
    const { updates } = translate([init, { session_id: "another", response: "x" }]);
    expect(only(updates, "session_key")).toEqual([{ kind: "session_key", key }]);
  });

  it("is told with the model's first words: what failed before them was not kept, and could never be gone on with", () => {
    for (const name of ["err400", "err429", "err500"]) {
      expect(only(translate(linesOf(name)).updates, "session_key")).toEqual([]);
      expect(only(translate(linesOf(name), { resume: key }).updates, "session_key")).toHaveLength(1);
    }
    for (const first of [said("x"), { type: "tool_use", tool_name: "x", tool_id: "t" }, done]) {
      expect(only(translate([init, first]).updates, "session_key")).toEqual([{ kind: "session_key", key }]);
    }
  });

  it("that never comes makes a good end a failure: the next message would begin anew without a word", () => {
    expect(translate([said("x"), done]).ends).toMatchObject([
      { outcome: "failed", code: "E_ADAPTER_SESSION_KEY_MISSING" },
    ]);
    expect(translate([{ response: "x", session_id: "" }], { output: "json" }).ends).toMatchObject([
      { code: "E_ADAPTER_SESSION_KEY_MISSING" },
    ]);
  });

  it("of an odd form is not one", () => {
    for (const odd of ["--yolo", "../x", "a b", "x".repeat(65)]) {
      const { updates, unknown } = translate([{ ...init, session_id: odd }]);
      expect(only(updates, "session_key")).toEqual([]);
      expect(unknown).toEqual([["an unexpected session_id", 1]]);
    }
  });
});

describe("tools", () => {
  const use = (name: string, parameters: object): object => ({
    type: "tool_use",
    tool_name: name,
    tool_id: "t",
    parameters,
  });
  const result = (more: object): object => ({ type: "tool_result", tool_id: "t", status: "success", ...more });

  it.each([
    ["Command exited with code: 0", true],
    ["Command exited with code: 127", false],
    ["Command terminated by signal: 9", false],
    ["Command failed: spawn ENOENT", false],
    ["Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.", false],
    ["fine", true],
  ])("a command of which is said %j went well: %s", (output, ok) => {
    const { updates } = translate([init, use("run_shell_command", { command: "x" }), result({ output })]);
    expect(only(updates, "tool_finished")).toMatchObject([{ ok }]);
  });

  it("that a policy forbade are shown as denied", () => {
    const error = { type: "policy_violation", message: "Tool execution denied by policy." };
    const { updates } = translate([init, use("write_file", { file_path: "/x" }), result({ status: "error", error })]);
    expect(only(updates, "denied")).toEqual([
      { kind: "denied", tool: "write_file", id: "t", reason: "Tool execution denied by policy." },
    ]);
    expect(only(updates, "tool_finished")).toMatchObject([{ ok: false }]);
  });

  it.each([
    ["write_file", 1],
    ["replace", 1],
    ["run_shell_command", 0],
  ])("a call of %s, which is not there, is denied: %i", (name, count) => {
    const error = { type: "tool_not_registered", message: `Tool "${name}" not found.` };
    const { updates } = translate([init, use(name, { file_path: "/x" }), result({ status: "error", error })]);
    expect(only(updates, "denied")).toHaveLength(count);
  });

  it("that write down a plan tell it whole", () => {
    const todos = [
      { description: "A", status: "completed" },
      { description: "B", status: "in_progress" },
      { description: "C", status: "cancelled" },
      { description: "D" },
    ];
    expect(only(translate([init, use("write_todos", { todos })]).updates, "plan")).toEqual([
      {
        kind: "plan",
        entries: [
          { text: "A", state: "done" },
          { text: "B", state: "active" },
          { text: "D", state: "pending" },
        ],
      },
    ]);
  });
});

describe("a usage limit", () => {
  const at = Date.parse(done.timestamp);

  it.each([
    ["You have exhausted your capacity on this model. Your quota will reset after 2h29m39s.", at + 8_979_000],
    ["You have exhausted your daily quota on this model.", undefined],
    [
      "Quota exceeded for quota metric 'Requests' and limit 'Requests per day per user per tier' of service 'x'.",
      undefined,
    ],
    ["Resource exhausted. Please retry in 4000.5s.", at + 4_000_500],
    ["Resource exhausted.\nSuggested retry after 1d2h.", at + 93_600_000],
  ])("is read from %j", (words, resetsAt) => {
    const { ends } = translate([init, failed(`[API Error: ${words}]`)]);
    expect(ends).toMatchObject([{ outcome: "failed", code: "E_USAGE_LIMIT" }]);
    const details = (ends[0] as { details: Record<string, unknown> }).details;
    expect(details["resets_at"]).toBe(resetsAt);
    expect(details).not.toHaveProperty("temporary");
  });

  it.each([
    "You have exhausted your capacity on this model. Your quota will reset after 0s.",
    "Resource exhausted. Please retry in 12s.",
    "mock error 429 RESOURCE_EXHAUSTED",
  ])("is not what passes by itself: %j", (words) => {
    const { ends } = translate([init, failed(words)], {
      stderr: ["Attempt 1 failed with status 429. Retrying with backoff..."],
    });
    expect(ends).toMatchObject([{ code: "E_SERVICE_BUSY", details: { status: 429, temporary: true } }]);
  });

  it.each([
    ["API key not valid. Please pass a valid API key.", "E_AGENT_LOGIN"],
    ["The input token count (1200000) exceeds the maximum number of tokens allowed.", "E_CONVERSATION_FULL"],
    ['{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta"}}', "E_MODEL_UNAVAILABLE"],
  ])("is not for %j, which is %s", (words, code) => {
    expect(translate([init, failed(words)], { stderr: [] }).ends).toMatchObject([{ code }]);
  });

  it("ends a run that would sleep until it lifts, and a short wait does not", () => {
    const wait = (reset: string, ms: number): string =>
      `Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after ${reset}.. Retrying after ${ms}ms...`;
    const { updates } = translate([init], { stderr: [wait("2h", 7_300_000)] });
    expect(updates.slice(0, 1)).toMatchObject([
      { kind: "end", outcome: "failed", code: "E_USAGE_LIMIT", details: { resets_at: at + 7_200_000 } },
    ]);
    const short = translate([init], { stderr: [wait("5s", 6173)] });
    expect(short.updates[0]).toMatchObject({ kind: "notice", code: "model_retry" });
  });

  it("in json says that nobody saw whether a tool ran", () => {
    const answer = { session_id: key, error: { message: "Your quota will reset after 1h.", code: 429 } };
    const { ends } = translate(JSON.stringify(answer, null, 2).split("\n"), { output: "json" });
    expect(ends).toMatchObject([{ code: "E_USAGE_LIMIT", details: { tools: "unknown" } }]);
    expect(
      (translate([init, failed("Your quota will reset after 1h.")]).ends[0] as { details: object }).details,
    ).not.toHaveProperty("tools");
  });

  it.each([
    "fetch failed",
    "read ECONNRESET",
    "The model is overloaded. Please try again later.",
    '{"error":{"code":503,"status":"UNAVAILABLE"}}',
  ])("%j is temporary", (words) => {
    expect(translate([init, failed(`[API Error: ${words}]`)]).ends).toMatchObject([{ details: { temporary: true } }]);
  });
});

describe("an end", () => {
  it("without words of its own has those of the error before it", () => {
    const remark = { type: "error", severity: "error", message: "The model returned an empty response." };
    const { updates, ends } = translate([init, remark, { ...done, status: "error" }]);
    expect(only(updates, "notice")).toEqual([
      { kind: "notice", code: "told", text: "The model returned an empty response." },
    ]);
    expect(ends).toMatchObject([{ outcome: "failed", details: { reason: "The model returned an empty response." } }]);
  });

  it("that was cancelled is none of an answer", () => {
    expect(translate([init, failed("Operation cancelled.")]).ends).toMatchObject([{ outcome: "failed" }]);
  });

  it("of json that was cut off is not taken for a good one", () => {
    const { ends, translation } = translate(["{", '  "session_id": "x",'], { output: "json" });
    expect(ends).toEqual([]);
    expect(translation.ending(exit(0), "")).toMatchObject({ code: "E_ADAPTER_PARSE" });
  });
});

it("the answer is for any pieces and tools between exactly what was streamed", () => {
  const tool = [
    { type: "tool_use", tool_name: "x", tool_id: "t", parameters: {} },
    { type: "tool_result", tool_id: "t", status: "success" },
  ];
  const step = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => [said(text)]),
    fc.constant(tool),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { updates, ends } = translate([init, ...steps.flat(), done]);
      expect(ends).toMatchObject([{ outcome: "done", result: textOf(updates) }]);
    }),
  );
});

it("a line of any form never throws, and never gives a key of an odd form", () => {
  const line = fc.record(
    {
      type: fc.constantFrom("init", "message", "tool_use", "tool_result", "error", "result", "novelty"),
      session_id: fc.oneof(fc.string(), fc.constant("--yolo"), fc.integer()),
      role: fc.constantFrom("assistant", "user"),
      content: fc.anything(),
      tool_id: fc.anything(),
      tool_name: fc.anything(),
      parameters: fc.anything(),
      status: fc.constantFrom("success", "error"),
      error: fc.anything(),
      stats: fc.anything(),
      response: fc.anything(),
      warnings: fc.anything(),
    },
    { requiredKeys: [] },
  );
  const keys = (updates: Update[]): string[] => only(updates, "session_key").map((update) => update.key);
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      for (const output of ["stream-json", "json"] as const) {
        for (const one of keys(translate(lines, { output }).updates)) expect(one).toMatch(/^[A-Za-z0-9][\w.-]{0,63}$/);
      }
    }),
    { numRuns: process.env["BELLHOP_TEST_LONG"] ? 3_000 : 200 },
  );
}, 300_000);
