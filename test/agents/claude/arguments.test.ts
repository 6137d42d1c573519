import { describe, expect, it } from "vitest";
import { argumentsOf, rules } from "../../../src/agents/claude/arguments.ts";
import { refusedArgument } from "../../../src/agents/refused-argument.ts";

describe("the argv", () => {
  it("has the granted folders, the session to go on from, the project's own arguments, and never a prompt", () => {
    expect(argumentsOf("abc", ["/a b", "/c"], ["--model", "opus"]).slice(9)).toEqual(
      ["--add-dir", "/a b", "--add-dir", "/c", "-r", "abc", "--model", "opus"],
    );
    expect(argumentsOf(null, [], []).join(" ")).toBe(
      "-p --verbose --output-format stream-json --input-format stream-json --include-partial-messages --permission-prompt-tool stdio",
    );
  });
});

describe("default_args", () => {
  it.each([
    [[]],
    [["--model", "opus"]],
    [["--allowedTools", "Bash(git *)", "Edit", "--add-dir", "/a", "/b"]],
    [["--append-system-prompt", "Be brief."]],
    [["--permission-mode", "acceptEdits"]],
    [["--permission-mode=plan", "--verbose"]],
    [["--mcp-config={\"a\":1}", "--strict-mcp-config", "--effort", "low"]],
    [["-d", "api", "-n", "name"]],
  ])("%j may be", (args) => {
    expect(refusedArgument(rules, args)).toBe(null);
  });

  it.each([
    ["ours", ["-p"]],
    ["ours", ["--output-format", "text"]],
    ["ours", ["--output-format=json"]],
    ["ours", ["--input-format=text"]],
    ["ours", ["--permission-prompt-tool", "mcp__a__b"]],
    ["ours", ["-r", "x"]],
    ["ours", ["-pr"]],
    ["ours", ["-c"]],
    ["ours", ["--help"]],
    ["session", ["--resume=x"]],
    ["session", ["--session-id", "x"]],
    ["session", ["--fork-session"]],
    ["session", ["--continue"]],
    ["session", ["--no-session-persistence"]],
    ["elsewhere", ["--worktree", "x"]],
    ["elsewhere", ["--bg"]],
    ["unguarded", ["--dangerously-skip-permissions"]],
    ["unguarded", ["--allow-dangerously-skip-permissions"]],
    ["unguarded", ["--permission-mode", "bypassPermissions"]],
    ["unguarded", ["--permission-mode=bypassPermissions"]],
    ["not_an_option", ["do this"]],
    ["not_an_option", ["mcp", "list"]],
    ["not_an_option", ["--", "do this"]],
    ["not_an_option", ["--verbose", "do this"]],
    ["not_an_option", ["--model=opus", "do this"]],
    ["not_an_option", [""]],
    ["not_an_option", ["--model", "a\0b"]],
  ] as const)("are refused as %s: %j", (reason, args) => {
    expect(refusedArgument(rules, args)).toMatchObject({ reason });
  });

  it("are refused by the first argument that is wrong, which is named", () => {
    expect(refusedArgument(rules, ["--model", "opus", "--bg", "-p"])).toEqual({ argument: "--bg", reason: "elsewhere" });
  });
});
