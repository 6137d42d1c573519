/**
 * What the runner is given to run jobs with: the state, the agents, this machine. Everything of the outside that a
 * run needs comes through here, so that a test can put its own in its place.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Locale } from "../base/words/say.ts";
import type { DecisionKind } from "../core/decision.ts";
import type { Job } from "../core/job.ts";
import type { Engine } from "../engine/engine.ts";
import type { JobSignal, Signals } from "../engine/signals.ts";
import type { DecisionFiles } from "../host/decision-files.ts";
import type { Git } from "../host/git.ts";
import type { JobLog } from "../host/job-log.ts";
import type { Results } from "../host/results.ts";
import type { Driver } from "./driver.ts";

export interface RunnerOptions {
  engine: Engine;
  drivers: ReadonlyMap<string, Driver>;
  signals: Signals<JobSignal>;
  results: Results;
  decisionFiles: DecisionFiles;
  git: Git;
  clock: Clock;
  log: Log;
  /** In which the owner is asked. */
  locale: Locale;
  /** The agent's whole environment. */
  environment(job: Job): Record<string, string>;
  /** Folders that the agent may use beside its project; they exist once its environment was asked for. */
  grants(job: Job): string[];
  openLog(jobId: string): JobLog;
  /** Takes the owner's secrets out of a text. */
  redact(text: string): string;
  /** The same for bytes of any kind. */
  redactBytes(bytes: Buffer): Buffer;
  /** The same for text that comes in pieces; what may be the beginning of a secret is held back. */
  redactStream(): { push(chunk: Uint8Array): Uint8Array };
  /** At once: it stands between a message and its agent. */
  isDirectory(path: string): boolean;
  /** After how many seconds without an answer what is asked lapses; undefined: it waits for ever. */
  lapseSeconds(kind: DecisionKind): number | undefined;
  /** How long an agent may say nothing at all, and how much of an answer the journal keeps. */
  limits(): { silenceMs: number; excerptChars: number };
}
