/**
 * What stands after a verb, read strictly: an option nobody knows, a value where none belongs, or a word too many is
 * a wrong call, and whoever made it is told which word was wrong and how the verb is called.
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

type Known = NonNullable<ParseArgsConfig["options"]>;
type Read<T extends Known> = ReturnType<typeof parseArgs<{ options: T; allowPositionals: true; strict: true }>>["values"];

/**
 * The options and the words between them.
 * @param words how many words at most
 * @throws WrongCall
 */
export function readOptions<T extends Known>(argv: readonly string[], options: T, words = 0): { values: Read<T>; words: string[] } {
  const { values, positionals } = parse(argv, options);
  const extra = positionals[words];
  if (extra !== undefined) throw new WrongCall("cli.wrong.word", { word: shown(extra) });
  return { values, words: positionals };
}

/** @throws WrongCall unless the text is a whole number in this range */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new WrongCall("cli.wrong.number", { option, min, max, found: shown(text) });
}

function parse<T extends Known>(argv: readonly string[], options: T): { values: Read<T>; positionals: string[] } {
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

/** As it was typed, but nothing a terminal obeys. */
function shown(text: string): string {
  return JSON.stringify(text).slice(1, -1).slice(0, 80);
}
