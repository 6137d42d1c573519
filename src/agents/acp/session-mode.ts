/**
 * The mode of one session: one in which the agent asks before it acts, the one that the project's arguments name, or
 * the one that its owner chose. Whatever the agent does by itself, it never asks for less than its owner last chose.
 */
import { BellhopError, type ReasonKey } from "../../base/errors.ts";
import type { KeptMode, Mode } from "../../core/sessions/modes.ts";
import type { AgentFacts, Offered, CommandOffered } from "../../core/sessions/told.ts";
import type { Update } from "../contract/updates.ts";
import { type Fields, count, inner, records, text, oneLine } from "../process/fields.ts";
import type { Cost } from "../../core/jobs/cost.ts";
import { costOf } from "./translate.ts";
import type { Access } from "../contract/driver.ts";
import { valueOf } from "../process/dialect.ts";

type RequestSender = (method: string, params: Fields) => Promise<Fields>;

interface SessionModeOptions {
  sessionId: string;
  /** As it calls itself. */
  agentName: string;
  /** Null for an agent without modes. */
  modes: SessionChoice | null;
  /** The mode that the project's arguments name; null: none. */
  named: string | null;
  request: RequestSender;
}

/** Why a session cannot be used. */
type Unusable = { because: ReasonKey; mode: string };

const SHOWN_CHARS = 40;

export class SessionMode {
  readonly #options: SessionModeOptions;
  /** The modes in which the agent asks; null: nobody knows. */
  readonly #asking: readonly string[] | null;
  #modes: SessionChoice | null;
  /** The modes that it may be in: those in which it asks, and a looser one only if its owner wants it. */
  #allowed: readonly string[] = [];
  /** The mode that we are setting; it may be told before it is confirmed. */
  #setting: string | null = null;
  #told: Update[] = [];

  constructor(options: SessionModeOptions) {
    this.#options = options;
    this.#modes = options.modes;
    this.#asking = askingModes(options.agentName);
  }

  /** Whether nobody knows in which of its modes it asks. */
  get isUnknown(): boolean {
    return this.#asking === null;
  }

  /** Undefined for an agent without modes. */
  get current(): string | undefined {
    return this.#modes?.current;
  }

