/**
 * Parses the arguments of a verb strictly: an unknown option, a value where none belongs, or an extra word is wrong
 * usage; the error names the word and shows the usage.
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { WordArgs, WordKey } from "../base/words/say.ts";

/** Ends the verb with exit code 64, its sentence and the verb's usage. */
export class WrongCall extends Error {
  override readonly name = "WrongCall";
  readonly key: WordKey;
  readonly args: WordArgs;

  constructor(key: WordKey, args: WordArgs = {}) {
    super(key);
    this.key = key;
    this.args = args;
  }
}

type OptionDefinitions = NonNullable<ParseArgsConfig["options"]>;
type ParsedOptions<T extends OptionDefinitions> = ReturnType<
  typeof parseArgs<{ options: T; allowPositionals: true; strict: true }>
>["values"];

/**
 * Parses the options and the words between them.
 * @param words maximum number of words
 * @throws WrongCall
 */
export function readOptions<T extends OptionDefinitions>(
  argv: readonly string[],
  options: T,
  words = 0,
): { values: ParsedOptions<T>; words: string[] } {
  const { values, positionals } = parse(argv, options);
  const extra = positionals[words];
  if (extra !== undefined) throw new WrongCall("cli.wrong.word", { word: shown(extra) });
  return { values, words: positionals };
}

/**
 * Removes `--env-file PATH`, which verbs with settings take, from the arguments. @throws WrongCall if it has no path
 */
export function takeEnvFile(argv: readonly string[]): { argv: string[]; envFile?: string } {
  const rest: string[] = [];
  let envFile: string | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") return { argv: [...rest, ...argv.slice(at)], ...(envFile !== undefined && { envFile }) };
    if (word !== "--env-file" && !word.startsWith("--env-file=")) rest.push(word);
    else if (!(envFile = word === "--env-file" ? argv[++at] : word.slice("--env-file=".length)))
      throw new WrongCall("cli.wrong.value", { option: "--env-file" });
  }
  return { argv: rest, ...(envFile !== undefined && { envFile }) };
}

/** @throws WrongCall unless the text is an integer in this range */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new WrongCall("cli.wrong.number", { option, min, max, found: shown(text) });
}

function parse<T extends OptionDefinitions>(
  argv: readonly string[],
  options: T,
): { values: ParsedOptions<T>; positionals: string[] } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const option = shown(/'([^']*)'/.exec(message)?.[1]?.split(/[ ,=]/)[0] ?? "");
    if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") throw new WrongCall("cli.wrong.option", { option });
    if (code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") throw new WrongCall("cli.wrong.value", { option });
    throw error;
  }
}

/** As typed, without terminal control characters. */
function shown(text: string): string {
  return JSON.stringify(text).slice(1, -1).slice(0, 80);
}
