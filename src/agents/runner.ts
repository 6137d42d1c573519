/**
 * The runner: a keeper that sees to it that every running job has an agent, and that what the agent says becomes
 * facts in their right order: the answer on the disk, then the job's end in the journal, then the thread free.
 * What the owner cancels, it stops. It knows agents only by the driver contract and people not at all.
 */
import type { Job } from "../core/job.ts";
import type { Session } from "../core/session.ts";
import type { Run } from "./driver.ts";
import { runJob } from "./job-run.ts";
import type { RunnerOptions } from "./means.ts";

export interface Runner {
  /** Looks at every thread once: for the start, when nothing has changed yet. */
  start(): void;
  /** Ends every agent; their jobs stay as they are in the journal. */
  close(): Promise<void>;
}

export function openRunner(options: RunnerOptions): Runner {
  const { engine, log } = options;
  const running = new Map<string, { run: Run | null; done: Promise<void> }>();
  let closed = false;

  function attend(threadId: string): void {
    const jobId = engine.state.threads[threadId]?.busy_job;
    const job = jobId ? engine.state.jobs[jobId] : undefined;
    const session = engine.state.sessions[threadId];
    if (closed || !job || !session || job.state !== "running") return;
    const known = running.get(job.job_id);
    if (!known) return begin(job, session);
    if (engine.state.runs[job.job_id]?.cancelling) void known.run?.stop();
  }

  function begin(job: Job, session: Session): void {
    const entry: { run: Run | null; done: Promise<void> } = { run: null, done: Promise.resolve() };
    running.set(job.job_id, entry);
    const started = (run: Run): void => {
      entry.run = run;
      if (engine.state.runs[job.job_id]?.cancelling) void run.stop();
    };
    entry.done = runJob({ ...options, stopping: () => closed, started }, job, session)
      .catch((error: unknown) => log.failure("a job's runner broke", error, { job_id: job.job_id }))
      .finally(() => {
        running.delete(job.job_id);
        // The next job may have been started while this one was on its way out.
        attend(job.thread_id);
      });
  }

  const unwatch = engine.watch((topics) => topics.forEach(attend));
  return {
    start: () => Object.keys(engine.state.threads).forEach(attend),
    async close() {
      closed = true;
      unwatch();
      await Promise.all([...running.values()].map(({ run, done }) => run?.stop() ?? done));
    },
  };
}
