/**
 * The check of a project's `default_args`: the first argument that an agent's rules refuse is named, with why.
 * Every reading of an argument that could mean a refused one counts: a long option with and without `=`, short
 * options joined to one word, and words that would be taken for a prompt or a subcommand.
 */

export interface RefusedArgument {
  argument: string;
  reason: Reason;
}

/**
 * - `ours`: the driver says this itself
 * - `session`: chooses another session or where it is kept
 * - `elsewhere`: runs in another way or another place than this process and this directory
 * - `unguarded`: takes permissions away for good; a session's `permission` setting is the place for that
 * - `not_an_option`: would be read as a prompt or a subcommand
 */
export type Reason = "ours" | "session" | "elsewhere" | "unguarded" | "not_an_option";

export interface ArgumentRules {
  /** By the option's name, without a value. */
  refused: Readonly<Record<string, Reason>>;
  /** Options without a value: a word after one of them would be taken for the prompt. */
  valueless: ReadonlySet<string>;
  /** The only short options that may be; others could hold a refused one (`-pr`). */
  short: ReadonlySet<string>;
  /** The last word on an option with its value, where the value decides. */
  judge?(name: string, value: string): Reason | null;
}

/** The first argument that cannot be, or null. */
export function refusedArgument(rules: ArgumentRules, args: readonly string[]): RefusedArgument | null {
  let mayBeValue = false;
  for (const [at, argument] of args.entries()) {
    const reason = reasonAgainst(rules, argument, mayBeValue, args[at + 1]);
    if (reason !== null) return { argument, reason };
    if (argument.startsWith("-")) mayBeValue = !argument.includes("=") && !rules.valueless.has(argument);
  }
  return null;
}

/** A table of names with one reason, from names with spaces between them. */
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
  const reason = Object.hasOwn(rules.refused, name) ? rules.refused[name] : undefined;
  return reason ?? rules.judge?.(name, value) ?? null;
}
