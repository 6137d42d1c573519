/**
 * A job's checkout: a conversation only continues in the checkout it was left in, and the job's changes are recorded.
 * The first is checked before the agent starts, from a few small files. The second is measured from a look beside the
 * agent's opening, for which its prompt waits a moment, and one after its end, for which the thread's next job waits:
 * what the first may have missed is said, and where either takes long, the changes are left out and that is said.
 */
import { withTimeout } from "../../base/clock.ts";
import type { Changed, Checkout } from "../../core/projects/checkout.ts";
import type { Job } from "../../core/jobs/job.ts";
import { workedBeside } from "../../core/jobs/side-by-side.ts";
import { sessionKey, type Session } from "../../core/sessions/session.ts";
import type { Difference } from "../../host/git/git-process.ts";
import type { RunContext } from "./run-context.ts";

/** The longest that a prompt waits for the look at the checkout before it. */
const LOOKED_WITHIN_MS = 50;
/** The longest that the next job of a thread waits for what the last one changed. */
const MEASURED_WITHIN_MS = 1_000;

/**
 * Where the session's conversation was left and the current checkout, if it must not continue there; undefined if it may.
 * Synchronous if nothing has moved; only a head that moved on the same branch needs a further check.
 * @param place where its project has moved: the conversation moves with it
 */
export function changedCheckout(
  { engine, git }: RunContext,
  job: Pick<Job, "job_id" | "thread_id">,
  session: Session,
  { cwd, place }: { cwd: string; place: Changed["place"] },
): Changed["checkout"] | Promise<Changed["checkout"]> {
  const left = engine.state.threads[job.thread_id]?.checkout ?? null;
  if (left === null || sessionKey(session) === null) return undefined;
  const was = left.cwd === place?.was ? { ...left, cwd: place.is } : left;
  const is = git.readCheckout(cwd);
  if (is.cwd !== was.cwd) return { was, is };
  // Without version control, nothing can have been checked out in its place.
  if (was.branch === null && was.head === null) return undefined;
  if (is.branch !== was.branch) return { was, is };
  if (is.head === was.head || was.head === null) return undefined;
  if (is.head === null) return { was, is };
  // New commits on top are ordinary work; a branch that was reset or rewritten counts as another checkout.
  return git.follows(job.job_id, cwd, was.head, is.head).then((follows) => (follows ? undefined : { was, is }));
}

/** The look at a job's checkout before its agent changes anything there. */
export interface Before {
  taken: Promise<Checkout>;
  /** The agent acted before the look was over: a change may be older than it. */
  isLate: boolean;
  /** Resolves when it is over, or has taken too long. Never rejects. */
  wait(): Promise<void>;
  /** The agent begins with a tool, or has ended. */
  acted(): void;
}

/** @param isAtWork the job's agent has begun with it already */
export function lookBefore(
  { engine, git, clock }: RunContext,
  { job_id }: Job,
  cwd: string,
  isAtWork: boolean,
): Before {
  const known = engine.state.runs[job_id]?.begun?.checkout;
  const taken = known ? Promise.resolve(known) : git.recordCheckout(job_id, cwd);
  // Where it fails, whoever records it says so.
  let isOver = false;
  const over = taken
    .then(
      () => undefined,
      () => undefined,
    )
    .then(() => void (isOver = true));
  return {
    taken,
    isLate: isAtWork,
    async wait() {
      await withTimeout(clock, LOOKED_WITHIN_MS, over);
    },
    acted() {
      this.isLate ||= !isOver;
    },
  };
}

/** Records the checkout at the job's start. Resolves with it when it is in the journal. */
export async function noteBegin({ engine }: RunContext, { job_id }: Job, before: Before): Promise<Checkout> {
  const checkout = await before.taken;
  // Of a directory that nobody looks through, nothing can be missed.
  const late = before.isLate && checkout.tree !== null ? { late: true as const } : {};
  await engine.submit({ type: "progress", job_id, progress: { kind: "checkout", checkout, ...late } });
  return checkout;
}

/**
 * The checkout at the job's end: read with the agent's last update, before anybody who sees that can check out
 * something else.
 */
export function noteEnd({ engine, git }: RunContext, { job_id }: Job, cwd: string): Promise<unknown> {
  return engine.submit({
    type: "progress",
    job_id,
    progress: { kind: "checkout_end", checkout: git.readCheckout(cwd) },
  });
}

/**
 * Records the changes since the job's start, or that they took too long to find. A failure here is not the job's
 * failure.
 * @param begun resolves when its start is recorded
 */
export async function measure(context: RunContext, job: Job, begun: Promise<Checkout | null>): Promise<void> {
  const { git, clock } = context;
  const until = clock.monotonic() + MEASURED_WITHIN_MS;
  const from = await withTimeout(clock, MEASURED_WITHIN_MS, begun);
  if (from === null) return;
  await noteChanges(
    context,
    job,
    from === undefined ? "late" : await git.changes(job.job_id, from, until - clock.monotonic()),
  );
}

/** Writes the patch to disk, then its summary to the journal. Records nothing if the difference is unknown. */
export async function noteChanges(
  { engine, results, redactor, log }: RunContext,
  { job_id }: Job,
  difference: Difference | null | "late",
): Promise<void> {
  if (difference === null) return;
  if (difference === "late")
    return void (await engine.submit({ type: "progress", job_id, progress: { kind: "unmeasured" } }));
  const { root, files, added, removed, stat } = difference;
  const patch =
    difference.patch === null
      ? null
      : await results.savePatch(job_id, redactor.bytes(difference.patch)).catch((error: unknown) => {
          log.failure("a job's patch cannot be written", error, { job_id });
          return null;
        });
  const job = engine.state.jobs[job_id];
  const beside = files > 0 && job ? workedBeside(engine.state, job, root) : [];
  const progress = {
    kind: "changes",
    changes: { files, added, removed, patch, ...(beside.length > 0 && { beside }) },
    stat: stat === "" ? null : stat,
  } as const;
  await engine.submit({ type: "progress", job_id, progress });
}
