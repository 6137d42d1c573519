/**
 * Which ended jobs can be run again: those that failed or were cut off by a crash, once. What the state no longer
 * holds cannot.
 */
import type { State } from "../../core/house.ts";
import type { Job } from "../../core/job.ts";

export function isRetryable(state: State, job: Job): boolean {
  const ended = job.state === "failed" || job.state === "unknown_after_crash";
  return ended && !state.runs[job.job_id]?.retried_by;
}
