/**
 * What every part of a bot works with: the app makes it for all bots of the daemon, and each bot adds who it is when it
 * is opened. It is handed down whole, so a module asks for nothing more than what is its own.
 */
import type { Clock } from "../../base/clock.ts";
import type { DiscordTime } from "../../base/discord-time.ts";
import type { Log } from "../../base/log.ts";
import type { Redaction } from "../../base/redact.ts";
import type { Locale } from "../../base/words/say.ts";
import type { Config } from "../../config/config-file.ts";
import type { Project } from "../../core/projects/project.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { Choice, Offered } from "../../core/sessions/told.ts";
import type { BotRole } from "../../core/sessions/thread.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Forgetting } from "../../engine/forgetting.ts";
import type { UnlockWords } from "../../engine/unlock-words.ts";
import type { JobLiveEvent, LiveEvents, Resumable, SessionAgents } from "../../engine/live.ts";
import type { RuleFacts } from "../../core/rules/judge.ts";
import type { AskedToJudge } from "../../host/files/rule-facts.ts";
import type { Files } from "../../host/files/files.ts";
import type { DecisionFiles, Directory } from "../../host/files/kept-files.ts";
import type { Results } from "../../host/files/results.ts";
import type { StatusLine } from "../../protocol/status-line.ts";
import type { Rest } from "./rest.ts";

/** What all bots of the daemon share. */
export interface DaemonContext {
  engine: Engine;
  liveEvents: LiveEvents<JobLiveEvent>;
  clock: Clock;
  time: DiscordTime;
  log: Log;
  /** For texts that are not for one interaction. */
  locale: Locale;
  /** config.json as it is now. */
  config(): Config;
  /** Removes secrets from everything that leaves. */
  redactor: Redaction;
  /** Base address of Discord's REST API. */
  api: string;
  stateDir: string;
  /** Between two polls while the gateway is away, in milliseconds. */
  pollIntervalMs: number;
  results: Results;
  /** The exact requests that the owner is asked to allow. */
  decisionFiles: DecisionFiles;
  /** Where files that come with messages are put. */
  files: Files;
  /** What the owner is shown of a changed configuration; null: it is missing or has changed. */
  readDifference(digest: string): Promise<string | null>;
  /** The expansion of `~` in a path. */
  home: string;
  tools: Tools;
  /** The agents of this machine. `lastFound`: by the last search; `probeAgain`: by a new one. */
  agents: { lastFound(): Promise<FoundAgent[]>; probeAgain(): Promise<FoundAgent[]> };
  /** What opens it when it is locked. */
  unlockWords: UnlockWords;
  /** The agents of sessions. */
  sessionAgents: SessionAgents;
  /** Takes an absolute path. Never throws. */
  checkDirectory(path: string): Promise<Directory>;
  /** What only the machine knows of a request that the owner's rules judge. Never rejects. */
  ruleFacts(asked: AskedToJudge): Promise<RuleFacts>;
  /** Marks the configuration in a project's directory as seen by its owner. @param path real */
  recordConfigurationSeen(projectName: string, path: string): Promise<void>;
  /**
   * Opens the agent of a start that wants it before its thread.
   * @throws BellhopError for why it cannot be opened; the start is dropped then
   */
  ready(requestId: string): Promise<void>;
  /** The thread of a requested session is made; null: it could not be made. Never rejects. */
  assignThread(requestId: string, threadId: string | null): Promise<void>;
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
  /** Removes what was said in a session from this machine. */
  forgetting: Pick<Forgetting, "forget" | "stays">;
  /** What the Claude in a thread's window last said for its status line. */
  statusLine(threadId: string): StatusLine | null;
}

/** One bot: who it is, whom it obeys, and its way to Discord. */
export interface BotContext extends DaemonContext {
  rest: Rest;
  role: BotRole;
  /**
   * It does what one bot does for all: keeps the files that were uploaded or sent, and tells what belongs to no
   * session.
   */
  main: boolean;
  botId: string;
  guildId: string;
  /** The owner, who is also added to each new thread. */
  ownerId: string;
  /** The owner's channel, if one is configured. */
  channelId: string | undefined;
  /** The ids of its commands, as far as they are registered. */
  commandIds: Map<string, string>;
  /** The channel in which this bot's control panel stands, if it has one. */
  panelId: string | undefined;
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
  /** What may be chosen for a session's agent, as far as that is known without its process; see the driver. */
  offers(
    what: Choice,
    tool: string,
    args: readonly string[],
    session: { project_name: string; thread_id: string },
  ): readonly Offered[] | null;
  /** Whether `/resume` finds its conversations. */
  keepsConversations(tool: string): boolean;
  /** How its conversations are made shorter; see the driver. Absent: not at all. */
  compacts(tool: string): "offered" | "command" | "next" | undefined;
  /** The first argument that must not be passed to it, or null. */
  refusesArgument(tool: string, args: readonly string[]): string | null;
}

export interface SessionAccess {
  access: "asks" | "edits" | "reads" | null;
  writing: readonly string[] | null;
}

/** One agent as found at the start. */
export interface FoundAgent {
  tool: string;
  found: boolean;
  version?: string;
  /** The program that runs, where it is not named like the tool. */
  program?: string;
  /** False if the agent itself says that it is not. */
  loggedIn?: boolean;
  /** The exact command that logs it in. */
  login: string;
  /** The exact command that installs it. */
  install: string;
  /** It is no real agent, and the commands are those of one. */
  demo?: true;
}
