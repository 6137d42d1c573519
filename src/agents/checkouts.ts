/**
 * The checkout around a job: that a conversation is only taken up again in the checkout it was left in, and what the
 * job changed in it. The first is asked before the agent starts, from a few small files; the second is measured beside
 * the agent and after it, and never keeps it waiting.
 */
import type { Checkout } from "../core/checkout.ts";
import type { Job } from "../core/job.ts";
import { sessionKey, type Session } from "../core/session.ts";
import type { RunnerOptions } from "./means.ts";

type Room = Pick<RunnerOptions, "engine" | "git" | "results" | "redactBytes" | "log">;

/**
 * The checkout as it is, where it is not one in which the session's conversation may go on; null where all is well.
 * At once when nothing has moved; only a head that has moved on the same branch is asked about further.
 */
export function moved({ engine, git }: Room, job: Job, session: Session, cwd: string): Checkout | null | Promise<Checkout | null> {
  const was = engine.state.threads[job.thread_id]?.checkout ?? null;
  if (was === null || sessionKey(session) === null) return null;
  const is = git.stand(cwd);
  if (is.cwd !== was.cwd) return is;
  // What was under no version control cannot have been left for something else.
  if (was.branch === null && was.head === null) return null;
  if (is.branch !== was.branch) return is;
  if (is.head === was.head || was.head === null) return null;
  if (is.head === null) return is;
  // Commits on top are ordinary work; a branch that was reset or rewritten is another one.
  return git.follows(job.job_id, cwd, was.head, is.head).then((follows) => (follows ? null : is));
}

/** Notes how the job found its checkout. Resolves with it when it is in the journal. */
export async function noteBegin({ engine, git }: Room, job: Job, cwd: string): Promise<Checkout> {
  const checkout = await git.take(job.job_id, cwd);
  await engine.submit({ type: "progress", job_id: job.job_id, progress: { kind: "checkout", checkout } });
  return checkout;
}

/** How the job left it: read at its agent's last word, before anybody who reads that can check out something else. */
export function noteEnd({ engine, git }: Room, { job_id }: Job, cwd: string): Promise<unknown> {
  return engine.submit({ type: "progress", job_id, progress: { kind: "checkout_end", checkout: git.stand(cwd) } });
}

/** Notes what lies between how the job found it and now. Whatever goes wrong here is not the job's failure. */
export async function measure(room: Room, job: Job, from: Checkout | null): Promise<void> {
  if (from?.tree == null) return;
  await noteChanges(room, job, from, await room.git.take(job.job_id, from.cwd));
}

/** Puts the patch on the disk and then the sum of it into the journal. Where it cannot be told, nothing is said. */
export async function noteChanges({ engine, git, results, redactBytes, log }: Room, job: Job, from: Checkout, to: Checkout): Promise<void> {
  const { job_id } = job;
  const difference = await git.compare(job_id, from, to);
  if (difference === null) return;
  const { files, added, removed, stat } = difference;
  const patch = difference.patch === null ? null : await results.savePatch(job_id, redactBytes(difference.patch)).catch((error: unknown) => {
    log.failure("a job's patch cannot be written", error, { job_id });
    return null;
  });
  const progress = { kind: "changes", changes: { files, added, removed, patch }, stat: stat === "" ? null : stat } as const;
  await engine.submit({ type: "progress", job_id, progress });
}
