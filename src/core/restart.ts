/**
 * What a restart means. When the command comes, the processes of the dead daemon have been ended; what they were doing
 * is unknown and is never run again automatically. A job is done only if its agent had ended and its answer is complete
 * on disk. Queued messages are looked up again before any of them runs. Nothing else needs recovery: what is owed still
 * follows from the state, and the reconcilers do what they always do.
 */
import { runProcess } from "./jobs/run.ts";
import { FORMAT, type State } from "./state.ts";
import type { OutsideTurnEnd, OutsideTurnEvent } from "./jobs/outside-turn.ts";
import { interruptedTurns } from "./jobs/outside-turn-lifecycle.ts";
import { releasedMeanwhile } from "./jobs/queue.ts";
import { decideRestartOf } from "./decisions/lifecycle.ts";
import type { DecisionEvent } from "./decisions/decision.ts";
import { completedEvent } from "./jobs/ending.ts";
import type { Completion, EndEvent, JobEvent, QueueEvent, Rules } from "./jobs/job.ts";
import { interruptedSends, type ReadMeanwhile } from "./jobs/sending.ts";
import { lostWindows, isRunOfWindow, type WindowEvent } from "./sessions/windows.ts";
import type { Thread } from "./sessions/thread.ts";
import type { Slice } from "./slice.ts";

export interface RestartCommand {
  type: "restart";
  /** Jobs whose agents ended successfully and whose answers are complete, although that was not recorded. */
  done?: readonly Omit<Completion, "type">[];
  /** How outside turns ended that were running, and what was saved of them; `unknown` for others. */
  turns?: readonly ({ turn_id: string } & OutsideTurnEnd)[];
  /** What agents have read, by their own records, of what was being sent to them. */
  read?: readonly ReadMeanwhile[];
  /** Threads whose windows stand: what their Claudes were given goes on there. */
  alive?: readonly string[];
}

function decideRestart(
  state: State & { version: number },
  { done = [], turns = [], read = [], alive = [] }: RestartCommand,
  _at: string,
  rules: Rules,
): (FormatEvent | JobEvent | EndEvent | QueueEvent | OutsideTurnEvent | WindowEvent | DecisionEvent)[] {
  const threads = Object.values(state.threads);
  return [
    ...decideFormat(state),
    ...decideRestartOf(state, alive),
    ...interruptedTurns(state, turns, alive),
    ...threads.flatMap((thread) => {
      const cutOff = goesOn(state, thread, { done, alive }) ? [] : interrupted(state, thread, done, rules);
      const holds =
        thread.hold !== null ||
        cutOff.some(({ type, payload }) => type === "JobMarkedUnknownAfterCrash" && payload.hold);
      return [
        ...cutOff,
        ...interruptedSends(state, thread.thread_id, { read, mayHold: rules.after_crash === "wait" && !holds }),
      ];
    }),
    ...lostWindows(state, alive),
    ...threads.flatMap(({ thread_id, stale }) => {
      const waits = (state.sessions[thread_id]?.queue.length ?? 0) > 0;
      return waits && !stale ? [{ type: "QueueStale", payload: { thread_id } } as const] : [];
    }),
    ...releasedMeanwhile(state),
  ];
}

/** Whether its Claude works in a window, and did not end while no daemon ran. */
function goesOn(
  { jobs, runs, windows }: State,
  { thread_id, busy_job }: Thread,
  { done, alive }: Required<Pick<RestartCommand, "done" | "alive">>,
): boolean {
  const isAlive = alive.includes(thread_id) && isRunOfWindow(windows[thread_id], runProcess(runs[busy_job ?? ""]));
  return isAlive && jobs[busy_job ?? ""]?.state === "running" && !done.some(({ job_id }) => job_id === busy_job);
}

function interrupted(
  state: State,
  { thread_id, busy_job: job_id }: Thread,
  done: NonNullable<RestartCommand["done"]>,
  rules: Rules,
): (JobEvent | EndEvent)[] {
  if (job_id === null) return [];
  const gone = { type: "JobProgress", payload: { job_id, thread_id, kind: "gone" } } as const;
  // Its answer was recorded, or it had been put back; only its process was still ending.
  if (state.jobs[job_id]?.state !== "running") return [gone];
  const end = done.find((one) => one.job_id === job_id);
  if (end) return [completedEvent({ job_id, thread_id }, end), gone];
  // The owner had cancelled it, and it has stopped.
  if (state.runs[job_id]?.cancelling) {
    return [{ type: "JobCancelled", payload: { job_id, thread_id, by: "owner" } }, gone];
  }
  const hold = rules.after_crash === "wait";
  return [{ type: "JobMarkedUnknownAfterCrash", payload: { job_id, thread_id, hold } }];
}

/*
 * Which journals this release understands. A release that writes a new kind of event, or gives an old one a new
 * meaning, raises the format first: an older release then refuses the journal and its snapshots instead of
 * misreading them.
 */

/** Journaled once, at the first start of a release with a higher format. */
export interface FormatEvent {
  type: "FormatRaised";
  payload: { format: number };
}

function decideFormat({ version }: { version: number }): FormatEvent[] {
  return version < FORMAT ? [{ type: "FormatRaised", payload: { format: FORMAT } }] : [];
}

export function evolveFormat(state: { version: number }, { payload }: FormatEvent): void {
  state.version = payload.format;
}

export const restartSlice: Slice<RestartCommand, FormatEvent> = {
  decide: { restart: decideRestart },
  evolve: { FormatRaised: evolveFormat },
  kinds: "daemon",
  topic: () => "format",
};
