/**
 * What a driver owes the house: to say whether its agent is there, and to turn one prompt into one run.
 * The promise is order: updates come as the agent gave them, the last is the one `end`, and `gone` comes
 * after it, when nothing of that run is left in our way.
 */
import type { ProcessIdentity } from "../host/process-table.ts";
import type { JobLog } from "../host/job-log.ts";
import type { ConversationUsage, Update } from "./updates.ts";

export interface Driver {
  /** The tool's name in the config and in commands: `claude`, `codex`, … */
  readonly tool: string;
  /** Looks for the agent on this machine; bounded in time, never throws. */
  probe(): Promise<Probe>;
  /** The first of a project's `default_args` that would break this contract, or null. A run with one ends in E_ARGUMENT_REFUSED. */
  refuses(args: readonly string[]): string | null;
  /** Starts one run. Never throws: what goes wrong is the run's `end`. */
  run(request: RunRequest): Run;
}

export interface Probe {
  found: boolean;
  /** Absolute. */
  path?: string;
  version?: string;
  /** Whether this version is one that was tried with this driver. */
  tried: boolean;
  /** The exact command that installs the agent. */
  install: string;
}

export interface RunRequest {
  jobId: string;
  threadId: string;
  prompt: string;
  /** Absolute; must exist. */
  cwd: string;
  /** The project's `default_args` for this tool, already checked. */
  args: readonly string[];
  /** Folders beside `cwd` that the agent may read and write: absolute, existing, without a comma or a NUL. */
  grants: readonly string[];
  /** The session key to go on from, or null for a new conversation. */
  resume: string | null;
  /**
   * What the conversation had used before this run, for agents that count from its beginning: as the run before it
   * told it. Null or absent where that is not known; then no share of this run may be made up.
   */
  spent?: ConversationUsage | null;
  /** The whole environment of the agent, built by `host/environment.ts`. */
  env: Readonly<Record<string, string>>;
  log: JobLog;
}

/** What the owner's word on a request means for the agent. `message` is for the agent to read. */
export type Reply =
  /** `input` is exactly what may run now, this once. */
  | { kind: "allow"; input: Record<string, unknown> }
  | { kind: "deny"; message: string }
  /** By the question's text: the chosen labels, joined by `, `, or the owner's own words. */
  | { kind: "answers"; answers: Record<string, string> }
  | { kind: "approve" }
  | { kind: "reject"; message: string };

export interface Run {
  /** Who the agent is, once it runs; null where it could not be started. Never rejects. */
  readonly process: Promise<ProcessIdentity | null>;
  /** One reader. The agent waits when nobody reads. Never throws. */
  readonly updates: AsyncIterable<Update>;
  /**
   * Answers a question, permission or plan of this run by its `id`. Resolves with whether the agent was told: never
   * twice, not after it was withdrawn, not after the run's end. Never rejects.
   */
  answer(id: string, reply: Reply): Promise<boolean>;
  /** Monotonic milliseconds of the last byte the agent wrote (of the start, before the first). */
  heardAt(): number;
  /**
   * Cancels: asks politely, then ends the process group. The run's end is `cancelled`, unless the agent's own
   * result came first. Resolves with `gone`. A second call changes nothing.
   */
  stop(): Promise<void>;
  /**
   * The process, its group and its stray children have ended, and our pipes to it are closed. A grandchild
   * that keeps a pipe open delays this by the drain time (2 s) and a kill, no more. Never rejects.
   */
  readonly gone: Promise<void>;
}
