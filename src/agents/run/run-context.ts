/**
 * What every part of a run works with: the state, the agents, this machine. The app makes it once and hands it down
 * whole. Everything external that a run uses comes through here, so that tests can replace it.
 */
import type { Clock } from "../../base/clock.ts";
import type { DiscordTime } from "../../base/discord-time.ts";
import type { Log } from "../../base/log.ts";
import type { Redaction } from "../../base/redact.ts";
import type { Locale } from "../../base/words/say.ts";
import type { Config } from "../../config/config-file.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookChannel } from "../../engine/hook-channel.ts";
import type { JobLiveEvent, LiveEvents } from "../../engine/live.ts";
import type { Configurations } from "../../host/files/kept-configurations.ts";
import type { RuleFacts } from "../../core/rules/judge.ts";
import type { AskedToJudge } from "../../host/files/rule-facts.ts";
import type { DecisionFiles } from "../../host/files/kept-files.ts";
import type { Git } from "../../host/git/git.ts";
import type { Worktrees } from "../../host/git/worktrees.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Results } from "../../host/files/results.ts";
import type { SessionFolders } from "../../host/files/session-folders.ts";
import type { Driver } from "../contract/driver.ts";
import type { LivingAgents } from "../live/living-agents.ts";
import type { MachineContext } from "../process/machine.ts";
import type { Steering } from "./steering.ts";

export interface RunContext {
  machine: MachineContext;
  engine: Engine;
  drivers: ReadonlyMap<string, Driver>;
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  decisionFiles: DecisionFiles;
  git: Git;
  worktrees: Worktrees;
  config(): Config;
  clock: Clock;
  time: DiscordTime;
  log: Log;
  /** The language in which the owner is asked. */
  locale: Locale;
  agents: LivingAgents;
  /** What the hooks of a Claude in a terminal tell. */
  hooks: HookChannel;
  /** What is sent into turns, of jobs and of agents' own. */
  steering: Steering;
  /** Folders that the agent may use besides its project; it sends files from the first one. */
  folders: SessionFolders;
  openLog(jobId: string): JobLog;
  /** Removes the owner's secrets. */
  redactor: Redaction;
  configurations: Configurations;
  /**
   * The real path of a directory, and whether it contains or is inside Bellhop's own; null if there is none.
   * Synchronous, because it delays the start of the agent.
   */
  directoryAt(path: string): { path: string; ours: boolean } | null;
  /** What only the machine knows of a request that the owner's rules judge. Never rejects. */
  ruleFacts(asked: AskedToJudge): Promise<RuleFacts>;
  /** Whether a process with this pid lives. */
  isAlive(pid: number): boolean;
  /** The owner's home directory. */
  home: string;
}

/** What it needs to attend one turn. */
export interface Attending extends RunContext {
  /**
   * Whether the daemon is stopping: an agent that it ends now was interrupted, and open requests wait for the next
   * daemon.
   */
  stopping(): boolean;
}
