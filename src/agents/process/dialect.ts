/**
 * How to talk to an agent that is a command-line program: its name, how it is found and installed, which arguments it
 * may be given, and what its lines mean.
 */
import type { Clock } from "../../base/clock.ts";
import type { Exit, Child } from "../../host/processes/child.ts";
import type { Processes } from "../../host/processes/processes.ts";
import type {
  Prompt,
  Reply,
  Agent,
  Driver,
  Turn,
  HowTo,
  Opening,
  ReadBy,
  Store,
  Access,
  ChosenSettings,
} from "../contract/driver.ts";
import type { Outcome, TurnEnded, Update } from "../contract/updates.ts";
import { type Fields, oneLine } from "./fields.ts";
import { theirWords, type ErrorCode, type ErrorDetails } from "../../base/errors.ts";
import { which } from "../../host/processes/which.ts";
import type { Offered } from "../../core/sessions/told.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import { entryOf } from "../../base/entry.ts";

/** Asks an agent whether it is logged in; it answers with exit code 0 or 1. */
export interface LoginCheck {
  args: readonly string[];
  /** The first version that supports it; an earlier one may take it for a prompt. */
  since: string;
  /** For an agent that writes into its home when asked. */
  home?: {
    /** The variable that sets another home. */
    variable: string;
    /** Whether the agent has run in the home it would have in this environment; if `unclear`, it is not asked. */
    state(env: Readonly<Record<string, string>>): "used" | "unused" | "unclear";
  };
}

/** What is known of the program, whatever its processes live for. */
export interface Program extends Readonly<HowTo> {
  /** See `Driver`. */
  readonly tool: string;
  readonly keyName: string;
  readonly store: Store;
  /** Variables it needs besides those of every agent. */
  readonly env?: Readonly<Record<string, string>>;
  readonly loginCheck?: LoginCheck;
  /** Versions whose streams the tests use. */
  readonly tried: ReadonlySet<string>;
  readonly rules: ArgumentRules;
  readonly choosesWithPrompt?: true;
  readonly compacts?: Driver["compacts"];
  readonly offers: Driver["offers"];
  readBy?(env: Readonly<Record<string, string>>, key: string, names: readonly string[]): Promise<ReadBy>;
}

/** How to talk to an agent that is one process a turn. */
export interface Dialect extends Program {
  /**
   * What to start it with, or the end of a turn that cannot start. The session key and the arguments are already
   * checked.
   */
  begin(opening: Opening, text: string): Beginning | TurnEnded;
  /** @param now the wall clock, for times that the agent gives without a date */
  translation(about: TurnStart, now: () => number): Translation;
}

/** What a translation knows of its turn. */
interface TurnStart {
  key: Opening["key"];
  counters: Prompt["counters"];
}

export interface Beginning {
  args: readonly string[];
  /** Written to stdin at once. */
  input: string;
  /** Whether replies go to its stdin; if not, stdin is closed after the input. */
  conversation: boolean;
}

/** The end of a turn whose answer has an unknown format: the part that could be read is not the answer. */
export const unreadable: Outcome = {
  outcome: "failed",
  code: "E_ADAPTER_PARSE",
  details: { because: "why_answer_unknown" },
};

/** Turns lines into updates: pure, in order, one instance per turn. */
export interface Translation {
  /** Whether any line of the protocol has arrived. */
  readonly started: boolean;
  /** Kinds of lines that were not understood, with their counts. */
  readonly unknown: ReadonlyMap<string, number>;
  /** @param cut how many bytes the line had before long texts in it were cut; undefined: nothing was */
  translate(line: Fields, cut?: number): Translated;
  /** For an agent that prints multi-line objects: sees each line first; null if it is not part of one. */
  piece?(line: string): Translated | null;
  /** What a line of stderr means, reported at once between the lines of stdout. An `end` stops the agent. */
  overhear?(line: string): Update[];
  /** What to write to the agent's stdin for the owner's answer to this request; nothing if it is not waiting. */
  answer?(id: string, reply: Reply): Fields[];
  /**
   * What the process's exit means if no line was the end, in this agent's own codes and words; null: what it means for
   * any program. Not called if the turn was cancelled or could not be started.
   */
  ending?(exit: Exit, stderr: string): TurnEnded | null;
}

