/** Jobs and outside turns looked up together, for what is the same for both. */
import type { Thread } from "../sessions/thread.ts";
import type { Job } from "./job.ts";
import type { Run } from "./run.ts";
import type { OutsideTurn } from "./outside-turn.ts";
import type { State } from "../state.ts";

const JOB_STATES = {
  running: "running",
  done: "success",
  failed: "failed",
  cancelled: "cancelled",
  unknown: "unknown_after_crash",
} as const;

/** What works, or worked, in a thread: a job, or an outside turn in the form of one. */
export type Work = Job | TurnWork;

/** Its id is the turn's. */
interface TurnWork extends Job {
  turn: OutsideTurn;
}

export function isTurn(work: Work): work is TurnWork {
  return "turn" in work;
}

function ofTurn(turn: OutsideTurn): TurnWork {
  const { turn_id, thread_id, tool, prompt, state, error_code, result_excerpt, began_at, ended_at } = turn;
  return {
    turn,
    job_id: turn_id,
    thread_id,
    discord_message_id: thread_id,
    state: JOB_STATES[state],
    prompt: prompt ?? "",
    attempt: 1,
    tool,
    error_code,
    error_message: null,
    started_at: began_at,
    finished_at: ended_at,
    result_excerpt,
  };
}

/** The job, or the outside turn, with this id. */
export function jobOrTurn({ jobs, turns }: State, id: string): Work | undefined {
  const turn = turns[id];
  return jobs[id] ?? (turn && ofTurn(turn));
}

/** Whether what its agent said is in no file, because the disk did not take it: Discord has it, or nobody. */
export function isUnkept({ finished_at, result_excerpt }: Work, run: Run | undefined): boolean {
  return finished_at !== null && result_excerpt !== null && run?.result_sha256 == null;
}

/** Ended jobs and outside turns of a thread that are in the live state, in the order of their ends. */
export function endedIn(state: State, { ended, turns = [] }: Thread): string[] {
  const endOf = (id: string): string => jobOrTurn(state, id)?.finished_at ?? "";
  return turns.length === 0
    ? ended
    : [...ended, ...turns].sort((a, b) => (endOf(a) < endOf(b) ? -1 : endOf(a) > endOf(b) ? 1 : 0));
}

/**
 * What works in a thread now: an outside turn, a job, or both for a moment, when the agent goes on by itself just
 * before it is given the job.
 */
export function workersIn({ sessions, threads }: State, threadId: string): string[] {
  return [threads[threadId]?.outside, sessions[threadId]?.running_job_id].filter((id) => typeof id === "string");
}
