/** Gemini CLI, headless: one process per turn, the prompt on stdin, its answer as lines or as one object. */
import type { Choice, Offered } from "../../core/sessions/told.ts";
import type { Driver, Access, Opening } from "../contract/driver.ts";
import {
  chosenMode,
  modelArguments,
  modesUpTo,
  sameReasonForEach,
  type ArgumentRules,
  valueOf,
  withoutOption,
  type Dialect,
} from "../process/dialect.ts";
import { processDriver, type ProcessDriverOptions, type RecentOpenings } from "../process/process-driver.ts";
import { stores } from "../process/stores.ts";
import { LOGIN, GeminiTranslation } from "./translate.ts";

interface GeminiOptions extends ProcessDriverOptions {
  /** Read at the start of each turn. */
  output: () => GeminiOutput;
  /** Sessions are noted for its ACP face, which loses one that was opened within the minute. */
  openings?: RecentOpenings;
}

export function geminiDriver(options: GeminiOptions): Driver {
  return processDriver(dialect(options), options);
}

function dialect({ output, openings }: GeminiOptions): Dialect {
  return {
    tool: "gemini",
    keyName: "session_id",
    store: stores.gemini,
    // It would start itself a second time: twice as slow, and a signal would reach only the first process.
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    install: "npm install --global @google/gemini-cli",
    // It has no command that checks the login; started alone, it asks how to log in.
    login: LOGIN,
    tried: new Set(["0.61.0"]),
    rules,
    offers,
    begin: (opening, text) => ({
      args: argumentsOf({
        output: output(),
        resume: opening.key,
        grants: opening.folders,
        args: chosenArguments(opening),
      }),
      input: unlikeAnOption(text),
      conversation: false,
    }),
    translation: ({ key }, now) => new GeminiTranslation(key, output(), now, (saved) => openings?.recordOpening(saved)),
  };
}

/** Its modes, the strictest first. */
const MODES = ["plan", "default", "auto_edit"];
const MODE_OPTIONS = ["--approval-mode", "--approvalMode"];

function offers(what: Choice, args: readonly string[]): readonly Offered[] | null {
  if (what === "model") return null;
  return what === "effort" ? [] : modesUpTo(MODES, valueOf(MODE_OPTIONS, args) ?? "default");
}

/** The project's arguments with what its owner chose: Gemini takes each option once. */
function chosenArguments(opening: Opening): string[] {
  const { args, settings } = opening;
  const mode = chosenMode({ offers }, opening);
  return [
    ...(mode === undefined ? args : [...withoutOption(MODE_OPTIONS, args), "--approval-mode", mode]),
    ...modelArguments(settings),
  ];
}

/**
 * In a sandbox that the owner configured, Gemini passes its stdin on as an argument; a space keeps that from being an
 * option.
 */
function unlikeAnOption(prompt: string): string {
  return prompt.startsWith("-") ? ` ${prompt}` : prompt;
}

/*
 * The argv of Gemini CLI: our arguments first, then the project's `default_args`. It never contains the prompt. Its
 * parser also accepts option names in camel case (`--approvalMode`), so each refused name is refused in both forms.
 */

/** Its output format: line by line, or one object at the end. */
export type GeminiOutput = "stream-json" | "json";

interface GeminiArguments {
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
  ...sameReasonForEach(
    "ours",
    "--prompt --prompt-interactive --output-format --include-directories --help --version --list-extensions",
  ),
  ...sameReasonForEach("session", "--resume --session-id --session-file --list-sessions --delete-session"),
  // A sandbox puts the prompt into an argv and runs where our signals do not arrive.
  ...sameReasonForEach("elsewhere", "--acp --experimental-acp --worktree --sandbox"),
  // A policy file can allow every tool.
  ...sameReasonForEach("unguarded", "--yolo --policy --admin-policy"),
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
  return valueOf(MODE_OPTIONS, args) === "auto_edit" ? "edits" : "reads";
}

function camel(name: string): string {
  return `--${name.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}
