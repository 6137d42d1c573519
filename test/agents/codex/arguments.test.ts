import { describe, expect, it } from "vitest";
import { access, argumentsOf, rules, writing } from "../../../src/agents/codex/driver.ts";
import { refusedArgument } from "../../../src/agents/process/dialect.ts";

describe("the argv", () => {
  it("has the project's own arguments, then an option of ours, then the conversation, and never a prompt", () => {
    expect(argumentsOf("abc", ["/out"], ["-i", "a.png"]).join(" ")).toBe(
      "exec -i a.png --add-dir /out --skip-git-repo-check resume abc --json -",
    );
    expect(argumentsOf(null, [], []).join(" ")).toBe("exec --skip-git-repo-check --json -");
  });
});

describe("default_args", () => {
  it.each([
    [[]],
    [["--model", "gpt-5.5"]],
    [["-m", "gpt-5.5"]],
    [["--sandbox", "workspace-write"]],
    [["--sandbox=read-only"]],
    [["-s", "workspace-write", "--add-dir", "/data"]],
    [["-c", "model_reasoning_effort=high", "--config", "sandbox_workspace_write.network_access=true"]],
    [["-c", 'sandbox_mode="workspace-write"']],
    [["--enable", "web_search", "--search"]],
    [["-i", "a.png", "b.png", "--color", "never"]],
    [["--output-schema", "schema.json", "-o", "last.txt"]],
  ])("%j may be", (args) => {
    expect(refusedArgument(rules, args)).toBe(null);
  });

  it.each([
    ["ours", ["--json"]],
    ["ours", ["--experimental-json"]],
    ["ours", ["-h"]],
    ["ours", ["-mgpt"]],
    ["ours", ["-sdanger-full-access"]],
    ["ours", ["-csandbox_mode=danger-full-access"]],
    ["ours", ["-c=sandbox_mode=danger-full-access"]],
    ["ours", ["-C", "/elsewhere"]],
    ["session", ["--last"]],
    ["session", ["--ephemeral"]],
    ["elsewhere", ["--cd", "/elsewhere"]],
    ["elsewhere", ["--cd=/elsewhere"]],
    ["elsewhere", ["--worktree"]],
    ["unguarded", ["--dangerously-bypass-approvals-and-sandbox"]],
    ["unguarded", ["--yolo"]],
    ["unguarded", ["--dangerously-bypass-hook-trust"]],
    ["unguarded", ["--trust"]],
    ["unguarded", ["--approve-for-me"]],
    ["unguarded", ["--ignore-rules"]],
    ["unguarded", ["--sandbox", "danger-full-access"]],
    ["unguarded", ["--sandbox=danger-full-access"]],
    ["unguarded", ["-s", "danger-full-access"]],
    ["unguarded", ["-s"]],
    ["unguarded", ["-c", "sandbox_mode=danger-full-access"]],
    ["unguarded", ["-c", 'sandbox_mode="danger-full-access"']],
    ["unguarded", ["--config", " \"sandbox_mode\" = 'danger-full-access'"]],
    ["unguarded", ["--config=sandbox_mode=danger-full-access"]],
    ["unguarded", ["-c", 'sandbox_mode="danger\\u002dfull-access"']],
    ["unguarded", ["-c", '"sandbox\\u005fmode"="danger-full-access"']],
    ["unguarded", ["-c", 'profiles.x.sandbox_mode="danger-full-access"']],
    ["unguarded", ["-p", "work"]],
    ["unguarded", ["--profile", "work"]],
    ["unguarded", ["--profile=work"]],
    ["unguarded", ["-c", "profile=work"]],
    ["unguarded", ["-c", 'profiles={x={sandbox_mode="danger-full-access"}}']],
    ["unguarded", ["-c", 'hooks.PreToolUse=[{command="true"}]']],
    ["unguarded", ["--dangerously-something-new"]],
    ["unguarded", ["-c", "approval_policy=never"]],
    ["unguarded", ["-c", 'projects."/a".trust_level="trusted"']],
    ["unguarded", ["-c", "default_permissions=:danger"]],
    ["not_an_option", ["resume", "--last"]],
    ["not_an_option", ["do this"]],
    ["not_an_option", ["-"]],
    ["not_an_option", ["--", "do this"]],
    ["not_an_option", ["--oss", "do this"]],
    ["not_an_option", ["--model=x", "do this"]],
    ["not_an_option", ["--model", "a\0b"]],
  ] as const)("are refused as %s: %j", (reason, args) => {
    expect(refusedArgument(rules, args)).toMatchObject({ reason });
  });
});

it.each([
  [[], "reads"],
  [["-s", "workspace-write"], "edits"],
  [["--sandbox=workspace-write"], "edits"],
  [["-s", "workspace-write", "-s", "read-only"], "reads"],
  [["-c", 'sandbox_mode="workspace-write"'], "edits"],
  [["--config=sandbox_mode=workspace-write"], "edits"],
  [["--full-auto"], "edits"],
  [writing, "edits"],
] as const)("with %j it %s", (args, how) => {
  expect(access(args)).toBe(how);
});
