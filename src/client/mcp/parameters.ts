/**
 * How a tool's input is read. Wrong input is answered with a sentence that says what to send instead, so that the next
 * try is right; nothing is guessed or silently dropped.
 */
import { nearest } from "../../config/nearest.ts";
import { MOST_SECONDS } from "../../protocol/fields.ts";
import { lengthOf, readFields, shown, type Problem } from "../../protocol/refusal.ts";
import { defaultsOf, describedIn, type Parameters, type Read } from "../../protocol/tools.ts";

/** The input cannot be used; the message is for the model. */
export class WrongInput extends Error {
  override readonly name = "WrongInput";
}

/** Null is the same as left out where there is a default. @throws WrongInput for the first thing that is wrong */
export function readInput<T extends Parameters>(parameters: T, given: Readonly<Record<string, unknown>>): Read<T> {
  const left = defaultsOf(parameters);
  const said = Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null || !left.has(name)));
  const read = readFields(parameters, said);
  if ("data" in read) return read.data as Read<T>;
  throw new WrongInput(sentence(read.problem, parameters));
}

function sentence({ fault, where, value, most, values, key }: Problem, parameters: Parameters): string {
  const came = (): string => `; what came is ${shown(value)}.`;
  if (fault === "strange") return strangeParameter(key, Object.keys(parameters.shape));
  if (value === undefined) return `${where} is missing. Send it: ${describedIn(parameters, where)}`;
  switch (fault) {
    case "list":
      return `${where} must be an array of strings, such as ["A) Now", "B) Later"], or [] for none${came()}`;
    case "many":
      return `${where} has ${lengthOf(value)} entries; at most ${most} are allowed. Send the ${most} that matter, or put the rest into the text.`;
    case "twice":
      return `${where} is the same as one before it: ${shown(value)}. Send each option once.`;
    case "seconds":
      return `${where} must be a number of seconds over 0 and at most ${MOST_SECONDS}, or null to wait as long as it takes${came()}`;
    case "thread_text":
    case "id":
      if (typeof value === "number") return `${where} must be a string: as a number its last digits are lost. Send the thread_id of an earlier result as it stood there, in quotes.`;
      return `${where} must be the id of a Discord thread, 17 to 20 digits in a string, such as the thread_id of an earlier result, or null${came()}`;
    case "choice":
      return `${where} must be one of ${values.map((one) => `"${one}"`).join(", ")}${came()}`;
    case "flag":
      return `${where} must be true or false, without quotes${came()}`;
    case "blank":
      return `${where} is empty. Write what the owner should read there.`;
    case "long":
      return `${where} has ${lengthOf(value)} characters; at most ${most} are allowed. Shorten it: say what matters, and where the rest can be read.`;
    default:
      return `${where} must be a string${came()}`;
  }
}

function strangeParameter(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const known = names.length === 0 ? "This tool takes no parameters; send {}." : `It takes: ${names.join(", ")}.`;
  return `There is no parameter ${shown(name)}.${near === undefined ? "" : ` Did you mean ${near}?`} ${known}`;
}
