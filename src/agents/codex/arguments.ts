/**
 * The argv of Codex. The prompt is never in it: `-` makes Codex read it from its stdin, of a resumed conversation
 * too. The project's `default_args` come first and an option of ours follows them at once, so that an option with
 * many values (`--image`) or one whose value is missing cannot swallow `resume` and silently begin a new
 * conversation; and as most options are unknown to `resume`, all stand before it.
 */
import { type ArgumentRules, each, type Reason } from "../refused-argument.ts";

/** For a run that goes on from `resume` or begins anew. `grants` are absolute, so none is read as an option. */
export function argumentsOf(resume: string | null, grants: readonly string[], defaultArgs: readonly string[]): string[] {
  const folders = grants.flatMap((folder) => ["--add-dir", folder]);
  const session = resume === null ? [] : ["resume", resume];
  // Without the check for a repository: the owner named this directory as a project, which is trust enough.
  return ["exec", ...defaultArgs, ...folders, "--skip-git-repo-check", ...session, "--json", "-"];
}

export const rules: ArgumentRules = {
  refused: {
    ...each("ours", "--json --experimental-json --skip-git-repo-check --help --version"),
    // A conversation that is not kept cannot be gone on with, and which one it is, is the thread's to say.
    ...each("session", "--last --all --ephemeral --thread-source"),
    ...each("elsewhere", "--cd --worktree --remote --remote-auth-token-env"),
    // `--yolo` is the unlisted short name of the first. `--trust` outlives the run; the automatic review gives the
    // owner's yes to another model; rules are what the owner has forbidden.
    ...each("unguarded", "--dangerously-bypass-approvals-and-sandbox --yolo --dangerously-bypass-hook-trust"),
    ...each("unguarded", "--trust --approve-for-me --ignore-rules"),
  },
  valueless: new Set("--oss --strict-config --ignore-user-config --full-auto --search --no-alt-screen".split(" ")),
  short: new Set(["-c", "-i", "-m", "-o", "-p", "-s"]),
  judge(name, value) {
    if (name === "-s" || name === "--sandbox") return isGuarded(value) ? null : "unguarded";
    if (name === "-c" || name === "--config") return reasonAgainstSetting(value);
    return null;
  },
};

/** Settings that decide what may be done without asking; each has an option or a place in the owner's own file. */
const unguarding = new Set(
  "approval_policy approvals_reviewer auto_review default_permissions permissions projects sandbox_permissions bypass_hook_trust".split(" "),
);

/** A `key=value` as Codex reads it: a dotted path of TOML, whose parts may be in quotes. */
function reasonAgainstSetting(setting: string): Reason | null {
  const at = setting.indexOf("=");
  const key = (at < 0 ? setting : setting.slice(0, at)).replace(/["'\s]/g, "");
  // An escape in a quoted key could spell any name.
  if (key.includes("\\")) return "unguarded";
  const parts = key.split(".");
  if (parts.some((part) => unguarding.has(part))) return "unguarded";
  if (parts.at(-1) === "sandbox_mode") return isGuarded(at < 0 ? "" : setting.slice(at + 1)) ? null : "unguarded";
  return null;
}

/** By what is known to be safe: a value in TOML can be written in many ways. */
function isGuarded(mode: string): boolean {
  return /^\s*(["']?)(read-only|workspace-write)\1\s*$/.test(mode);
}
