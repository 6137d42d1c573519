/**
 * The argv of Claude Code: ours first, the project's `default_args` after them. The prompt is never in it. What
 * would break the contract with the agent (another output, another session, another place to work) or take the
 * owner's say away is refused here, before anything is stored.
 */

/** Ours, for a run that goes on from `resume` or begins anew. */
export function argumentsOf(resume: string | null, defaultArgs: readonly string[]): string[] {
  const session = resume === null ? [] : ["-r", resume];
  return [...ours, ...session, ...defaultArgs];
}

const ours =
  "-p --verbose --output-format stream-json --input-format stream-json --include-partial-messages --permission-prompt-tool stdio".split(
    " ",
  );

export interface RefusedArgument {
  argument: string;
  /**
   * - `ours`: the driver says this itself
   * - `session`: chooses another session or where it is kept
   * - `elsewhere`: runs in another way or another place than this process and this directory
   * - `unguarded`: takes permissions away for good; a session's `permission` setting is the place for that
   * - `not_an_option`: would be read as a prompt or a subcommand
   */
  reason: "ours" | "session" | "elsewhere" | "unguarded" | "not_an_option";
}

/** The first of the `default_args` that cannot be, or null. For the check of the config and of `/project create`. */
export function refusedArgument(defaultArgs: readonly string[]): RefusedArgument | null {
  let mayBeValue = false;
  for (const [at, argument] of defaultArgs.entries()) {
    const reason = reasonAgainst(argument, mayBeValue, defaultArgs[at + 1]);
    if (reason !== null) return { argument, reason };
    if (argument.startsWith("-")) mayBeValue = !argument.includes("=") && !valueless.has(argument);
  }
  return null;
}

const refusals: Record<string, RefusedArgument["reason"]> = {
  ...each("ours", "--print --output-format --input-format --include-partial-messages --permission-prompt-tool --sdk-url --help --version"),
  ...each("session", "--resume --continue --session-id --fork-session --from-pr --no-session-persistence --resume-session-at"),
  ...each("elsewhere", "--worktree --tmux --bg --background --cloud --teleport --desktop --remote-control --environment --remote"),
  ...each("unguarded", "--dangerously-skip-permissions --allow-dangerously-skip-permissions"),
};

/** Options without a value: a word after one of them would be taken for the prompt. */
const valueless = new Set(
  (
    "--verbose --bare --brief --chrome --no-chrome --disable-slash-commands --ide --restricted --safe-mode " +
    "--exclude-dynamic-system-prompt-sections --forward-subagent-text --include-hook-events " +
    "--replay-user-messages --strict-mcp-config"
  ).split(" "),
);

function reasonAgainst(argument: string, mayBeValue: boolean, next: string | undefined): RefusedArgument["reason"] | null {
  if (argument.includes("\0")) return "not_an_option";
  if (!argument.startsWith("-")) return mayBeValue ? null : "not_an_option";
  // Short options may be joined to one word (`-pr`), so of these only two that are harmless alone may pass.
  if (!argument.startsWith("--")) return argument === "-d" || argument === "-n" ? null : "ours";
  if (argument === "--") return "not_an_option";
  const [name = "", value = next] = argument.split("=", 2);
  if (name === "--permission-mode" && value === "bypassPermissions") return "unguarded";
  return refusals[name] ?? null;
}

function each(reason: RefusedArgument["reason"], names: string): Record<string, RefusedArgument["reason"]> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reason]));
}
