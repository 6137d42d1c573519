/**
 * What a driver provides: whether its agent is available, what its arguments mean, and conversations with it.
 */
import type { JobLog } from "../../host/files/job-log.ts";
import type { Environment } from "../../config/homes.ts";
import type { KeptMode } from "../../core/sessions/modes.ts";
import type { StoredConversation } from "../../engine/live.ts";
import type { Declined } from "../../core/decisions/decision.ts";
import type { UploadedFile } from "../../core/jobs/run.ts";
import type { NextConversation } from "../../core/sessions/settings.ts";
import type { AgentFacts, Choice, Offered } from "../../core/sessions/told.ts";
import type { ProcessIdentity } from "../../host/processes/process-table.ts";
import type { TurnEnded, Update } from "./updates.ts";

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
  /** It is told its model and its effort with each prompt, so another one needs no new process. */
  readonly choosesWithPrompt?: true;
  /**
   * What its owner may choose for it, as far as that is known without its process: null: nobody knows, or whatever he
   * names; empty: there is no choice. No mode is looser than the one that the arguments and settings name.
   */
  offers(what: Choice, args: readonly string[], settings?: ChosenSettings): readonly Offered[] | null;
  /**
   * How its conversations are made shorter: by the prompt `/compact`, if it offers that as one of its own commands
   * (`offered`) or always (`command`), or before the next prompt (`next`). Absent: not at all.
   */
  readonly compacts?: "offered" | "command" | "next";
  /** Whether its conversations keep their process between turns. */
  readonly lives: boolean;
  /**
   * What the agent has read, by its own record of a conversation, of messages that were sent into its turns by these
   * names. One that is missing may have been read all the same. Never rejects. Absent: it keeps no such record.
   */
  readBy?(key: string, names: readonly string[]): Promise<ReadBy>;
  /**
   * What its program is now, in this environment: one that has been updated is another text. Null: it is not there at
   * the moment. Absent: its agents outlive the daemon, and are not opened anew for that.
   */
  programNow?(env: Readonly<Record<string, string>>): string | null;
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
  openLook?(env: Environment): ConversationLookup;
}

/**
 * The conversations that were begun in a directory, the newest first. What is the same for all directories is read with
 * the first one. Rejects if they cannot be read, such as where there are none.
 * @param cwd absolute and real
 */
export type ConversationLookup = (cwd: string) => Promise<StoredConversation[]>;

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
  /** How much it is to think, as the tool calls it. */
  effort?: string | undefined;
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
  /** What its owner wants of it before its next prompt; `compacted`: only for a driver that `compacts` so. */
  next?: NextConversation;
}

/** What a conversation is opened with. */
export interface Opening extends ConversationWanted {
  /** The agent's whole environment, built by `processes/environment.ts`. */
  env: Readonly<Record<string, string>>;
  /** For what the agent writes between turns. */
  log: JobLog;
}

/*
 * One conversation with an agent, and its turns: those it is prompted to, and those that it begins by itself, because
 * something that it left in the background has ended. Order is guaranteed: a turn's updates come in the agent's order,
 * the last one is the only `end`, and `over` resolves after it, when the agent can take the next prompt.
 */

export interface Agent {
  /** The process that lives between turns; null if there is one only while it works, or if it could not be started. */
  readonly process: ProcessIdentity | null;
  /**
   * Starts a turn; one prompt at a time. A turn that the agent began by itself goes on first. Never throws: a failure
   * becomes the turn's `end`.
   */
  prompt(prompt: Prompt): Turn;
  /**
   * Resolves when it can take a prompt, with null, or with why it never will, which is the end of each of its turns.
   * Absent: nobody knows before its first turn. Never rejects.
   */
  readonly opened?: Promise<TurnEnded | null>;
  /** What it tells of its session by now; absent: nothing. */
  facts?(): AgentFacts;
  /**
   * Sets the model or the effort for its next turns, or the mode at once. Resolves with the id that it confirms; absent:
   * it cannot.
   * @throws BellhopError E_MODEL_UNAVAILABLE, E_MODE_UNAVAILABLE, E_EFFORT_UNAVAILABLE
   */
  choose?(what: Choice, id: string): Promise<string>;
  /** Its next prompt begins a new conversation in its process. Absent: a new process begins one. */
  renew?(): void;
  /** The turns that it begins by itself, for one reader; ends when it is gone. While nobody reads one, it waits. */
  readonly between: AsyncIterable<Turn>;
  /**
   * What it does in the background, one line each: it would end with the agent's process. Once that is gone: what ended
   * with it.
   */
  readonly background: readonly string[];
  /** Monotonic milliseconds of its last sign of life (see `Driver.silence`), or of its start. */
  heardAt(): number;
  /**
   * Ends the conversation's process, if it has one, and the turn that is not over: asks for it first, or with `now`
   * kills all of its processes at once. Resolves with `gone`; never rejects.
   */
  close(how?: "now"): Promise<void>;
  /**
   * Lets it go on without us. Only for an agent that outlives the daemon, which is never put to sleep. Resolves with
   * `gone`.
   */
  detach?(): Promise<void>;
  /** Its owner had started it himself, so Bellhop cannot open it in another way. Absent: Bellhop has opened it. */
  readonly isAdopted?: boolean;
  /** Goes on with a turn that began under an earlier daemon. Only for an agent that outlives the daemon. */
  resume?(work: Resumed): Turn;
  /** Resolves when it was closed or its process has ended by itself, and nothing of it is left. Never rejects. */
  readonly gone: Promise<void>;
}

