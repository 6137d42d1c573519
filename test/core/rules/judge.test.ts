/** What rules allow and deny, and what they never see. */
import { expect, test } from "vitest";
import { judge, offersFor, pathsOf, serverOf, type StandingRule } from "../../../src/core/rules/judge.ts";
import { facts, request, ruleFor } from "./asked.ts";

const listed = request({ tool: "Bash", input: { command: "ls -l" } });

test("a rule for exactly this allows this, and nothing else", () => {
  const rule = ruleFor(listed, "exact");
  expect(judge(listed, [rule], facts)).toEqual({ allowedBy: rule });
  for (const command of ["ls -la", "ls -l ", "ls -l\n"])
    expect(judge(request({ tool: "Bash", input: { command } }), [rule], facts)).toBe("ask");
});

test("a no wins, wherever it stands", () => {
  const [yes, no] = [ruleFor(listed, "exact"), { ...ruleFor(listed, "exact"), effect: "deny" } satisfies StandingRule];
  expect(judge(listed, [yes, no], facts)).toEqual({ deniedBy: no });
  expect(judge(listed, [no, yes], facts)).toEqual({ deniedBy: no });
});

test("nothing covers a question, what is masked, hidden, too long, or only read from a screen", () => {
  const long = request({ tool: "Bash", input: { command: `echo ${"x".repeat(3_000)}` } });
  const hidden = request({ tool: "Bash", input: { command: "ls \u200b" } });
  const masked = { ...listed, subject: listed.subject && { ...listed.subject, exact: "f" } };
  const question = { ...listed, kind: "question" as const };
  for (const one of [long, hidden, masked, question, { ...listed, bytes: null }]) {
    expect(offersFor(one, facts)).toEqual([]);
    expect(judge(one, [ruleFor(listed, "exact")], facts)).toBe("ask");
  }
});

test("what uses no path and no server needs nothing from the machine", () => {
  expect(pathsOf(listed, facts)).toEqual([]);
  expect(serverOf(listed)).toBeNull();
});
