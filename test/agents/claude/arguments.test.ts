import { describe, expect, it } from "vitest";
import { access, argumentsOf, rules, settingsArguments } from "../../../src/agents/claude/arguments.ts";
import { refusedArgument } from "../../../src/agents/process/dialect.ts";

describe("the argv", () => {
  it("has the granted folders, the session to continue from, the project's own arguments, and never a prompt", () => {
    expect(argumentsOf("abc", ["/a b", "/c"], ["--model", "opus"]).slice(12)).toEqual([
      "--add-dir",
      "/a b",
      "--add-dir",
      "/c",
      "-r",
      "abc",
      "--model",
      "opus",
    ]);
    expect(argumentsOf(null, [], []).join(" ")).toBe(
      "-p --verbose --output-format stream-json --input-format stream-json --include-partial-messages --permission-prompt-tool stdio --replay-user-messages --permission-mode default",
    );
  });

  it.each([
    [["--permission-mode", "acceptEdits"]],
    [["--permission-mode=plan"]],
    [["--settings", '{"permissions":{"defaultMode":"acceptEdits"}}']],
  ])("leaves the permission mode to the project's own arguments: %j", (args) => {
    expect(argumentsOf(null, [], args).slice(10)).toEqual(args);
  });

  it.each([[[]], [["--settings", '{"model":"opus","permissions":{"allow":["Read"]}}']]])(
    "asks the owner whatever the user's own settings say, with %j",
    (args) => {
      expect(argumentsOf(null, [], args).slice(10, 12)).toEqual(["--permission-mode", "default"]);
    },
  );
});

describe("default_args", () => {
  it.each([
    [[]],
    [["--model", "opus"]],
    [["--allowedTools", "Bash(git *)", "Edit", "--add-dir", "/a", "/b"]],
    [["--append-system-prompt", "Be brief."]],
    [["--permission-mode", "acceptEdits"]],
    [["--permission-mode=plan", "--verbose"]],
    [['--mcp-config={"a":1}', "--strict-mcp-config", "--effort", "low"]],
    [["-d", "api", "-n", "name"]],
    [["--settings", '{"model":"opus","effortLevel":"low"}']],
    [["--settings", '{"permissions":{"allow":["Bash(git status)"],"deny":["WebFetch"],"defaultMode":"acceptEdits"}}']],
    [["--agents", '{"reviewer":{"description":"Reviews code","prompt":"You review code","tools":["Read"]}}']],
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
    ["unguarded", ["--permission-mode"]],
    ["unguarded", ["--permission-mode", "something-new"]],
    ["unguarded", ["--allow-dangerously-something-new"]],
    ["unguarded", ["--dangerously-load-development-channels", "server:x"]],
    ["ours", ["--permission-prompts", "nobody"]],
    ["unguarded", ["--settings", '{"permissions":{"defaultMode":"bypassPermissions"}}']],
    ["unguarded", ['--settings={"permissions":{"defaultMode":"bypassPermissions"}}']],
    ["unguarded", ["--settings", '{"permissions":{"defaultMode":"bypass\\u0050ermissions"}}']],
    ["unguarded", ["--settings", '{"permissions":"bypassPermissions"}']],
    ["unguarded", ["--settings", '{"hooks":{"PreToolUse":[]}}']],
    ["unguarded", ["--settings", '{"skipDangerousModePermissionPrompt":true}']],
    ["unguarded", ["--settings", '{"env":{"A":"b"}}']],
    ["unguarded", ["--settings", '{"__proto__":{"a":1}}']],
    ["unguarded", ["--settings", "settings.json"]],
    ["unguarded", ["--settings", "[]"]],
    ["unguarded", ["--settings"]],
    ["unguarded", ["--agents", '{"a":{"permissionMode":"bypassPermissions"}}']],
    ["unguarded", ["--agents", '{"a":{"hooks":{}}}']],
    ["unguarded", ["--agents", "agents.json"]],
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
    expect(refusedArgument(rules, ["--model", "opus", "--bg", "-p"])).toEqual({
      argument: "--bg",
      reason: "elsewhere",
    });
  });
});

it.each([
  [[], "asks"],
  [["--permission-mode", "acceptEdits"], "edits"],
  [["--permission-mode=plan"], "asks"],
  [["--permission-mode=plan", "--permission-mode", "default"], "asks"],
] as const)("with %j it %s", (args, how) => {
  expect(access(args)).toBe(how);
});

it.each([
  [undefined, [], "asks"],
  [{ model: "-p" }, ["--model=-p"], "asks"],
  [{ permission: "plan" }, ["--permission-mode", "plan"], "asks"],
  [{ permission: "acceptEdits", model: "opus" }, ["--model=opus", "--permission-mode", "acceptEdits"], "edits"],
  [
    { permission: "bypassPermissions" },
    ["--permission-mode", "bypassPermissions", "--dangerously-skip-permissions"],
    "edits",
  ],
] as const)(
  "the settings %j of a session become %j, and with them it %s whatever its arguments say",
  (settings, args, how) => {
    expect(settingsArguments(settings)).toEqual(args);
    expect(
      access(settings === undefined || !("permission" in settings) ? [] : ["--permission-mode", "default"], settings),
    ).toBe(how);
  },
);
