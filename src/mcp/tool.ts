/**
 * What a tool is: a name and words for the model, parameters, and what it does with them. Its input is read before it
 * does anything, and what it may not do without is refused there, in words that say what to send instead.
 */
import type { Daemon } from "./daemon.ts";
import { inputSchema, readInput, WrongInput, type JsonSchema, type Parameters } from "./parameters.ts";

/** Where questions and posts can go when the model names no thread. */
export interface Home {
  /** DISCORD_CHANNEL_ID, or the thread of the session this face was started in. */
  known: boolean;
}

/** One call of a tool. */
export interface Use {
  daemon: Daemon;
  home: Home;
  /** Aborted when the client does not want the result any more, or is gone. */
  signal: AbortSignal;
  /** Runs the work, and until it has ended keeps the client and the terminal told that the owner is waited for. */
  waiting<T>(work: (note: (text: string) => void) => Promise<T>): Promise<T>;
  /** A text of its own for each use. */
  requestId(): string;
}

export interface Done {
  result: object;
  /** For the model, beside the result. */
  remark?: string;
  /** Called once the result has been written to the client, and not when it could not be. */
  written?(): Promise<void>;
}

export interface Words {
  name: string;
  title: string;
  description: string;
  /** The fields of the result; all of them are always there. */
  result: Readonly<Record<string, JsonSchema>>;
  /** It takes something away. */
  destructive?: boolean;
}

export interface Tool extends Words {
  input: { type: "object"; [key: string]: unknown };
  /** @throws WrongInput, Unavailable, BellhopError, the reason of `signal` */
  use(given: Readonly<Record<string, unknown>>, use: Use): Promise<Done>;
}

export function tool<T>(words: Words, parameters: Parameters<T>, act: (input: T, use: Use) => Promise<Done>): Tool {
  return { ...words, input: inputSchema(parameters), use: (given, use) => act(readInput(parameters, given), use) };
}

/** @throws WrongInput where there is nowhere to write */
export function needPlace(threadId: string | null, home: Home): void {
  if (threadId !== null || home.known) return;
  throw new WrongInput(
    "There is nowhere to write on Discord: DISCORD_CHANNEL_ID is not set. Ask the user to put the id of a text channel as DISCORD_CHANNEL_ID into the env of this server in .mcp.json, or send the thread_id of a thread that exists.",
  );
}
