/**
 * A job in the terminal: what it says as it comes, what it does on lines of their own. Whatever an agent writes and
 * however it comes in pieces, a terminal is only shown text.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { programText } from "../../../src/base/terminal-text.ts";
import { say, sayState, type Locale } from "../../../src/base/words/say.ts";
import { TailView, TerminalText } from "../../../src/cli/tail.ts";
import type { TailEnd, TailPart } from "../../../src/ipc/tail.ts";

const ids = { job_id: "job_20260226_0001", thread_id: "123456789012345678" };
const begin: TailPart = { kind: "job", ...ids, tool: "claude", state: "running", tools: [] };
const success: TailEnd = {
  job_id: ids.job_id,
  state: "success",
  error_code: null,
  finished_at: null,
  result_excerpt: "the answer",
};

function shown(parts: readonly TailPart[], end: TailEnd = success, locale: Locale = "en"): string {
  let out = "";
  const view = new TailView(locale, (text) => (out += text));
  for (const part of parts) view.show(part);
  view.showEnd(end);
  return out;
}

test("words flow on, and everything else is on a line of its own", () => {
  const out = shown([
    begin,
    { kind: "text", ...ids, delta: "I will " },
    { kind: "text", ...ids, delta: "look." },
    { kind: "tool_started", ...ids, id: "t1", name: "Bash", title: "ls\u001b[31m -l\nrm" },
    { kind: "tool_ended", ...ids, id: "t1", ok: true },
    { kind: "denied", ...ids, tool: "Write", reason: "not allowed here" },
    {
      kind: "plan",
      ...ids,
      entries: [
        { text: "one", state: "done" },
        { text: "two", state: "active" },
      ],
    },
    { kind: "notice", ...ids, code: "told", text: "a remark" },
    { kind: "text", ...ids, delta: "Done.\n" },
  ]);
  expect(out).toBe(
    [
      "job_20260226_0001, claude, thread 123456789012345678: running",
      "",
      "I will look.",
      "▸ Bash: ls⟨U+001B⟩[31m -l rm",
      "✓ Bash: ls⟨U+001B⟩[31m -l rm",
      "✗ Write was not allowed: “not allowed here”",
      "☑ one",
      "▶ two",
      "· a remark",
      "Done.",
      "",
      "job_20260226_0001: success",
      "",
    ].join("\n"),
  );
});

test("one that has ended shows the beginning of its answer; one that failed says why, with one empty line between", () => {
  expect(shown([{ ...begin, state: "success" }])).toMatch(/: success\n\nthe answer\n\njob_20260226_0001: success\n$/);
  const failed = shown([{ ...begin, state: "failed" }], {
    ...success,
    state: "failed",
    error_code: "E_CLI_TIMEOUT",
    result_excerpt: null,
  });
  expect(failed).toMatch(
    /: failed\n\njob_20260226_0001: failed, E_CLI_TIMEOUT: The agent produced no output for too long/,
  );
});

test("the state of a job is in the reader's language, and one that has no word stays as it is", () => {
  expect(shown([begin], success, "ja")).toMatch(
    /^job_20260226_0001、claude、スレッド 123456789012345678: 実行中\n[^]*\njob_20260226_0001: 完了\n$/,
  );
  expect(
    shown([{ ...begin, state: "unknown_after_crash" }], { ...success, state: "unknown_after_crash" }, "zh-TW"),
  ).toContain("job_20260226_0001：因當機而中斷\n");
  expect([sayState("ko", "timed out"), sayState("ko", "ECONNREFUSED")]).toEqual([
    say("ko", "cli.state.timed_out"),
    "ECONNREFUSED",
  ]);
});

test("a sentence that lacks what fills it is not shown with its braces", () => {
  expect(shown([begin], { ...success, state: "failed", error_code: "E_INVALID_PATH", result_excerpt: null })).toMatch(
    /E_INVALID_PATH\n$/,
  );
});

test("a daemon that came back begins anew, and what is above is not said twice", () => {
  const out = shown([
    begin,
    { kind: "text", ...ids, delta: "before" },
    begin,
    { kind: "text", ...ids, delta: " after" },
  ]);
  expect(out.match(/thread/g)).toHaveLength(1);
  expect(out).toContain("before after");
});

const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const SEQUENCES = [
  "\x1b[31m",
  "\x1b[2J",
  "\x1b]0;title\x07",
  "\x1b]8;;http://x\x1b\\",
  "\x1bP1$r\x1b\\",
  "\x9b5n",
  "\x9d2;t\x9c",
  "\x1b(B",
  "\x1bc",
  "\r\n",
  "\r",
  "\x07",
  "\u202e",
  "\u200b",
  "👩‍👩‍👧",
  "❤️",
  "\u200d",
  "\ufe0f",
  "👍🏽",
  "한",
];
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...SEQUENCES),
      fc.constantFrom("\x1b", "\x1b[", "\x1b]", "0;", "m", "\x9b"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

function through(whole: string, cuts: readonly number[]): string {
  const filter = new TerminalText();
  const at = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b);
  const pieces = at.slice(1).map((end, index) => filter.write(whole.slice(at[index], end)));
  return pieces.join("") + filter.flush();
}

test("nothing a terminal obeys comes through, and the cut makes no difference", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
      const filtered = through(whole, cuts);
      expect(filtered).not.toMatch(OBEYED);
      expect(filtered).toBe(programText(whole));
    }),
    { numRuns: 2_000 },
  );
});

test("text comes at once, and half a sequence waits for its other half", () => {
  const filter = new TerminalText();
  expect(filter.write("plain")).toBe("plain");
  expect(filter.write("a\x1b[3")).toBe("a");
  expect(filter.write("1mred")).toBe("red");
  expect(filter.write("\x1b]0;no end")).toBe("");
  expect(filter.write("x".repeat(2_000))).toContain("x");
});
