/**
 * What a tool is: a name and texts for the model, parameters, and its action. Input is read before the action starts; a
 * missing requirement and wrong input are refused with a sentence that says what to send instead, so that the next try
 * is right; nothing is guessed or silently dropped.
 */
import type { Daemon } from "./daemon.ts";
import { defaultsOf, describedIn, type Output, type Parameters, type Read } from "../../protocol/tools.ts";
import { nearest } from "../../config/nearest.ts";
import { lengthOf, readFields, shown, type Problem } from "../../protocol/fields.ts";
import { MOST_SECONDS } from "../../protocol/limits.ts";

/** Where questions and posts go if the model names no thread. */
export interface Home {
  /** DISCORD_CHANNEL_ID, or the thread of the session this client was started in. */
  known: boolean;
}

/** One call of a tool. */
export interface Use {
  daemon: Daemon;
  home: Home;
  /** Aborted when the client no longer wants the result, or is gone. */
  signal: AbortSignal;
  /** Runs the work, and meanwhile tells the client and the terminal that the owner is being waited for. */
  waiting<T>(work: (note: (text: string) => void) => Promise<T>): Promise<T>;
  /** A unique text for each use. */
  requestId(): string;
}

export interface Done {
  result: object;
  /** For the model, beside the result. */
  remark?: string;
  /** Called once the result has been written to the client, and not if that failed. */
  written?(): Promise<void>;
}

/** The remark on a result that may be incomplete. */
export function remarkOnCatchUp({ caught_up }: { caught_up: boolean }): Pick<Done, "remark"> {
  return caught_up
    ? {}
    : {
        remark:
          "Discord could not be read up to now, so what was written there lately may be missing. Call this again in " +
          "a minute before you rely on it.",
      };
}

export interface Words<T extends Parameters = Parameters> {
  name: string;
  title: string;
  description: string;
  input: T;
  /** The fields of the result; all are always present. */
  output: Output;
  /** It deletes something. */
  destructive?: boolean;
}

export interface Tool extends Words {
  /** @throws WrongInput, Unavailable, BellhopError, the reason of `signal` */
  use(given: Readonly<Record<string, unknown>>, use: Use): Promise<Done>;
}

export function tool<T extends Parameters>(words: Words<T>, act: (input: Read<T>, use: Use) => Promise<Done>): Tool {
  return { ...words, use: (given, use) => act(readInput(words.input, given), use) };
}

/** @throws WrongInput if there is nowhere to write */
export function needPlace(threadId: string | null, home: Home): void {
  if (threadId !== null || home.known) return;
  throw new WrongInput(
    "There is nowhere to write on Discord: DISCORD_CHANNEL_ID is not set. Ask the user to put the id of a text " +
      "channel as DISCORD_CHANNEL_ID into the env of this server in .mcp.json, or send the thread_id of a thread that " +
      "exists.",
  );
}

/** The input cannot be used; the message is for the model. */
export class WrongInput extends Error {
  override readonly name = "WrongInput";
}

/** Null is the same as left out where there is a default. @throws WrongInput for the first thing that is wrong */
function readInput<T extends Parameters>(parameters: T, given: Readonly<Record<string, unknown>>): Read<T> {
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
      if (typeof value === "number")
        return `${where} must be a string: as a number its last digits are lost. Send the thread_id of an earlier result as it stood there, in quotes.`;
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
