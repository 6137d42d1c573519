import { describe, expect, it } from "vitest";
import { access, argumentsOf, rules, writing } from "../../../src/agents/gemini/driver.ts";
import { refusedArgument } from "../../../src/agents/process/dialect.ts";

describe("the argv", () => {
  it("has the form of the answer, the granted folders, the session to continue from, the project's own arguments, and never a prompt", () => {
    const args = argumentsOf({ output: "json", resume: "abc", grants: ["/a b", "/c"], args: ["--model", "pro"] });
    expect(args).toEqual([
      "--output-format",
      "json",
      "--include-directories",
      "/a b",
      "--include-directories",
      "/c",
      "--resume",
      "abc",
      "--model",
      "pro",
    ]);
    expect(argumentsOf({ output: "stream-json", resume: null, grants: [], args: [] })).toEqual([
      "--output-format",
      "stream-json",
    ]);
  });

  it("leaves out a folder that would be read as two others", () => {
    expect(argumentsOf({ output: "json", resume: null, grants: ["/a,/etc"], args: [] })).not.toContain("/a,/etc");
  });
});

describe("default_args", () => {
  it.each([
    [[]],
    [["--model", "pro", "--debug"]],
    [["-m", "pro"]],
    [["--approval-mode", "auto_edit"]],
    [["--approval-mode=plan"]],
    [["--allowed-tools", "read_file", "glob"]],
    [["--extensions", "none"]],
    [["--skip-trust"]],
  ])("%j may be", (args) => {
    expect(refusedArgument(rules, args)).toBe(null);
  });

  it.each([
    ["ours", ["--prompt", "x"]],
    ["ours", ["-p"]],
    ["ours", ["--prompt=x"]],
    ["ours", ["-i", "x"]],
    ["ours", ["--promptInteractive=x"]],
    ["ours", ["--output-format", "text"]],
    ["ours", ["--outputFormat=text"]],
    ["ours", ["-o", "text"]],
    ["ours", ["--include-directories", "/"]],
    ["ours", ["-yd"]],
    ["session", ["--resume", "latest"]],
    ["session", ["--session-id=x"]],
    ["session", ["--sessionFile", "x"]],
    ["session", ["--list-sessions"]],
    ["session", ["--delete-session", "1"]],
    ["elsewhere", ["--acp"]],
    ["elsewhere", ["--experimental-acp"]],
    ["elsewhere", ["--worktree"]],
    ["elsewhere", ["--sandbox"]],
    ["unguarded", ["--yolo"]],
    ["unguarded", ["--yolo=true"]],
    ["unguarded", ["--approval-mode", "yolo"]],
    ["unguarded", ["--approval-mode=yolo"]],
    ["unguarded", ["--approvalMode", "yolo"]],
    ["unguarded", ["--approval-mode", '"yolo"']],
    ["unguarded", ["--approval-mode='yolo'"]],
    ["unguarded", ["--approval-mode"]],
    ["unguarded", ["--approval-mode.x", "yolo"]],
    ["unguarded", ["--yolo.x"]],
    ["unguarded", ["--policy", "all.toml"]],
    ["unguarded", ["--adminPolicy=all.toml"]],
    ["not_an_option", ["do it"]],
    ["not_an_option", ["--debug", "do it"]],
    ["not_an_option", ["--"]],
    ["not_an_option", ["--model", "a\0b"]],
  ])("because %s, %j may not", (reason, args) => {
    expect(refusedArgument(rules, args)).toMatchObject({ reason });
  });

  it("-y, and any other short option that may hold it, may not", () => {
    for (const short of ["-y", "-ym", "-my", "-r", "-s", "-w", "-h"])
      expect(refusedArgument(rules, [short])).not.toBe(null);
  });
});

it.each([
  [[], "reads"],
  [["--approval-mode", "auto_edit"], "edits"],
  [["--approvalMode=auto_edit"], "edits"],
  [["--approval-mode=plan"], "reads"],
  [writing, "edits"],
] as const)("with %j it %s", (args, how) => {
  expect(access(args)).toBe(how);
});
