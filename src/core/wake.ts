/**
 * What a restart means. By the time of `wake` the processes of the dead daemon have been ended; what they were
 * doing is unknown, and is never run again by itself. What still waits is looked up again before any of it runs.
 * Everything else needs no recovery: what is owed still follows from the state, and the keepers do what they always do.
 */
import { resumedMeanwhile } from "./after-crash.ts";
import { decideWakeOf } from "./deciding.ts";
import type { DecisionEvent } from "./decision.ts";
import type { EndEvent, JobEvent, Jobs, QueueEvent, Rules } from "./job.ts";
import type { Thread } from "./thread.ts";

export interface WakeCommand {
  type: "wake";
}

export function decideWake(state: Jobs, rules: Rules): (JobEvent | EndEvent | QueueEvent | DecisionEvent)[] {
  const threads = Object.values(state.threads);
  return [
    ...decideWakeOf(state),
    ...threads.flatMap((thread) => interrupted(state, thread, rules)),
    ...threads.flatMap(({ thread_id, stale }) => {
      const waits = (state.sessions[thread_id]?.queue.length ?? 0) > 0;
      return waits && !stale ? [{ type: "QueueStale", payload: { thread_id } } as const] : [];
    }),
    ...resumedMeanwhile(state),
  ];
}

function interrupted(state: Jobs, { thread_id, busy_job: job_id }: Thread, rules: Rules): (JobEvent | EndEvent)[] {
  if (job_id === null) return [];
  const gone = { type: "JobProgress", payload: { job_id, thread_id, kind: "gone" } } as const;
  // Its answer was in, or it had been put back; only its process was still on the way out.
  if (state.jobs[job_id]?.state !== "running") return [gone];
  // The owner had said that it should stop, and it has.
  if (state.runs[job_id]?.cancelling) {
    return [{ type: "JobCancelled", payload: { job_id, thread_id, by: "owner" } }, gone];
  }
  const hold = rules.after_crash === "wait";
  return [{ type: "JobMarkedUnknownAfterCrash", payload: { job_id, thread_id, hold } }];
}