export interface Prompt {
  text: string;
  /** The files that came with it, which the text names too; absent: none. */
  files?: readonly UploadedFile[];
  /** A UUID by which it can be found in the agent's own record, if that names prompts. Absent: any. */
  name?: string;
  /**
   * The counters that this tool reported with the conversation's last turn (see `TurnUsage`), or null if it reported none:
   * then this turn's share must not be guessed.
   */
  counters: Readonly<Record<string, number>> | null;
  /** The model and the effort that the owner chose, if he did; an agent without a choice takes its own. */
  model?: string;
  effort?: string;
  log: JobLog;
}

/** A turn that goes on although the daemon that began it has ended. */
export interface Resumed {
  /** What the agent calls it, if that is known. */
  name: string | null;
  /** What was said in it before. */
  before: string;
  /** Absent: what it does by itself is in its session's log. */
  log?: JobLog;
}

export interface Turn {
  /** What was typed at the terminal. Absent: nobody typed it there. */
  readonly typed?: string | null;
  /** What was said in it before this daemon listened. Absent: nothing. */
  readonly before?: string;
  /**
   * When it began, in milliseconds since the epoch, where that was before it is given to its reader; null: just now.
   * Absent: the same.
   */
  readonly begunAt?: number | null;
  /** What the agent calls it, once it has begun. Absent: nothing. */
  readonly promptId?: string | null;
  /** The process that works on it; null if none could be started. Never rejects. */
  readonly process: Promise<ProcessIdentity | null>;
  /** For one reader. The agent waits while nobody reads. Never throws. */
  readonly updates: AsyncIterable<Update>;
  /**
   * Answers a question, permission or plan of this turn by its `id`. Resolves with whether the answer reached the
   * agent: at most once, not after a withdrawal, not after the turn's end. Never rejects.
   */
  answer(id: string, reply: Reply): Promise<boolean>;
  /**
   * Says something to the agent while it is at this turn; the agent takes it up at its next step. Resolves with what
   * became of it. Never rejects. Absent: this agent cannot be spoken to in a turn.
   * @param takenBack resolves when it is not to be said any more, if that can still be helped
   */
  steer?(prompt: Prompt, takenBack?: Promise<void>): Promise<Steered>;
  /** A prompt waits for its end. Absent: its agent tells when it ends, which is waited for. */
  hurry?(): void;
  /** Monotonic milliseconds of the turn's last sign of life (see `Driver.silence`), or of its start. */
  heardAt(): number;
  /**
   * Ends the turn: asks politely, then ends the process group. It ends as `cancelled`, unless it had ended before.
   * Resolves with `over`. A second call changes nothing.
   */
  cancel(): Promise<void>;
  /** The same, but lets the agent go on with the turn. Only for an agent that outlives the daemon. */
  detach?(): Promise<void>;
  /**
   * Resolves when nothing of the turn is left: a process that was started for it, its group and its stray children have
   * ended and our pipes to it are closed. A grandchild that keeps a pipe open delays this by at most the drain time
   * (2 s) and a kill. Never rejects.
   */
  readonly over: Promise<void>;
}

/** What became of a prompt that was sent into a running turn. */
export type Steered =
  /** `by`: the turn that answers it: the one it was sent into, or one that began since. */
  | { kind: "taken"; by: Turn }
  /** The turn ended first, and the agent has begun a turn of its own with it, which waits for its reader. */
  | { kind: "begun"; turn: Turn }
  /** The model was not given it, and will not be. */
  | { kind: "refused" };

/** What the owner's answer to a request means for the agent. `message` is for the agent to read. */
export type Reply =
  /** `input` is exactly what may run, once. */
  | { kind: "allow"; input: Record<string, unknown> }
  | { kind: "deny"; message: string }
  /** Keyed by the question's text: the chosen labels joined by `, `, or the owner's own words. */
  | { kind: "answers"; answers: Record<string, string> }
  /** For a form: the owner will not answer, or not now; or he wants to see it once more. */
  | { kind: "declined"; how: Declined }
  | { kind: "again" }
  /** `input`: exactly what was shown. */
  | { kind: "approve"; input: Record<string, unknown> }
  | { kind: "reject"; message: string };
