/**
 * The argv of Claude Code: our arguments first, then the project's `default_args`. It never contains the prompt.
 * Arguments that would break the contract with the agent (another output, session or working directory) or bypass the
 * owner's decisions are refused here, before anything is stored.
 */
import type { Access, ChosenSettings } from "../contract/driver.ts";
import type { Choice, Offered } from "../../core/sessions/told.ts";
import {
  type ArgumentRules,
  asOffered,
  sameReasonForEach,
  modelArguments,
  modesUpTo,
  valueOf,
} from "../process/dialect.ts";
import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { type Fields, inner, text } from "../process/fields.ts";

/**
 * Our arguments, for a run that resumes `resume` or starts anew. `grants` are absolute, so none is read as an option.
 */
export function argumentsOf(
  resume: string | null,
  grants: readonly string[],
  defaultArgs: readonly string[],
): string[] {
  const session = resume === null ? [] : ["-r", resume];
  // Otherwise the user's own settings might let it act unasked; only the project's arguments may choose that.
  const mode = modeOf(defaultArgs) !== null ? [] : ["--permission-mode", "default"];
  return [...ours, ...mode, ...grants.flatMap((folder) => ["--add-dir", folder]), ...session, ...defaultArgs];
}

const ours =
  "-p --verbose --output-format stream-json --input-format stream-json --include-partial-messages --permission-prompt-tool stdio --replay-user-messages".split(
    " ",
  );

export const rules: ArgumentRules = {
  refused: {
    ...sameReasonForEach(
      "ours",
      "--print --output-format --input-format --include-partial-messages --permission-prompt-tool " +
        "--permission-prompts --sdk-url --help --version",
    ),
    ...sameReasonForEach(
      "session",
      "--resume --continue --session-id --fork-session --from-pr --no-session-persistence --resume-session-at",
    ),
    ...sameReasonForEach(
      "elsewhere",
      "--worktree --tmux --bg --background --cloud --teleport --desktop --remote-control --environment --remote",
    ),
  },
  valueless: new Set(
    (
      "--verbose --bare --brief --chrome --no-chrome --disable-slash-commands --ide --restricted --safe-mode " +
      "--exclude-dynamic-system-prompt-sections --forward-subagent-text --include-hook-events " +
      "--replay-user-messages --strict-mcp-config"
    ).split(" "),
  ),
  short: new Set(["-d", "-n"]),
  judge(name, value) {
    switch (name) {
      case "--permission-mode":
        return isGuarded(value) ? null : "unguarded";
      case "--settings":
        return hasOnly(value, isHarmlessSetting) ? null : "unguarded";
      case "--agents":
        return hasOnly(
          value,
          (_name, agent) =>
            isObject(agent) && !Object.keys(agent).some((key) => key === "permissionMode" || key === "hooks"),
        )
          ? null
          : "unguarded";
      default:
        return null;
    }
  },
  access,
  writing: null,
};

/** In `plan` it reads until its owner approves a plan, so it asks as well. */
export function access(args: readonly string[], settings?: ChosenSettings): Access {
  const mode = valueOf(["--permission-mode"], [...args, ...settingsArguments(settings)]);
  return mode === "acceptEdits" || mode === "auto" || mode === "bypassPermissions" ? "edits" : "asks";
}

/** The arguments for what config.json sets. They are the owner's own word, so the rules do not apply to them. */
export function settingsArguments({ model, effort, permission }: ChosenSettings = {}): string[] {
  const unguarded = permission === "bypassPermissions" ? ["--dangerously-skip-permissions"] : [];
  return [
    ...modelArguments({ model }),
    ...(effort === undefined ? [] : [`--effort=${effort}`]),
    ...(permission === undefined ? [] : ["--permission-mode", permission]),
    ...unguarded,
  ];
}

/**
 * The permission mode that the project's arguments choose, by themselves or in their settings; null if they choose
 * none.
 */
export function modeOf(args: readonly string[]): string | null {
  const named = valueOf(["--permission-mode"], args);
  if (named !== null) return named;
  let mode: unknown;
  hasOnly(valueOf(["--settings"], args) ?? "{}", (name, value) => {
    if (name === "permissions" && isObject(value)) mode = value["defaultMode"];
    return true;
  });
  return typeof mode === "string" ? mode : null;
}