export interface Translated {
  updates: Update[];
  /** Lines to write to the agent's stdin. */
  replies: Fields[];
  /** The turn's end, if this line was it; `abandon` if the agent must not continue. */
  end: (TurnEnded & { abandon?: boolean }) | null;
}

export interface ProcessSetting {
  processes: Processes;
  clock: Clock;
  /** A name to find in PATH or an absolute path, and arguments that precede all others. */
  command: readonly string[];
  lingerMs: number;
  /** As in `ProcessDriverOptions`. */
  controlMs: number;
}

/** Session keys become part of an argv later, so nothing that could be read as an option or a path is accepted. */
export const SESSION_KEY = /^[A-Za-z0-9][\w.-]{0,63}$/;

/* The ends of turns that failed: as our code and what is known. */

export function failedTurn(code: ErrorCode, details: ErrorDetails): TurnEnded {
  return { kind: "end", outcome: "failed", code, details };
}

/** The program is not there, or the machine cannot run it. */
export function notStarted({ tool, install }: { tool: string; install: string }, why: ErrorDetails): TurnEnded {
  return failedTurn("E_AGENT_START_FAILED", { tool, install, ...why });
}

/** Why something failed: what somebody else said of it, on one line, or what we know if that is nothing. */
export function reasonDetails(words: string, ours: ErrorDetails = {}): ErrorDetails {
  const line = oneLine(words);
  return line === "" ? ours : { reason: theirWords(line) };
}

/** Why a command of the owner's was not found: he may have named a program, or the place where one is. */
export function notFound(command: string): ErrorDetails {
  return { because: command.includes("/") ? "why_no_program" : "why_not_in_path", command };
}

/* A conversation whose process could not be started: each of its turns ends at once, and says why. */

export function unopenedAgent(end: TurnEnded): Agent {
  const gone = Promise.resolve();
  const turn = (): Turn => ({
    process: Promise.resolve(null),
    updates: one(end),
    answer: async () => false,
    heardAt: () => 0,
    cancel: () => gone,
    over: gone,
  });
  return {
    process: null,
    opened: Promise.resolve(end),
    background: [],
    heardAt: () => 0,
    between: noUpdates(),
    gone,
    prompt: turn,
    close: () => gone,
  };
}

async function* one(update: Update): AsyncGenerator<Update, void> {
  yield update;
}

/** What a conversation without a process does between its turns. */
export async function* noUpdates(): AsyncGenerator<never, void> {}

/*
 * Starts an agent's process, or tells why it cannot be started. Synchronous, so that whoever ends what was started
 * always finds the process.
 */