  /** The modes that its owner may choose. */
  get offered(): readonly Offered[] {
    return (this.#modes?.available ?? []).filter(({ id }) => this.#mayBeChosen(id));
  }

  /** None is looser than the one that the arguments name; of an agent that nobody knows, none can be compared with it. */
  #mayBeChosen(id: string): boolean {
    const { named } = this.#options;
    if (this.#asking === null) return named === null ? !isBoundless(id) : id === named;
    // Its modes that ask are in the order of what they let it do.
    const loosest = named === null ? 0 : Math.max(0, this.#asking.indexOf(named));
    return id === named || this.#asking.slice(loosest).includes(id);
  }

  facts(): AgentFacts {
    const { current } = this;
    return current === undefined
      ? {}
      : { mode: current, modes: this.offered.map((one) => ({ ...one, ...(this.isUnknown && { unsure: true }) })) };
  }

  /** What is still to be told of it; each thing is told once. */
  takeUpdates(): Update[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  /**
   * Sets the mode of a session that was just opened, and reads back whether it is. An agent that has none in which it
   * asks stays in the first one it was ever in.
   * @param last the mode of the session's agent before it
   * @param asIs whether an agent that cannot be set to a mode that asks is used as it is
   * @returns why the session cannot be used; null: it can
   */
  async setInitialMode(last: KeptMode | undefined, asIs: boolean): Promise<Unusable | null> {
    const modes = this.#modes;
    if (modes === null) return null;
    const { named } = this.#options;
    // What was chosen, or gone into, under arguments that were looser does not hold any more.
    const stillChosen = (mode = ""): string | undefined => (this.#mayBeChosen(mode) ? mode : undefined);
    const kept = last?.by === "agent" || last?.by === "owner" ? stillChosen(last.mode) : undefined;
    const chosen = stillChosen(last?.chosen);
    const asking = this.#asking ?? [];
    const allowed = this.#allowedAfter(chosen);
    const wanted = [kept, chosen, named, modes.current, ...asking].find(
      (mode) => mode != null && allowed.includes(mode) && isOffered(modes, mode),
    );
    if (wanted != null && (await this.#set(wanted))) {
      const by =
        wanted === kept ? (last?.by ?? "agent") : wanted === chosen ? "owner" : wanted === named ? "config" : "bellhop";
      if (wanted !== modes.current || by === "config")
        this.#addModeUpdate({ mode: wanted, by }, last?.by === "owner" && by !== "owner");
      this.#allowed = allowed;
      return null;
    }
    const isFirst = last?.by === "agent" || last?.by === "bellhop" || (last !== undefined && last.mode === kept);
    const instead = last !== undefined && this.isUnknown ? (named ?? modes.current) : modes.current;
    const first = isFirst ? last.mode : isOffered(modes, instead) ? instead : modes.current;
    const mode = modes.current.slice(0, SHOWN_CHARS);
    if (!asIs && !this.isUnknown) return { because: "why_mode_loose", mode };
    if (!(await this.#set(first))) return { because: "why_mode_kept", mode };
    this.#allowed = [first];
    this.#addModeUpdate(
      { mode: first, by: kept === first ? (last?.by ?? "agent") : "agent" },
      last?.by === "owner" && kept !== first,
    );
    return null;
  }

  /** @throws BellhopError E_MODE_UNAVAILABLE if the owner may not choose it, or the agent does not confirm it */
  async choose(mode: string): Promise<string> {
    const unavailable = new BellhopError("E_MODE_UNAVAILABLE", { mode });
    const modes = this.#modes;
    // Also where it seems to be in that mode already: it may be about to leave it.
    if (modes === null || !this.offered.some(({ id }) => id === mode) || !(await this.#request(modes, mode)))
      throw unavailable;
    this.#modes = { ...modes, current: mode };
    this.#allowed = this.#allowedAfter(mode);
    // What the agent did before is over.
    this.#told = [];
    return mode;
  }

  /**
   * The agent says that it is in this mode now.
   * @returns false if it may not be in it, and is to be set back
   */
  onModeReported(mode: string): boolean {
    if (this.#modes === null || mode === this.#modes.current || mode === this.#setting) return true;
    if (!this.#allowed.includes(mode)) {
      this.#keepLatest({ kind: "notice", code: "mode_set_back", text: mode });
      return false;
    }
    this.#modes = { ...this.#modes, current: mode };
    this.#addModeUpdate({ mode, by: "agent" }, true);
    return true;
  }

  /** Whether it is in its last mode again. */
  async setBack(): Promise<boolean> {
    return this.#modes === null || this.#request(this.#modes, this.#modes.current);
  }

  /** @param chosen what the owner chose; undefined: nothing */
  #allowedAfter(chosen: string | undefined): readonly string[] {
    const { named } = this.#options;
    if (this.#asking === null) return chosen === undefined ? [] : [chosen];
    return named === null || (chosen !== undefined && chosen !== named) ? this.#asking : [named, ...this.#asking];
  }

  /** Whether it is in this mode now. */
  async #set(mode: string): Promise<boolean> {
    if (this.#modes === null || this.#modes.current === mode) return true;
    if (!(await this.#request(this.#modes, mode))) return false;
    this.#modes = { ...this.#modes, current: mode };
    return true;
  }

  async #request(modes: SessionChoice, mode: string): Promise<boolean> {
    const { sessionId, request } = this.#options;
    const { method, params } = setMode(sessionId, modes, mode);
    this.#setting = mode;
    const answer = await request(method, params).catch(() => null);
    this.#setting = null;
    return answer !== null && (modesOf(answer)?.current ?? mode) === mode;
  }

  #addModeUpdate(mode: Mode, isNews = false): void {
    this.#keepLatest({ kind: "mode", ...mode });
    if (isNews) this.#keepLatest({ kind: "notice", code: "mode_changed", text: mode.mode });
  }

  /** The last of its kind: an agent may change its mode however often before somebody listens. */
  #keepLatest(update: Update): void {
    this.#told = [...this.#told.filter(({ kind }) => kind !== update.kind), update];
  }
}

function isOffered({ current, available }: SessionChoice, mode: string): boolean {
  return mode === current || available.some(({ id }) => id === mode);
}

/*
 * When an agent asks before it acts: in some of its modes, by the name it gives itself, or because of its environment.
 */

/**
 * Modes that ask, the loosest first, which is the preferred one, by the name an agent gives itself; any other mode counts as not asking. An
 * agent without modes always asks. OpenCode asks because of its environment (`askingEnvironment`).
 */
const ASKING: ReadonlyMap<string, readonly string[]> = new Map([
  ["@agentclientprotocol/claude-agent-acp", ["default", "plan"]],
  ["@zed-industries/claude-code-acp", ["default", "plan"]],
  ["@agentclientprotocol/codex-acp", ["read-only"]],
  ["gemini-cli", ["default", "plan"]],
  ["OpenCode", ["build", "plan"]],
  ["acp-demo-agent", []],
]);

/** Null for an agent that is not known: nobody can say in which of its modes it asks. */
export function askingModes(agentName: string): readonly string[] | null {
  return ASKING.get(agentName) ?? null;
}

/**
 * Whatever acts or asks the network. A tool with `_` in its name is one of an MCP server, or reaches outside the
 * project.
 */
const OPENCODE_ASKS = Object.fromEntries(
  ["bash*", "edit*", "webfetch*", "websearch*", "codesearch*", "task*", "*_*"].map((tool) => [tool, "ask"]),
);
const OPENCODE_MODES = {
  build: { permission: OPENCODE_ASKS },
  plan: { permission: { ...OPENCODE_ASKS, "edit*": "deny" } },
};

/**
 * The environment in which OpenCode asks before it acts. Its modes do not make it ask: in `build` and in `plan` it runs
 * commands without asking, unless its permissions say otherwise. Of its rules the last one that matches counts, and
 * those of a mode come after all others. A name in the owner's or the project's files keeps its place when another
 * value is merged into it, so the names here have a star, which makes them new and last. It is set for every agent,
 * because only a running one tells who it is.
 */
export function askingEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...env,
    OPENCODE_PERMISSION: JSON.stringify(OPENCODE_ASKS),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ agent: OPENCODE_MODES }),
  };
}

/*
 * What an agent offers to choose from in its session: models, modes and its own commands, and how a model or a mode is
 * set. What it confirms counts, not what was asked for.
 */

/** A session's models, its modes, or how much it may think. */
export interface SessionChoice {
  current: string;
  available: readonly Offered[];
  /** The configuration option that sets it; null where a request of its own does. */
  option: string | null;
}

/** The models in what an agent says of its session: an option of the category `model`, or else `models`; null: none. */
export function modelsOf(told: Fields): SessionChoice | null {
  const { currentModelId, availableModels } = inner(told, "models");
  return (
    optionIn(told, "model") ??
    choiceOf(
      currentModelId,
      records(availableModels).map(({ modelId, name }) => offered(modelId, name)),
    )
  );
}

/** The modes in what an agent says of its session: `modes`, or else an option of the category `mode`; null: none. */
export function modesOf(told: Fields): SessionChoice | null {
  const { currentModeId, availableModes } = inner(told, "modes");
  return (
    choiceOf(
      currentModeId,
      records(availableModes).map(({ id, name }) => offered(id, name)),
    ) ?? optionIn(told, "mode")
  );
}

/** How much it may think; null: that cannot be chosen. */
export function effortsOf(told: Fields): SessionChoice | null {
  return optionIn(told, "thought_level");
}

function choiceOf(current: unknown, all: readonly Offered[]): SessionChoice | null {
  return text(current) === "" ? null : { current: text(current), available: all, option: null };
}

function optionIn(told: Fields, what: "model" | "mode" | "thought_level"): SessionChoice | null {
  const option = records(told["configOptions"]).find(
    ({ category, id }) => category === what || (category === undefined && id === what),
  );
  return typeof option?.["currentValue"] === "string"
    ? { current: option["currentValue"], available: valuesOf(option), option: text(option["id"]) }
    : null;
}

/** The values of a configuration option, which may come in groups. */
function valuesOf(option: Fields): Offered[] {
  return records(option["options"]).flatMap((one) =>
    Array.isArray(one["options"]) ? valuesOf(one) : [offered(one["value"], one["name"])],
  );
}

function offered(id: unknown, name: unknown): Offered {
  return { id: text(id), name: text(name) || text(id) };
}

/** What may be chosen for a session's next turns. */
export interface SessionChoices {
  id: string;
  models: SessionChoice | null;
  efforts: SessionChoice | null;
}

/**
 * Chooses a model or an effort, and resolves with what may be chosen as it stands then.
 * @throws BellhopError E_MODEL_UNAVAILABLE, E_EFFORT_UNAVAILABLE if the agent does not have it
 */
export async function chooseFrom(
  request: (method: string, params: Fields) => Promise<Fields>,
  { id: sessionId, models, efforts }: SessionChoices,
  what: "model" | "effort",
  id: string,
): Promise<Pick<SessionChoices, "models" | "efforts">> {
  const choice = what === "model" ? models : efforts;
  const unavailable = (cause?: unknown): BellhopError =>
    what === "model"
      ? new BellhopError("E_MODEL_UNAVAILABLE", { model: id }, { cause })
      : new BellhopError("E_EFFORT_UNAVAILABLE", { effort: id }, { cause });
  if (choice === null || !choice.available.some((one) => one.id === id)) throw unavailable();
  const { option } = choice;
  const sent =
    option === null
      ? request("session/set_model", { sessionId, modelId: id })
      : request("session/set_config_option", { sessionId, configId: option, value: id });
  const answer = await sent.catch((error: unknown) => {
    throw unavailable(error);
  });
  const chosen = { ...choice, current: id };
  return {
    models: modelsOf(answer) ?? (what === "model" ? chosen : models),
    efforts: effortsOf(answer) ?? (what === "effort" ? chosen : efforts),
  };
}

/** The request that sets a mode. */
function setMode(sessionId: string, { option }: SessionChoice, mode: string): { method: string; params: Fields } {
  return option === null
    ? { method: "session/set_mode", params: { sessionId, modeId: mode } }
    : { method: "session/set_config_option", params: { sessionId, configId: option, value: mode } };
}

/** The mode an update says the session is in now, or null if it says nothing of it. */
export function modeIn(update: Fields): string | null {
  if (update["sessionUpdate"] === "current_mode_update") return text(update["currentModeId"]) || null;
  return update["sessionUpdate"] === "config_option_update" ? (modesOf(update)?.current ?? null) : null;
}

/** @param usage the last that the session told @param cost since the session began; null if nobody knows */
export function factsOf(
  { models, efforts }: Pick<SessionChoices, "models" | "efforts">,
  { usage, cost }: { usage: Fields; cost: Cost | null },
): AgentFacts {
  const [used, size] = [count(usage["used"]), count(usage["size"])];
  return {
    ...(models !== null && { model: models.current, models: models.available }),
    ...(efforts !== null && { effort: efforts.current, efforts: efforts.available }),
    ...(used !== undefined && size !== undefined && { context: { used, size } }),
    // An agent that tells no cost may still cost something.
    ...(cost !== null && costOf(usage) !== undefined && { cost }),
  };
}

const MOST_COMMANDS = 500;

/** The commands in an `available_commands_update`. */
export function commandsIn(update: Fields): CommandOffered[] {
  const told = records(update["availableCommands"]).slice(0, MOST_COMMANDS);
  return told
    .map((one) => ({
      name: oneLine(text(one["name"])),
      description: oneLine(text(one["description"])),
      hint: oneLine(text(inner(one, "input")["hint"])),
    }))
    .filter(({ name }) => name !== "");
}

/*
 * Which of a project's `default_args` are refused for an agent whose options nobody knows: those that by their name let
 * it act without asking. What an agent's other options do to its mode shows when its session is open.
 */

/** Modes by which an agent may do everything. */
const BOUNDLESS = new Set(["bypassPermissions", "yolo", "agent-full-access"]);
/** Agents name a mode in one of these ways. */
const NAMING = ["--permission-mode", "--approval-mode", "--approvalMode", "--mode"];

const UNGUARDED = /^(?:--yolo\b|-y$|--(?:allow-)?dangerously)/i;

/** The first refused argument, or null. */
export function refusedArgument(args: readonly string[]): string | null {
  return (
    args.find((argument) => argument.includes("\0") || UNGUARDED.test(argument)) ??
    (isBoundless(namedMode(args) ?? "") ? namedMode(args) : null)
  );
}

function isBoundless(mode: string): boolean {
  return BOUNDLESS.has(mode);
}

/** The mode that the arguments name, as the protocol spells it (Gemini's `auto_edit` is its `autoEdit`); null: none. */
export function namedMode(args: readonly string[]): string | null {
  return valueOf(NAMING, args)?.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) ?? null;
}

/** How an agent that is known may write. */
export function accessOf(args: readonly string[]): Access {
  return [null, "default", "plan", "read-only"].includes(namedMode(args)) ? "asks" : "edits";
}
