/**
 * What a driver provides: whether its agent is available, what its arguments mean, and conversations with it.
 */
import type { JobLog } from "../../host/files/job-log.ts";
import type { Environment } from "../../config/homes.ts";
import type { KeptMode } from "../../core/sessions/modes.ts";
import type { StoredConversation } from "../../engine/resumable.ts";
import type { Agent } from "./agent.ts";

export interface Driver {
  /** The tool's name in the config and in commands: `claude`, `codex`, … */
  readonly tool: string;
  /** What the tool calls its session key; the journal keeps the key under this name. */
  readonly keyName: string;
  /** Where its conversations are; null if nobody knows. A tool with the same store goes on with them by their key. */
  store(): Store | null;
  /** False: used only where a project names it; a new project is not given it. */
  readonly offered?: false;
  /** Looks for the agent on this machine; bounded in time, never throws. */
  probe(): Promise<Probe>;
  /**
   * The first of a project's `default_args` that would break this contract, or null. An opening with one ends in
   * E_ARGUMENT_REFUSED.
   */
  refuses(args: readonly string[]): string | null;
  /** How the agent may write in its project, as far as these arguments tell; null if nobody can say. */
  access(args: readonly string[], settings?: ChosenSettings): Access | null;
  /** The `default_args` that let the agent write in its project; null if arguments do not control this. */
  readonly writing: readonly string[] | null;
  /**
   * What counts as a sign of life of a turn (`Turn.heardAt`). A turn that is silent for too long is ended; with
   * `updates`, its session is closed as well.
   */
  readonly silence: "bytes" | "updates";
  /** It is told its model with each prompt, so another one needs no new process. */
  readonly modelWithPrompt?: true;
  /** Whether its conversations keep their process between turns. */
  readonly lives: boolean;
  /**
   * What the agent has read, by its own record of a conversation, of messages that were sent into its turns by these
   * names. One that is missing may have been read all the same. Never rejects. Absent: it keeps no such record.
   */
  readBy?(key: string, names: readonly string[]): Promise<ReadBy>;
  /** Opens a conversation. Never rejects: what is wrong with it is the end of its first turn. */
  open(opening: Opening): Promise<Agent>;
}

/** By name: taken up in a turn that ran, or begun as a turn of its own. */
export type ReadBy = ReadonlyMap<string, "taken" | "begun">;

export interface Store {
  name: string;
  /** The arguments with which a person at the terminal goes on with a conversation. */
  attach(key: string): readonly string[];
  /** Its programs read the `.env` of the folder they work in. */
  dotenv?: true;
  /**
   * Begins one look at what it keeps. Absent: Bellhop cannot read this store. @param env the agent's whole environment
   */
  look?(env: Environment): Look;
}

/**
 * The conversations that were begun in a directory, the newest first. What is the same for all directories is read with
 * the first one. Rejects if they cannot be read, such as where there are none.
 * @param cwd absolute and real
 */
export type Look = (cwd: string) => Promise<StoredConversation[]>;

/**
 * - `asks`: the owner is asked before each change
 * - `edits`: it may change files of the project without asking
 * - `reads`: it may only read, unless its own configuration allows more
 */
export type Access = "asks" | "edits" | "reads";

/** The exact commands that install an agent and log it in. */
export interface HowTo {
  install: string;
  login: string;
}

export interface Probe extends HowTo {
  found: boolean;
  /** Absolute. */
  path?: string;
  version?: string;
  /** The program that runs, where it is not named like the tool. */
  program?: string;
  /** Whether this version was tested with this driver. */
  tried: boolean;
  /** False if the agent says that it is not logged in; absent if unknown. */
  loggedIn?: boolean;
  /** It is no real agent, only one to try things out with; `install` and `login` are those of a real one. */
  demo?: true;
}

export interface ChosenSettings {
  /** As the tool calls it. */
  model?: string | undefined;
  /** A permission mode of Claude Code; of other agents it means nothing. */
  permission?: string | undefined;
}

/** The conversation that a session wants. */
export interface ConversationWanted {
  /** Absolute; must exist. */
  cwd: string;
  /** The project's `default_args` for this tool, already checked. */
  args: readonly string[];
  /** What config.json sets for this session beside the arguments. It may say what arguments may not. */
  settings?: ChosenSettings | undefined;
  /** Folders beside `cwd` that the agent may read and write: absolute, existing, without a comma or a NUL. */
  folders: readonly string[];
  /** The session key to resume, or null for a new conversation. */
  key: string | null;
  /** When the conversation's last job began: milliseconds since the epoch; absent: there was none. */
  begunAt?: number;
  /** The mode in which its agent is, as far as that was told; absent: nothing was. */
  mode?: KeptMode;
}

/** What a conversation is opened with. */
export interface Opening extends ConversationWanted {
  /** The agent's whole environment, built by `processes/environment.ts`. */
  env: Readonly<Record<string, string>>;
  /** For what the agent writes between turns. */
  log: JobLog;
}
