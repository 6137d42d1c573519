/**
 * What a restart means. By the time of `wake` the processes of the dead daemon have been ended; what they were
 * doing is unknown, and is never run again by itself. Everything else needs no recovery: what is owed still follows
 * from the state, and the keepers do what they always do.
 */
import type { JobEvent, Jobs, Rules } from "./job.ts";

export interface WakeCommand {
  type: "wake";
}

export function decideWake(state: Jobs, rules: Rules): JobEvent[] {
  const events: JobEvent[] = [];
  for (const thread of Object.values(state.threads)) {
    const job_id = thread.busy_job;
    if (job_id === null) continue;
    const { thread_id } = thread;
    if (state.jobs[job_id]?.state === "running") {
      events.push({
        type: "JobMarkedUnknownAfterCrash",
        payload: { job_id, thread_id, hold: rules.after_crash === "wait" },
      });
    } else {
      // Its answer was in; only its process was still on the way out.
      events.push({ type: "JobProgress", payload: { job_id, thread_id, kind: "gone" } });
    }
  }
  return events;
}
