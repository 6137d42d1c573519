/**
 * What a command is given to work with, and what it is: a pure reading of its options, and an answer that may take
 * disk and time. Whether its answer is only for the owner's eyes is known before any of that begins.
 */
import type {
  APIApplicationCommandInteractionDataBasicOption,
  APIChatInputApplicationCommandInteraction,
} from "discord-api-types/v10";
import type { Log } from "../../base/log.ts";
import type { Locale } from "../../base/words/say.ts";
import type { State } from "../../core/house.ts";
import type { Engine } from "../../engine/engine.ts";
import type { DecisionFiles } from "../../host/decision-files.ts";
import type { Directory } from "../../host/directories.ts";
import type { Results } from "../../host/results.ts";
import type { FoundAgent } from "../greeting.ts";
import type { Body } from "../owed.ts";
import type { Rest } from "../rest.ts";
import type { Starts } from "../starts.ts";

export interface CommandRoom {
  engine: Pick<Engine, "state" | "submit">;
  rest: Pick<Rest, "call" | "respond">;
  starts: Pick<Starts, "opened">;
  results: Pick<Results, "readPatch">;
  /** What exactly would be done by what is asked. */
  decisionFiles: Pick<DecisionFiles, "read">;
  /** For what has no interaction's locale of its own. */
  locale: Locale;
  /** Takes an absolute path. Never throws. */
  checkDirectory(path: string): Promise<Directory>;
  /** The agents as they were found at the start. */
  agents(): Promise<readonly FoundAgent[]>;
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  botId: string;
  guildId: string;
  /** Who is obeyed, and who is brought into threads that are opened again. */
  ownerId: string;
  /** Every tool a project may name. */
  tools: readonly string[];
  /** The first argument that a tool will not be given, or null. */
  refusesArgument(tool: string, args: readonly string[]): string | null;
  log: Log;
}

/** One slash command as it was typed. */
export interface Typed {
  interaction: APIChatInputApplicationCommandInteraction;
  /** The person's own language. */
  locale: Locale;
  /** The text options by name; an option that was not given is absent. */
  options: Readonly<Record<string, string>>;
}

/** What of a body an interaction's answer takes. */
export type Answer = Pick<Body, "content" | "embeds"> & Partial<Pick<Body, "components" | "files">>;

/** Where an answer stands in Discord. */
export interface Standing {
  id: string;
  channel_id: string;
}

/** One option being typed, with what is known by then. */
export interface Asked {
  state: State;
  option: string;
  typed: string;
  /** The other options as far as they are typed. */
  options: Readonly<Record<string, string>>;
  channelId: string;
  /** Every tool a project may name. */
  tools: readonly string[];
}

/** `name` is read, `value` is sent; each 1 to 100 characters. */
export interface Choice {
  name: string;
  value: string;
}

export interface Command {
  /** `project create`, `start`, … */
  name: string;
  ephemeral: boolean;
  /** @throws BellhopError for what the person is to be told */
  run(typed: Typed, room: CommandRoom): Promise<Answer>;
  /** Told where the answer of `run` stands, once it does. */
  stands?(message: Standing, answer: Answer, typed: Typed, room: CommandRoom): Promise<void>;
  /** Suggestions for an option being typed; the first 25 count. From the state alone: there are three seconds for it. */
  complete?(asked: Asked): Choice[];
}

export function textOptions(
  options: readonly APIApplicationCommandInteractionDataBasicOption[],
): Record<string, string> {
  const texts = options.flatMap(({ name, value }) => (typeof value === "string" ? [[name, value] as const] : []));
  return Object.fromEntries(texts);
}
