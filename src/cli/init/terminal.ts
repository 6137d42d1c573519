/** The set-up's questions in a terminal. With `--yes`, only what has no default is asked. */
import {
  autocompleteMultiselect,
  intro,
  isCancel,
  log,
  multiselect,
  outro,
  password,
  select,
  text,
} from "@clack/prompts";
import { forTerminal } from "../../base/terminal-text.ts";
import { Stopped, type PromptChoice, type PromptOptions, type Prompts } from "./prompts.ts";

/** A longer list can be searched by typing. */
const SHORT_LIST = 8;

export function terminalPrompts({ write, yes }: PromptOptions): Prompts {
  return {
    person: true,
    showTitle: (title) => intro(forTerminal(title)),
    done: (line) => log.success(forTerminal(line)),
    warn: (line) => log.warn(forTerminal(line)),
    plain: (lines) => write(`\n${lines}\n`),
    showFarewell: (line) => outro(forTerminal(line)),
    secret: async ({ message }, refuse) =>
      taken(
        await password({
          message: forTerminal(message),
          mask: "•",
          clearOnError: true,
          validate: (typed) => refused(refuse(typed ?? "")),
        }),
      ),
    line: async ({ message }, refuse) =>
      taken(await text({ message: forTerminal(message), validate: (typed) => refused(refuse(typed ?? "")) })),
    async one(question, choices, usual) {
      if (yes && usual !== undefined) return usual;
      const at = choices.findIndex(({ value }) => value === usual);
      return pick(
        choices,
        taken(
          await select({
            message: forTerminal(question.message),
            options: options(choices),
            initialValue: Math.max(0, at),
            maxItems: SHORT_LIST,
            showInstructions: false,
          }),
        ),
      );
    },
    async several(question, choices, usual) {
      if (yes) return [...usual];
      const asked = {
        message: forTerminal(question.message),
        options: options(choices),
        initialValues: choices.flatMap(({ value }, index) => (usual.includes(value) ? [index] : [])),
        required: false,
      };
      const chosen =
        choices.length > SHORT_LIST
          ? await autocompleteMultiselect({ ...asked, maxItems: SHORT_LIST })
          : await multiselect({ ...asked, showInstructions: false });
      return taken(chosen).map((index) => pick(choices, index));
    },
  };
}

function refused(why: string | undefined): string | undefined {
  return why === undefined ? undefined : forTerminal(why);
}

/** By index, because values may be of any kind. */
function options<Value>(choices: readonly PromptChoice<Value>[]): { value: number; label: string; hint?: string }[] {
  return choices.map(({ label, hint }, value) => ({
    value,
    label: forTerminal(label),
    ...(hint !== undefined && { hint: forTerminal(hint) }),
  }));
}

function pick<Value>(choices: readonly PromptChoice<Value>[], index: number): Value {
  const choice = choices[index];
  if (choice === undefined) throw new Error(`there is no choice ${index}`);
  return choice.value;
}

function taken<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Stopped();
  return answer as Exclude<T, symbol>;
}
