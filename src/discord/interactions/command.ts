/**
 * Types of a slash command and of its context: a pure parse of its options, and an answer that may take disk and time.
 * Whether the answer is only for the owner is known before that begins.
 */
import {
  ApplicationCommandOptionType,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIChatInputApplicationCommandInteraction,
} from "discord-api-types/v10";
import type { Log } from "../../base/log.ts";
import type { Config } from "../../config/config-file.ts";
import type { Locale, WordKey } from "../../base/words/say.ts";
import type { State } from "../../core/state.ts";
import type { Project } from "../../core/projects/project.ts";
import type { BotRole } from "../../core/sessions/thread.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { Engine } from "../../engine/engine.ts";
import type { CommandOffered, Offered } from "../../core/sessions/told.ts";
import type { SessionAgents, Resumable } from "../../engine/live.ts";
import type { DecisionFiles, Directory } from "../../host/files/kept-files.ts";
import type { Results } from "../../host/files/results.ts";
import type { FoundAgent } from "../views/welcome.ts";
import type { Body } from "../views/message.ts";
import type { Rest } from "../api/rest.ts";
import type { Reopened } from "../intake/accept-message.ts";
import type { Starts } from "../threads/session-starts.ts";
import type { SessionAccess } from "../views/thread.ts";

/** What commands know about this machine and its agents. */
export interface MachineContext {
  /** The expansion of `~` in a path. */
  home: string;
  tools: Tools;
  /** config.json as it is now. */
  config(): Config;
  /** Takes an absolute path. Never throws. */
  checkDirectory(path: string): Promise<Directory>;
  /** Marks the configuration in a project's directory as seen by its owner. @param path real */
  recordConfigurationSeen(projectName: string, path: string): Promise<void>;
  /** The agents of sessions. */
  sessionAgents: SessionAgents;
  /**
   * Opens the agent of a start that wants it before its thread.
   * @throws BellhopError for why it cannot be opened; the start is dropped then
   */
  ready(requestId: string): Promise<void>;
  /**
   * Takes a Claude that the owner has started himself. Resolves with the request whose thread is made for it; null: it
   * has one already.
   * @throws BellhopError for why it cannot be taken
   */
  takeClaude(claudeSession: string, requestId: string): Promise<string | null>;
  /**
   * The command with which a person at the machine goes on with a session's conversation; null if there is none yet.
   */
  attachCommand(session: Session): string | null;
  /**
   * What the project's agents have kept of conversations in its directory, the last used first. Never rejects.
   * @param lately it may be as it was a few seconds ago, for whoever asks with every key
   */
  conversations(project: Project, lately?: "lately"): Promise<Resumable[]>;
}

export interface CommandContext extends MachineContext {
  engine: Engine;
  rest: Rest;
  starts: Starts;
  results: Results;
  /** The exact requests that the owner is asked to allow. */
  decisionFiles: DecisionFiles;
  /** For texts that are not for one interaction. */
  locale: Locale;
  /** Reopens a closed session with a message that it refused. */
  reopen(threadId: string, messageId: string): Promise<Reopened>;
  /** Sends a message that was held back to the agent; false: it is gone, or was sent already. */
  sendHeld(threadId: string, messageId: string): Promise<boolean>;
  /** The words that a message of the owner's has now; undefined if they cannot be told. Never rejects. */
  wordsNow(threadId: string, messageId: string): Promise<string | undefined>;
  /** The agents of this machine, as they are now. */
  agents(): Promise<readonly FoundAgent[]>;
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  botId: string;
  /** The channel in which this bot's control panel stands, if it has one. */
  panelId: string | undefined;
  role: BotRole;
  guildId: string;
  /** The owner, who is also added to threads that are opened again. */
  ownerId: string;
  log: Log;
}

/** What is known of tools by their names. */
export interface Tools {
  /** Every tool a project may name. */
  readonly names: readonly string[];
  /** Whether it is an agent that speaks ACP. */
  speaksAcp(tool: string): boolean;
  /** What it calls the key of another tool's conversations, if it can go on with them; else null. */
  keyNameIn(tool: string, from: string): string | null;
  /** How it may write with these arguments, and with which it could. */
  toolAccess(
    tool: string,
    args: readonly string[],
    session?: { project_name: string; thread_id: string },
  ): SessionAccess;
  /** The first argument that must not be passed to it, or null. */
  refusesArgument(tool: string, args: readonly string[]): string | null;
}

/** One slash command as it was typed. */
export interface TypedCommand {
  interaction: APIChatInputApplicationCommandInteraction;
  /** The person's own language. */
  locale: Locale;
  /** The options by name, numbers as they are written; an option that was not given is absent. */
  options: Readonly<Record<string, string>>;
}

/** The parts of a body that an interaction's answer can have. */
export type InteractionAnswer = Pick<Body, "content" | "embeds"> & Partial<Pick<Body, "components" | "files">>;

/** Where an answer was posted in Discord. */
export interface MessageRef {
  id: string;
  channel_id: string;
}

/** One option while it is typed, with what is known by then. */
export interface CompletionRequest {
  state: State;
  option: string;
  typed: string;
  /** The other options as far as they are typed. */
  options: Readonly<Record<string, string>>;
  channelId: string;
  tools: Tools;
  agent: AgentOffers;
  conversations: CommandContext["conversations"];
}

/** What the agent of the session there offers. */
export interface AgentOffers {
  models: readonly Offered[];
  modes: readonly Offered[];
  /** Its own commands. */
  commands: readonly CommandOffered[];
}

/** `name` is shown, `value` is sent; each 1 to 100 characters. */
export interface AutocompleteChoice {
  name: string;
  value: string;
}

/** Maximum length of a project's name and of a tool's, in characters. */
export const NAME_CHARS = 40;
export const TOOL_CHARS = 40;

/** One option as it is registered. */
export interface SlashOption {
  /** Its English name, and the key of its names and descriptions. */
  key: WordKey;
  /** Maximum length in characters; of a number, its largest value. */
  max: number;
  /** A whole number, of at least 1; else text. */
  isNumber?: boolean;
  /** Default: true. */
  required?: boolean;
  /** Whether `complete` suggests values for it. */
  suggested?: boolean;
}

export interface SlashCommand {
  /** `project create`, `start`, …; the key of its words is `cmd_project_create`. */
  name: string;
  options: readonly SlashOption[];
  ephemeral: boolean;
  /** @throws BellhopError for what the person is to be told */
  run(typed: TypedCommand, context: CommandContext): Promise<InteractionAnswer>;
  /** Called with the position of `run`'s answer, once it is posted. */
  onPosted?(
    message: MessageRef,
    answer: InteractionAnswer,
    typed: TypedCommand,
    context: CommandContext,
  ): Promise<void>;
  /**
   * Suggestions for an option while it is typed; the first 25 count. Uses the state and small files: there are three
   * seconds.
   */
  complete?(asked: CompletionRequest): AutocompleteChoice[] | Promise<AutocompleteChoice[]>;
}

export function textOptions(
  options: readonly APIApplicationCommandInteractionDataBasicOption[],
): Record<string, string> {
  const texts = options.flatMap(({ name, type, value }) =>
    typeof value === "string" || type === ApplicationCommandOptionType.Integer ? [[name, String(value)] as const] : [],
  );
  return Object.fromEntries(texts);
}
