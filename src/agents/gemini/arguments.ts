/**
 * The argv of Gemini CLI: our arguments first, then the project's `default_args`. It never contains the prompt. Its
 * parser also accepts option names in camel case (`--approvalMode`), so each refused name is refused in both forms.
 */
import type { Access } from "../contract/driver.ts";
import { each, type ArgumentRules, valueOf } from "../process/arguments.ts";

/** Its output format: line by line, or one object at the end. */
export type GeminiOutput = "stream-json" | "json";

export interface GeminiArguments {
  output: GeminiOutput;
  resume: string | null;
  grants: readonly string[];
  args: readonly string[];
}

export function argumentsOf({ output, resume, grants, args }: GeminiArguments): string[] {
  const session = resume === null ? [] : ["--resume", resume];
  // Gemini splits paths at commas, so such a folder would become two others.
  const folders = grants
    .filter((folder) => !folder.includes(","))
    .flatMap((folder) => ["--include-directories", folder]);
  return ["--output-format", output, ...folders, ...session, ...args];
}

const refused = {
  ...each(
    "ours",
    "--prompt --prompt-interactive --output-format --include-directories --help --version --list-extensions",
  ),
  ...each("session", "--resume --session-id --session-file --list-sessions --delete-session"),
  // A sandbox puts the prompt into an argv and runs where our signals do not arrive.
  ...each("elsewhere", "--acp --experimental-acp --worktree --sandbox"),
  // A policy file can allow every tool.
  ...each("unguarded", "--yolo --policy --admin-policy"),
};

export const writing = ["--approval-mode", "auto_edit"];

export const rules: ArgumentRules = {
  refused: {
    ...refused,
    ...Object.fromEntries(Object.entries(refused).map(([name, reason]) => [camel(name), reason])),
  },
  valueless: new Set(
    ["-d", "--debug", "--skip-trust", "--screen-reader", "--raw-output", "--accept-raw-output-risk"].flatMap((name) => [
      name,
      camel(name),
    ]),
  ),
  short: new Set(["-m", "-d", "-e"]),
  judge(name, value) {
    // Its parser reads a dot as a member of the preceding option, and strips quotes from a value.
    if (name.includes(".")) return "unguarded";
    const isMode = name === "--approval-mode" || name === "--approvalMode";
    return isMode && !["default", "auto_edit", "plan"].includes(value) ? "unguarded" : null;
  },
  access,
  writing,
};

/** Without these arguments it is offered no tool that writes. */
export function access(args: readonly string[]): Access {
  return valueOf(["--approval-mode", "--approvalMode"], args) === "auto_edit" ? "edits" : "reads";
}

function camel(name: string): string {
  return `--${name.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}
