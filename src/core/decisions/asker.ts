/** Who waits for the answer to a decision, and whether a job or an outside turn is still there to receive it. */
import type { State } from "../state.ts";

/** An agent in a turn of its own process. */
export type TurnAsker =
  /** A job's agent; `request_id` is its own id for the request, `subagent` the one of its own that asks, if any. */
  | { by: "job"; job_id: string; request_id: string; subagent?: string }
  /** The agent in an outside turn. */
  | { by: "turn"; turn_id: string; request_id: string; subagent?: string };

/** An agent through `bellhop mcp`: its client's own variables, and the thread it named, if any. */
export interface ClientAsker {
  by: "mcp";
  project: string;
  /** Absolute: the directory of its mirrored file. */
  pending_dir: string;
  timeout_seconds: number | null;
  wanted_thread: string | null;
  /** Where a thread for it is created. */
  channel_id: string | null;
  bot_id: string;
}

export type Asker = TurnAsker | ClientAsker | HookAsker;

/**
 * A hook of a Claude that the owner can also answer in its terminal. `request_id`: the same for each call of the same
 * hook's process with the same request, so that one which calls again finds its decision.
 */
export interface HookAsker {
  by: "hook";
  request_id: string;
  /** The job or the outside turn that it belongs to; neither: it works outside of both. */
  job_id?: string;
  turn_id?: string;
  /** Claude's own ids: of its conversation, of the prompt it works on, of the subagent that asks. */
  claude_session?: string;
  prompt_id?: string;
  agent_id?: string;
  /** Its dialog stands in the terminal. */
  dialog?: true;
  /** It asks before the tool: no dialog stands yet, and where the terminal may ask, it does so only after a while. */
  before?: true;
  /**
   * No hook tells of it: it is read from the terminal's screen, and `request_id` is the digest of what stands there.
   */
  screen?: true;
  /** The hook's own process, or Claude's where there is none: when that has ended, nobody hears an answer. */
  pid: number;
}

/** Another asker goes on with what one has asked. */
export type HandOverCommand =
  /** The job or outside turn `work` ends, and its agent still asks it. */
  | { type: "leave_decision"; decision_id: string; work: string }
  /** What the asker's agent has asked under this id in an earlier turn is now asked by this one. */
  | { type: "take_over"; thread_id: string; asker: TurnAsker }
  /** What a hook asked before a tool is asked in the dialog of that tool now. */
  | { type: "ask_there"; decision_id: string; asker: HookAsker };

/** The job or outside turn that asks; null for another asker. */
export function workOf(asker: Asker): string | null {
  if (asker.by === "hook") return asker.job_id ?? asker.turn_id ?? null;
  return asker.by === "job" ? asker.job_id : asker.by === "turn" ? asker.turn_id : null;
}

/** Whether its dialog stands in a turn that the owner has typed at the terminal: he sits in front of it. */
export function isAtTerminal(turns: Readonly<Record<string, { origin: string }>>, asker: Asker): boolean {
  return asker.by === "hook" && turns[asker.turn_id ?? ""]?.origin === "terminal";
}

/** Whether only the terminal's screen tells of it. */
export function isOnScreen(asker: Asker): boolean {
  return asker.by === "hook" && asker.screen === true;
}

/** Whether the job or outside turn is running. */
export function isRunning({ jobs, turns }: State, work: string): boolean {
  return (jobs[work] ?? turns[work])?.state === "running";
}
