/**
 * How to talk to an agent that is a command-line program: its name, how it is found and installed, which arguments it
 * may be given, and what its lines mean.
 */
import type { Clock } from "../../base/clock.ts";
import type { Exit } from "../../host/processes/child.ts";
import type { Processes } from "../../host/processes/processes.ts";
import type { Prompt, Reply } from "../contract/agent.ts";
import type { HowTo, Opening, ReadBy, Store } from "../contract/driver.ts";
import type { Outcome, TurnEnded, Update } from "../contract/updates.ts";
import type { Fields } from "./fields.ts";
import type { ArgumentRules } from "./arguments.ts";

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
export interface TurnStart extends Pick<Opening, "key">, Pick<Prompt, "counters"> {}

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
  take(line: Fields, cut?: number): Translated;
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
}

/** Session keys become part of an argv later, so nothing that could be read as an option or a path is accepted. */
export const SESSION_KEY = /^[A-Za-z0-9][\w.-]{0,63}$/;
