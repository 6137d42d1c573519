/**
 * Arguments that the owner's settings give an agent's program: the model, and a project's `default_args`, of which an
 * agent's rules may refuse some. Every reading that could mean a refused argument counts: long options with and without
 * `=`, combined short options, and words that would be taken for a prompt or a subcommand.
 */
import { entryOf } from "../../base/entry.ts";
import type { Access, ChosenSettings } from "../contract/driver.ts";

/** In one element, so that no name is read as an option; each of these programs calls the option the same. */
export function modelArguments({ model }: ChosenSettings = {}): string[] {
  return model === undefined ? [] : [`--model=${model}`];
}

export interface RefusedArgument {
  argument: string;
  reason: Reason;
}

/**
 * - `ours`: the driver sets this itself
 * - `session`: chooses another session or where it is kept
 * - `elsewhere`: runs differently or elsewhere than in this process and directory
 * - `unguarded`: disables permissions for good; use a session's `permission` setting instead
 * - `not_an_option`: would be read as a prompt or a subcommand
 */
export type Reason = "ours" | "session" | "elsewhere" | "unguarded" | "not_an_option";

/** What is known of the arguments that a program takes. */
export interface ArgumentRules {
  /** Keyed by the option's name, without a value. */
  refused: Readonly<Record<string, Reason>>;
  /** Options without a value: a word after one of them would be taken for the prompt. */
  valueless: ReadonlySet<string>;
  /** The only short options allowed; others could contain a refused one (`-pr`). */
  short: ReadonlySet<string>;
  /** Judges an option by its value, if the name alone does not decide. */
  judge?(name: string, value: string): Reason | null;
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

/** A table that gives one reason to each of the space-separated names. */
export function each(reason: Reason, names: string): Record<string, Reason> {
  return Object.fromEntries(names.split(" ").map((name) => [name, reason]));
}

function reasonAgainst(rules: ArgumentRules, argument: string, mayBeValue: boolean, next = ""): Reason | null {
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