/** The strictest first. `manual` is another name of `default`. */
const MODES = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"];
/** Those that one of its models has, where the models are not known. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

export function offers(what: Choice, args: readonly string[], settings?: ChosenSettings): readonly Offered[] | null {
  if (what === "model") return null;
  if (what === "effort") return asOffered(EFFORTS);
  const mode = modeOf([...args, ...settingsArguments(settings)]) ?? "default";
  return modesUpTo(MODES, mode === "manual" ? "default" : mode);
}

/** An allow-list, because a mode added by a later version may ask for nothing. */
function isGuarded(mode: unknown): boolean {
  return typeof mode === "string" && ["default", "manual", "plan", "acceptEdits", "dontAsk", "auto"].includes(mode);
}

const harmless = new Set(
  "alwaysThinkingEnabled attribution cleanupPeriodDays effortLevel includeCoAuthoredBy language model outputStyle spinnerTipsEnabled".split(
    " ",
  ),
);

/** Hooks, variables and helpers run code, and some answer permissions; they belong in the agent's own files. */
function isHarmlessSetting(name: string, value: unknown): boolean {
  if (name !== "permissions") return harmless.has(name);
  if (!isObject(value)) return false;
  return Object.entries(value).every(([key, mode]) =>
    key === "defaultMode"
      ? isGuarded(mode)
      : ["allow", "deny", "ask", "additionalDirectories", "disableBypassPermissionsMode"].includes(key),
  );
}

/**
 * Whether the text is a JSON object whose members are all allowed. A file name is not, because its content may change.
 */
function hasOnly(json: string, may: (name: string, value: unknown) => boolean): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) && Object.entries(value).every(([name, inner]) => may(name, inner));
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/*
 * Holds a living Claude to the permission mode that its owner chose. Claude says its mode when it begins a turn and
 * when the mode changes. A mode in which it asks for less, whoever set it, is set back; a Claude that does not confirm
 * that must not go on.
 */

/**
 * Modes in which nothing runs that its owner was not asked about; `dontAsk` refuses what it would have to ask about.
 */
const ASKING = ["default", "manual", "plan", "dontAsk"] as const;

interface ModeGuardOptions {
  clock: Clock;
  /** How long Claude may take to confirm. */
  withinMs: number;
  /** Called with the request that sets it back, and the mode that it had gone into. */
  setBack(request: Fields, mode: string): void;
  /** Called when it goes by itself into another mode in which it asks. */
  onModeChanged(mode: string): void;
  /** Called once when it is not set back in time. */
  onModeNotRestored(mode: string): void;
}

export class ModeGuard {
  readonly #options: ModeGuardOptions;
  /** The mode in which it was opened, or that its owner has chosen since, is the loosest. */
  #chosen: string;
  /** The mode in which it is. */
  #current: string;
  /** The request that it has not confirmed yet. */
  #waiting: { id: string; mode: string; forget: () => void } | null = null;

  /** @param args all those that it is started with */
  constructor(args: readonly string[], options: ModeGuardOptions) {
    this.#chosen = this.#current = modeOf(args) ?? "default";
    this.#options = options;
  }

  get current(): string {
    return this.#current;
  }

  /**
   * Its owner wants this one. Called before Claude is asked, because it says the new mode right after it confirms it, and
   * both lines may be read at once. Returns what takes that back, for a Claude that does not confirm it.
   */
  expectMode(mode: string): () => void {
    const [chosen, current] = [this.#chosen, this.#current];
    this.#chosen = this.#current = mode;
    return () => {
      this.#chosen = chosen;
      this.#current = current;
    };
  }

  /** Takes every line that says something of the whole conversation. */
  readLine(line: Fields): void {
    if (line["type"] === "control_response") return this.#onModeResponse(inner(line, "response"));
    const mode = line["type"] === "system" ? text(line["permissionMode"]) : "";
    if (mode === "" || this.#waiting !== null) return;
    const { clock, withinMs, setBack, onModeChanged, onModeNotRestored: lost } = this.#options;
    if (mode === this.#chosen || ASKING.some((one) => one === mode)) {
      if (mode !== this.#current) onModeChanged((this.#current = mode));
      return;
    }
    const id = randomUUID();
    this.#waiting = { id, mode, forget: clock.after(withinMs, () => lost(mode)) };
    setBack(this.request(id), mode);
  }

  /**
   * The request for the chosen mode. Written before the first prompt, it is read before Claude can act; written in the
   * middle of a turn, it comes while the model answers. The mode that Claude says afterwards tells whether it was
   * heard.
   */
  request(id: string = randomUUID()): Fields {
    return { type: "control_request", request_id: id, request: { subtype: "set_permission_mode", mode: this.#chosen } };
  }

  #onModeResponse({ request_id, subtype }: Fields): void {
    if (this.#waiting === null || request_id !== this.#waiting.id) return;
    const { mode, forget } = this.#waiting;
    this.#waiting = null;
    forget();
    if (subtype !== "success") this.#options.onModeNotRestored(mode);
  }
}
