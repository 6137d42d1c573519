/**
 * How the set-up talks to a person: what it did, and questions. Where nobody can be asked, or nobody wants to be, a
 * question is answered by its default; without one, it ends the set-up with the option that would have answered it.
 */
import type { Locale } from "../../base/words/say.ts";
import { WrongCall } from "../options.ts";

export interface PromptChoice<Value> {
  value: Value;
  label: string;
  hint?: string;
}

export interface PromptQuestion {
  message: string;
  /** The option of the command line that answers it. */
  option: string;
}

export interface Prompts {
  /** Whether somebody sits there who can mend something and wait for it. */
  readonly person: boolean;
  showTitle(text: string): void;
  done(text: string): void;
  warn(text: string): void;
  /** As it is, so that it can be copied. */
  plain(text: string): void;
  showFarewell(text: string): void;
  /** What is typed is not shown. `refuse` returns why it cannot be taken. */
  secret(question: PromptQuestion, refuse: (typed: string) => string | undefined): Promise<string>;
  line(question: PromptQuestion, refuse: (typed: string) => string | undefined): Promise<string>;
  one<Value>(
    question: PromptQuestion,
    choices: readonly PromptChoice<Value>[],
    usual: Value | undefined,
  ): Promise<Value>;
  several<Value>(
    question: PromptQuestion,
    choices: readonly PromptChoice<Value>[],
    usual: readonly Value[],
  ): Promise<Value[]>;
}

export interface PromptOptions {
  locale: Locale;
  write(text: string): void;
  /** Take the defaults. */
  yes: boolean;
}

/** The person ended the set-up with Ctrl-C or Escape. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** For pipes and scripts: plain lines, and no questions. */
export function unaskedPrompts({ write, yes }: PromptOptions): Prompts {
  const line = (sign: string) => (text: string) => write(`${sign}${text}\n`);
  const unanswered = ({ option }: PromptQuestion): never => {
    throw new WrongCall(yes ? "cli.init.no_default" : "cli.init.unasked", { option });
  };
  return {
    person: false,
    showTitle: line(""),
    done: line("✓ "),
    warn: line("! "),
    plain: line(""),
    showFarewell: line(""),
    secret: async (question) => unanswered(question),
    line: async (question) => unanswered(question),
    one: async (question, _choices, usual) => (yes && usual !== undefined ? usual : unanswered(question)),
    several: async (question, _choices, usual) => (yes ? [...usual] : unanswered(question)),
  };
}
