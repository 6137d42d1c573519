/** What rules allow and deny, and what they never see. */
import { expect, test } from "vitest";
import {
  judge,
  offersFor,
  pathsOf,
  serverOf,
  type RuleRequest,
  type StandingRule,
} from "../../../src/core/rules/judge.ts";
import { facts, placed, request, ruleFor } from "./asked.ts";

const listed = request({ tool: "Bash", input: { command: "ls -l" } });

test("a rule for exactly this allows this, and nothing else", () => {
  const rule = ruleFor(listed, "exact");
  expect(judge(listed, [rule], facts)).toEqual({ allowedBy: rule });
  for (const command of ["ls -la", "ls -l ", "ls -l\n"])
    expect(judge(request({ tool: "Bash", input: { command } }), [rule], facts)).toBe("ask");
});

test("a rule for a command allows other words where it leaves them open, in the project only", () => {
  const shown = request({ tool: "Bash", input: { command: "head -n 5 src/a.ts", description: "Look" } });
  const rule = ruleFor(shown, "command", placed(shown));
  const judgeOf = (command: string): unknown => {
    const asked = request({ tool: "Bash", input: { command, description: "Look again" } });
    return judge(asked, [rule], placed(asked));
  };
  expect(judgeOf("head -n 70 docs/b.md")).toEqual({ allowedBy: rule });
  for (const command of [
    "head -n 5 .env",
    "head -n 5 ../b",
    "head -c 5 src/a.ts",
    "head -n 5 src/a.ts b",
    "cat src/a.ts",
  ])
    expect(judgeOf(command), command).toBe("ask");
});

test("a rule for a folder allows changes of files below it", () => {
  const edit = (file_path: string): RuleRequest =>
    request({ tool: "Edit", input: { file_path, old_string: "a", new_string: "b" } });
  const asked = edit("/home/me/app/src/core/a.ts");
  const offers = offersFor(asked, placed(asked)).flatMap(({ cover }) => (cover.family === "path" ? cover.folder : []));
  expect(offers).toEqual(["src/core", "src", ""]);
  const rule = ruleFor(asked, "path", placed(asked));
  for (const [path, is] of [
    ["/home/me/app/README.md", true],
    ["/home/me/app/package.json", false],
    ["/home/me/app/a/.git/config", false],
    ["/home/me/application/a.ts", false],
    ["/home/me/app/src/../../b.ts", false],
  ] as const) {
    const other = edit(path);
    expect(judge(other, [rule], placed(other)), path).toEqual(is ? { allowedBy: rule } : "ask");
  }
});

test("a rule for a tool of a server holds as long as the server is what it was", () => {
  const asked = request({ tool: "mcp__db__query", input: { sql: "select 1" } });
  expect(serverOf(asked)).toBe("db");
  const known = { ...facts, definition: "one" };
  const rule = ruleFor(asked, "tool", known);
  expect(judge(request({ tool: "mcp__db__query", input: {} }), [rule], known)).toEqual({ allowedBy: rule });
  expect(judge(request({ tool: "mcp__db__drop", input: {} }), [rule], known)).toBe("ask");
  expect(judge(asked, [rule], { ...facts, definition: "two" })).toBe("ask");
  expect(judge(asked, [rule], facts)).toBe("ask");
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
