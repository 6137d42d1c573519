/**
 * What the runner needs to run jobs: the state, the agents, this machine. Everything external that a run uses comes
 * through here, so that tests can replace it.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Redactor } from "../../base/redact.ts";
import type { Locale } from "../../base/words/say.ts";
import type { DecisionKind } from "../../core/decisions/decision.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { Engine } from "../../engine/engine.ts";
import type { JobLiveEvent, LiveEvents } from "../../engine/live-events.ts";
import type { Configurations } from "../../host/files/configurations.ts";
import type { DecisionFiles } from "../../host/files/decision-files.ts";
import type { Git } from "../../host/git/git.ts";
import type { Worktrees } from "../../host/git/worktrees.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Results } from "../../host/files/results.ts";
import type { ChosenSettings, Driver } from "../contract/driver.ts";
import type { LivingAgents } from "../live/living-agents.ts";
import type { Steering } from "./steering.ts";

export interface RunDependencies {
  engine: Engine;
  drivers: ReadonlyMap<string, Driver>;
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  decisionFiles: DecisionFiles;
  git: Git;
  worktrees: Worktrees;
  /** Whether new sessions of this project work in a worktree of their own. */
  isolates(session: Pick<Session, "project_name" | "thread_id">): boolean;
  /** The directory of its own that config.json gives this session; undefined: it works in its project's. */
  pathOf(session: Pick<Session, "project_name" | "thread_id">): string | undefined;
  /** What config.json sets for this session's agent. @throws E_CONFIG_INVALID if that cannot work */
  settingsOf(session: Pick<Session, "project_name" | "thread_id">, tool: string): ChosenSettings;
  clock: Clock;
  log: Log;
  /** The language in which the owner is asked. */
  locale: Locale;
  agents: LivingAgents;
  /** What is sent into turns, of jobs and of agents' own. */
  steering: Steering;
  /** Folders that the agent may use besides its project, the one it sends files from first; created if missing. */
  grants(job: Pick<Job, "thread_id"> & Partial<Pick<Job, "discord_message_id">>): string[];
  /** The folders that an agent was given under a request's id become the session's. */
  adoptFolders(requestId: string, threadId: string): void;
  openLog(jobId: string): JobLog;
  /** Removes the owner's secrets from a text. */
  redact(text: string): string;
  /** The same for every text in a value. */
  redactValue<T>(value: T): T;
  /** Tells two texts apart without revealing either; 64 hex digits, different in each process. */
  fingerprint(text: string): string;
  /** Like `redact`, for bytes of any kind. */
  redactBytes(bytes: Buffer): Buffer;
  /** The same for text that comes in pieces; the possible start of a secret is held back. */
  redactStream(): { push(chunk: Uint8Array): Uint8Array; end(): Uint8Array };
  configurations: Configurations;
  /**
   * The real path of a directory, and whether it contains or is inside Bellhop's own; null if there is none.
   * Synchronous, because it delays the start of the agent.
   */
  directoryAt(path: string): { path: string; ours: boolean } | null;
  /** Seconds without an answer until a decision expires; undefined: never. */
  lapseSeconds(kind: DecisionKind, tool: string): number | undefined;
  /** Whether the owner wants to see what agents think. */
  showsThoughts(): boolean;
  /** How long an agent may be completely silent, by what counts as a sign of life, and how much of an answer the journal keeps. */
  limits(): { silenceMs: Record<Driver["silence"], number>; excerptChars: number };
}

/** The functions that remove secrets. */
export function redaction(redactor: Redactor): Pick<RunDependencies, "redact" | "redactValue" | "fingerprint" | "redactBytes" | "redactStream"> {
  return {
    redact: (text) => redactor.text(text),
    redactValue: (value) => redactor.value(value),
    fingerprint: (text) => redactor.fingerprint(text),
    redactBytes: (bytes) => redactor.bytes(bytes),
    redactStream: () => redactor.stream(),
  };
}
