/** A job in the terminal: what it says as it comes, what it does on lines of their own. */
import { expect, test } from "vitest";
import { TailView } from "../../../src/cli/terminal/tail-view.ts";
import type { TailEnd, TailPart } from "../../../src/ipc/tail.ts";

const ids = { job_id: "job_20260226_0001", thread_id: "123456789012345678" };
const begin: TailPart = { kind: "job", ...ids, tool: "claude", state: "running", tools: [] };
const success: TailEnd = { job_id: ids.job_id, state: "success", error_code: null, finished_at: null, result_excerpt: "the answer" };

function shown(parts: readonly TailPart[], end: TailEnd = success): string {
  let out = "";
  const view = new TailView("en", (text) => (out += text));
  for (const part of parts) view.show(part);
  view.end(end);
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
    { kind: "plan", ...ids, entries: [{ text: "one", state: "done" }, { text: "two", state: "active" }] },
    { kind: "notice", ...ids, code: "told", text: "a remark" },
    { kind: "text", ...ids, delta: "Done.\n" },
  ]);
  expect(out).toBe(
    [
      "job_20260226_0001, claude, thread 123456789012345678: running",
      "",
      "I will look.",
      "▸ Bash: ls -l rm",
      "✓ Bash: ls -l rm",
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
  const failed = shown([{ ...begin, state: "failed" }], { ...success, state: "failed", error_code: "E_CLI_TIMEOUT", result_excerpt: null });
  expect(failed).toMatch(/: failed\n\njob_20260226_0001: failed, E_CLI_TIMEOUT: The agent produced no output for too long/);
});

test("a sentence that lacks what fills it is not shown with its braces", () => {
  expect(shown([begin], { ...success, state: "failed", error_code: "E_INVALID_PATH", result_excerpt: null })).toMatch(/E_INVALID_PATH\n$/);
});

test("a daemon that came back begins anew, and what is above is not said twice", () => {
  const out = shown([begin, { kind: "text", ...ids, delta: "before" }, begin, { kind: "text", ...ids, delta: " after" }]);
  expect(out.match(/thread/g)).toHaveLength(1);
  expect(out).toContain("before after");
});
