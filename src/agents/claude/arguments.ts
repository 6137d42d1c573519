/**
 * The argv of Claude Code: ours first, the project's `default_args` after them. The prompt is never in it. What
 * would break the contract with the agent (another output, another session, another place to work) or take the
 * owner's say away is refused here, before anything is stored.
 */
import { each, type ArgumentRules } from "../refused-argument.ts";

/** Ours, for a run that goes on from `resume` or begins anew. `grants` are absolute, so none is read as an option. */
export function argumentsOf(resume: string | null, grants: readonly string[], defaultArgs: readonly string[]): string[] {
  const session = resume === null ? [] : ["-r", resume];
  return [...ours, ...grants.flatMap((folder) => ["--add-dir", folder]), ...session, ...defaultArgs];
}

const ours =
  "-p --verbose --output-format stream-json --input-format stream-json --include-partial-messages --permission-prompt-tool stdio".split(
    " ",
  );

export const rules: ArgumentRules = {
  refused: {
    ...each("ours", "--print --output-format --input-format --include-partial-messages --permission-prompt-tool --sdk-url --help --version"),
    ...each("session", "--resume --continue --session-id --fork-session --from-pr --no-session-persistence --resume-session-at"),
    ...each("elsewhere", "--worktree --tmux --bg --background --cloud --teleport --desktop --remote-control --environment --remote"),
    ...each("unguarded", "--dangerously-skip-permissions --allow-dangerously-skip-permissions"),
  },
  valueless: new Set(
    (
      "--verbose --bare --brief --chrome --no-chrome --disable-slash-commands --ide --restricted --safe-mode " +
      "--exclude-dynamic-system-prompt-sections --forward-subagent-text --include-hook-events " +
      "--replay-user-messages --strict-mcp-config"
    ).split(" "),
  ),
  short: new Set(["-d", "-n"]),
  judge: (name, value) => (name === "--permission-mode" && value === "bypassPermissions" ? "unguarded" : null),
};
