/**
 * What is known of a job that a crash cut off: what lies between its work tree as the job found it and as it is when
 * we are back. The crash is told without waiting for this; what is found completes what was told.
 */
import type { Job } from "../core/job.ts";
import { noteChanges } from "./checkouts.ts";
import type { RunnerOptions } from "./means.ts";

export type EvidenceOptions = Pick<RunnerOptions, "engine" | "git" | "results" | "redactBytes" | "log">;

/** Looks once, at the start: nothing is cut off while we live. Resolves when all that can be found is noted. Never rejects. */
export async function gatherEvidence(options: EvidenceOptions): Promise<void> {
  const { engine, git } = options;
  const cut = Object.values(engine.state.threads).flatMap(({ ended }) => ended.flatMap((id) => unexplained(options, id)));
  // What was taken for a job that has ended is of no use any more.
  const open = Object.values(engine.state.jobs).filter(({ state }) => state === "queued" || state === "running");
  await git.forgetAllBut(new Set([...cut, ...open].map(({ job_id }) => job_id)));
  for (const job of cut) {
    await explain(options, job).catch((error: unknown) => options.log.failure("what a job changed before a crash cannot be noted", error, { job_id: job.job_id }));
    await git.forget(job.job_id);
  }
}

function unexplained({ engine }: EvidenceOptions, jobId: string): Job[] {
  const job = engine.state.jobs[jobId];
  const run = engine.state.runs[jobId];
  return job?.state === "unknown_after_crash" && run?.checkout && run.changes === null ? [job] : [];
}

async function explain(options: EvidenceOptions, job: Job): Promise<void> {
  const { engine, git } = options;
  const { job_id } = job;
  const from = engine.state.runs[job_id]?.checkout;
  if (!from) return;
  // As the job found it, not as it is now: what was checked out while nobody looked is no place to go on in unasked.
  await engine.submit({ type: "progress", job_id, progress: { kind: "checkout_end", checkout: from } });
  if (from.tree !== null) await noteChanges(options, job, from, await git.take(job_id, from.cwd));
}
