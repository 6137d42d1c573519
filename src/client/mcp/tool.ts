/**
 * What a tool is: a name and texts for the model, parameters, and its action. Input is read before the action starts; a
 * missing requirement is refused with a message that says what to send instead.
 */
import type { Daemon } from "./daemon.ts";
import { readInput, WrongInput } from "./parameters.ts";
import type { Output, Parameters, Read } from "../../protocol/tools.ts";

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
  return caught_up ? {} : { remark: "Discord could not be read up to now, so what was written there lately may be missing. Call this again in a minute before you rely on it." };
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
    "There is nowhere to write on Discord: DISCORD_CHANNEL_ID is not set. Ask the user to put the id of a text channel as DISCORD_CHANNEL_ID into the env of this server in .mcp.json, or send the thread_id of a thread that exists.",
  );
}
