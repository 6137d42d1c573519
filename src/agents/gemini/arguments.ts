/**
 * The argv of Gemini CLI: ours first, the project's `default_args` after them. The prompt is never in it. Its parser
 * takes an option's name in camel case as well (`--approvalMode`), so each refused name is refused in both forms.
 */
import { each, type ArgumentRules } from "../refused-argument.ts";

/** How it answers: line by line, or with one object at its end. */
export type GeminiOutput = "stream-json" | "json";

export interface GeminiArguments {
  output: GeminiOutput;
  resume: string | null;
  grants: readonly string[];
  args: readonly string[];
}

export function argumentsOf({ output, resume, grants, args }: GeminiArguments): string[] {
  const session = resume === null ? [] : ["--resume", resume];
  // It takes a comma for the end of a path: such a folder would become two others.
  const folders = grants.filter((folder) => !folder.includes(",")).flatMap((folder) => ["--include-directories", folder]);
  return ["--output-format", output, ...folders, ...session, ...args];
}

const refused = {
  ...each("ours", "--prompt --prompt-interactive --output-format --include-directories --help --version --list-extensions"),
  ...each("session", "--resume --session-id --session-file --list-sessions --delete-session"),
  // A sandbox puts the prompt into an argv of its own and runs where no signal of ours arrives.
  ...each("elsewhere", "--acp --experimental-acp --worktree --sandbox"),
  ...each("unguarded", "--yolo"),
};

export const rules: ArgumentRules = {
  refused: { ...refused, ...Object.fromEntries(Object.entries(refused).map(([name, reason]) => [camel(name), reason])) },
  valueless: new Set(["-d", "--debug", "--skip-trust", "--screen-reader", "--raw-output", "--accept-raw-output-risk"].flatMap((name) => [name, camel(name)])),
  short: new Set(["-m", "-d", "-e"]),
  judge: (name, value) => (["--approval-mode", "--approvalMode"].includes(name) && value.toLowerCase() === "yolo" ? "unguarded" : null),
};

function camel(name: string): string {
  return `--${name.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}
