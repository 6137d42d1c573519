/**
 * Codex, headless: one process per turn, the prompt on stdin, which is closed at once because Codex waits for its end,
 * and a stream of lines back. It ends with the turn's own end; a process that exits without one has failed.
 */
import type { Driver, Access, Opening } from "../contract/driver.ts";
import { processDriver, type ProcessDriverOptions } from "../process/process-driver.ts";
import { stores } from "../process/stores.ts";
import {
  type Dialect,
  modelArguments,
  type ArgumentRules,
  sameReasonForEach,
  type ArgumentRefusal,
  valueOf,
  asOffered,
  chosenMode,
  modesUpTo,
  withoutOption,
} from "../process/dialect.ts";
import { LOGIN, CodexTranslation, spentIn } from "./translate.ts";

/*
 * The argv of Codex. It never contains the prompt: `-` makes Codex read it from stdin, also for a resumed conversation.
 * The project's `default_args` come first and one of our options follows them directly, so that an option with many
 * values (`--image`) or without its value cannot swallow `resume` and silently start a new conversation. All options
 * precede `resume`, because it does not know most of them.
 */

/** For a run that resumes `resume` or starts anew. `grants` are absolute, so none is read as an option. */
export function argumentsOf(
  resume: string | null,
  grants: readonly string[],
  defaultArgs: readonly string[],
): string[] {
  const folders = grants.flatMap((folder) => ["--add-dir", folder]);
  const session = resume === null ? [] : ["resume", resume];
  // Skips the repository check: the owner named this directory as a project, which is trust enough.
  return ["exec", ...defaultArgs, ...folders, "--skip-git-repo-check", ...session, "--json", "-"];
}

export const writing = ["-s", "workspace-write"];

export const rules: ArgumentRules = {
  refused: {
    ...sameReasonForEach("ours", "--json --experimental-json --skip-git-repo-check --help --version"),
    // A conversation that is not kept cannot be resumed, and the thread decides which conversation is used.
    ...sameReasonForEach("session", "--last --all --ephemeral --thread-source"),
    ...sameReasonForEach("elsewhere", "--cd --worktree --remote --remote-auth-token-env"),
    // `--yolo` is an undocumented alias. `--trust` outlasts the run; automatic review lets another model approve in the
    // owner's place; rules are what the owner has forbidden; a profile is a file that can set all of this.
    ...sameReasonForEach("unguarded", "--yolo --trust --approve-for-me --ignore-rules -p --profile"),
  },
  valueless: new Set("--oss --strict-config --ignore-user-config --full-auto --search --no-alt-screen".split(" ")),
  short: new Set(["-c", "-i", "-m", "-o", "-p", "-s"]),
  judge(name, value) {
    if (name === "-s" || name === "--sandbox") return isGuarded(value) ? null : "unguarded";
    if (name === "-c" || name === "--config") return reasonAgainstSetting(value);
    return null;
  },
  access,
  writing,
};

/** Without these arguments Codex only reads, whatever else it is asked to do. */
export function access(args: readonly string[]): Access {
  const sandbox = valueOf(["-s", "--sandbox"], args);
  const setting = /^\s*sandbox_mode\s*=\s*["']?workspace-write/;
  const writes =
    sandbox === null
      ? args.includes("--full-auto") || args.some((argument) => setting.test(argument.replace(/^--config=/, "")))
      : sandbox === "workspace-write";
  return writes ? "edits" : "reads";
}

/** Settings that decide what is allowed without asking; each has an option or belongs in the owner's own file. */
const unguarding = new Set(
  "approval_policy approvals_reviewer auto_review default_permissions permissions projects sandbox_permissions bypass_hook_trust hooks profile profiles".split(
    " ",
  ),
);

/** A `key=value` as Codex reads it: a dotted TOML path whose parts may be quoted. */
function reasonAgainstSetting(setting: string): ArgumentRefusal | null {
  const at = setting.indexOf("=");
  const key = (at < 0 ? setting : setting.slice(0, at)).replace(/["'\s]/g, "");
  // An escape in a quoted key could spell any name.
  if (key.includes("\\")) return "unguarded";
  const parts = key.split(".");
  if (parts.some((part) => unguarding.has(part))) return "unguarded";
  if (parts.at(-1) === "sandbox_mode") return isGuarded(at < 0 ? "" : setting.slice(at + 1)) ? null : "unguarded";
  return null;
}

/** An allow-list, because TOML can spell a value in many ways. */
function isGuarded(mode: string): boolean {
  return /^\s*(["']?)(read-only|workspace-write)\1\s*$/.test(mode);
}

/** Its sandboxes, the strictest first. */
const MODES = ["read-only", "workspace-write"];
const EFFORTS = ["minimal", "low", "medium", "high", "xhigh"];

/** The project's arguments with what its owner chose: Codex remembers none of it, and takes each option once. */
function chosenArguments(opening: Opening): string[] {
  const { args, settings, next } = opening;
  const mode = chosenMode(dialect, opening);
  const own =
    mode === undefined ? args : withoutOption(["-s", "--sandbox"], args).filter((one) => one !== "--full-auto");
  return [
    ...own,
    ...(mode === undefined ? [] : ["-s", mode]),
    ...modelArguments(settings),
    ...(settings?.effort === undefined ? [] : ["-c", `model_reasoning_effort=${JSON.stringify(settings.effort)}`]),
    // Then every conversation is too long for it, and is made shorter before the prompt.
    ...(next === "compacted" ? ["-c", "model_auto_compact_token_limit=1"] : []),
  ];
}

const dialect: Dialect = {
  tool: "codex",
  keyName: "thread_id",
  store: stores.codex,
  install: "npm install --global @openai/codex",
  login: LOGIN,
  loginCheck: { args: ["login", "status"], since: "0.169.0" },
  tried: new Set(["0.169.0"]),
  rules,
  offers: (what, args) =>
    what === "model"
      ? null
      : what === "effort"
        ? asOffered(EFFORTS)
        : modesUpTo(MODES, access(args) === "edits" ? "workspace-write" : "read-only"),
  compacts: "next",
  begin: (opening, text) => ({
    args: argumentsOf(opening.key, opening.folders, chosenArguments(opening)),
    input: text,
    conversation: false,
  }),
  translation: ({ key, counters }, now) => new CodexTranslation({ resume: key, spent: spentIn(counters) }, now),
};

export function codexDriver(options: ProcessDriverOptions): Driver {
  return processDriver(dialect, options);
}