interface ProcessStart {
  program: Program;
  opening: Pick<Opening, "cwd" | "args" | "key" | "env">;
  setting: ProcessSetting;
  /** Where to note the start. */
  log: Pick<JobLog, "writeNote">;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

/** @param begin called once the session key and the arguments are checked */
export function startProcess(
  { program, opening, setting, log, onStdout, onStderr }: ProcessStart,
  begin: () => Pick<Beginning, "args"> | TurnEnded,
): Child | TurnEnded {
  const { args, cwd, env, key } = opening;
  if (key !== null && !SESSION_KEY.test(key)) {
    return failedTurn("E_RESUME_UNKNOWN", { resume: "unknown", session: oneLine(key), because: "why_key_refused" });
  }
  const [command = "", ...before] = setting.command;
  const file = which(command, env["PATH"]);
  if (file === null) return notStarted(program, notFound(command));
  const refused = refusedArgument(program.rules, args);
  if (refused) return failedTurn("E_ARGUMENT_REFUSED", { tool: program.tool, argument: oneLine(refused.argument) });
  const beginning = begin();
  if ("kind" in beginning) return beginning;
  const argv = [...before, ...beginning.args];
  log.writeNote(`started: ${JSON.stringify([file, ...argv])} in ${JSON.stringify(cwd)}`);
  return setting.processes.spawn({ file, args: argv, cwd, env: { ...env, ...program.env }, onStdout, onStderr });
}

/*
 * Arguments that the owner's settings give an agent's program: the model, and a project's `default_args`, of which an
 * agent's rules may refuse some. Every reading that could mean a refused argument counts: long options with and without
 * `=`, combined short options, and words that would be taken for a prompt or a subcommand.
 */

/** In one element, so that no name is read as an option; each of these programs calls the option the same. */
export function modelArguments({ model }: ChosenSettings = {}): string[] {
  return model === undefined ? [] : [`--model=${model}`];
}

interface RefusedArgument {
  argument: string;
  reason: ArgumentRefusal;
}

/**
 * - `ours`: the driver sets this itself
 * - `session`: chooses another session or where it is kept
 * - `elsewhere`: runs differently or elsewhere than in this process and directory
 * - `unguarded`: disables permissions for good; use a session's `permission` setting instead
 * - `not_an_option`: would be read as a prompt or a subcommand
 */
export type ArgumentRefusal = "ours" | "session" | "elsewhere" | "unguarded" | "not_an_option";

/** What is known of the arguments that a program takes. */
export interface ArgumentRules {
  /** Keyed by the option's name, without a value. */
  refused: Readonly<Record<string, ArgumentRefusal>>;
  /** Options without a value: a word after one of them would be taken for the prompt. */
  valueless: ReadonlySet<string>;
  /** The only short options allowed; others could contain a refused one (`-pr`). */
  short: ReadonlySet<string>;
  /** Judges an option by its value, if the name alone does not decide. */
  judge?(name: string, value: string): ArgumentRefusal | null;
  /** See `Driver`. */
  access(args: readonly string[], settings?: ChosenSettings): Access;
  readonly writing: readonly string[] | null;
}

/** The first refused argument, or null. */
export function refusedArgument(rules: ArgumentRules, args: readonly string[]): RefusedArgument | null {
  let mayBeValue = false;
  for (const [at, argument] of args.entries()) {
    const reason = reasonAgainst(rules, argument, mayBeValue, args[at + 1]);
    if (reason !== null) return { argument, reason };
    if (argument.startsWith("-")) mayBeValue = !argument.includes("=") && !rules.valueless.has(argument);
  }
  return null;
}

/** The last value given to an option under any of its names, which is the one that counts; null if there is none. */
export function valueOf(names: readonly string[], args: readonly string[]): string | null {
  let value: string | null = null;
  for (const [at, argument] of args.entries()) {
    const [name = "", ...rest] = argument.split("=");
    if (names.includes(name)) value = rest.length > 0 ? rest.join("=") : (args[at + 1] ?? null);
  }
  return value;
}

/** The arguments without an option, under any of its names, and its value. */
export function withoutOption(names: readonly string[], args: readonly string[]): string[] {
  return args.filter((argument, at) => {
    const isValue = names.includes(args[at - 1] ?? "");
    return !isValue && !names.includes(argument.split("=")[0] ?? "");
  });
}

/** Of modes, the strictest first, those that are not looser than one of them. */
export function modesUpTo(modes: readonly string[], loosest: string): Offered[] {
  return asOffered(modes.slice(0, modes.indexOf(loosest) + 1));
}

export function asOffered(ids: readonly string[]): Offered[] {
  return ids.map((id) => ({ id, name: id }));
}

/** The mode that the owner chose last, if the arguments and settings still allow it. */
export function chosenMode(program: Pick<Program, "offers">, { mode, args, settings }: Opening): string | undefined {
  const chosen = mode?.by === "agent" || mode?.by === "owner" ? [mode.mode, mode.chosen] : [mode?.chosen];
  const may = program.offers("mode", args, settings) ?? [];
  return chosen.find((id) => may.some((one) => one.id === id));
}

/** A table that gives one reason to each of the space-separated names. */
export function sameReasonForEach(reason: ArgumentRefusal, names: string): Record<string, ArgumentRefusal> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reason]));
}

function reasonAgainst(rules: ArgumentRules, argument: string, mayBeValue: boolean, next = ""): ArgumentRefusal | null {
  if (argument.includes("\0")) return "not_an_option";
  if (!argument.startsWith("-")) return mayBeValue ? null : "not_an_option";
  if (argument === "--" || argument === "-") return "not_an_option";
  const at = argument.indexOf("=");
  const [name, value] = at < 0 ? [argument, next] : [argument.slice(0, at), argument.slice(at + 1)];
  if (!argument.startsWith("--") && !rules.short.has(argument)) return "ours";
  // Agents name options that disable their guards like this; one that a later version adds is refused as well.
  if (/^--(allow-)?dangerously/i.test(name)) return "unguarded";
  const reason = entryOf(rules.refused, name);
  return reason ?? rules.judge?.(name, value) ?? null;
}
