/**
 * The runner: a reconciler that makes sure that every running job has an agent, and that the agent's output becomes
 * facts in the right order: the answer on disk, then the job's end in the journal, then the thread free. It stops jobs
 * that the owner cancels, and all jobs when the journal fails. It knows agents only by the driver contract, and nothing
 * of Discord.
 */
import { codeOf, theirWords } from "../../base/errors.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Session } from "../../core/sessions/session.ts";
import type { Turn } from "../contract/agent.ts";
import { runJob } from "./job-run.ts";
import type { RunDependencies } from "./dependencies.ts";
import { recordLostBefore } from "./outside-turn.ts";

export interface Runner {
  /** Checks every thread once: for the start, when nothing has changed yet. */
  start(): void;
  /** Ends every agent; their jobs stay as they are in the journal. */
  close(): Promise<void>;
}

interface Entry {
  turn: Turn | null;
  done: Promise<void>;
}

export function openRunner(options: RunDependencies): Runner {
  const { engine, log, steering } = options;
  const running = new Map<string, Entry>();
  /** Jobs that a bug of ours has stopped: none is begun a second time by itself. */
  const broken = new Set<string>();
  let closed = false;

  function attend(threadId: string): void {
    const jobId = engine.state.threads[threadId]?.busy_job;
    const job = jobId ? engine.state.jobs[jobId] : undefined;
    const session = engine.state.sessions[threadId];
    if (closed || !job || !session || job.state !== "running" || broken.has(job.job_id)) return;
    const known = running.get(job.job_id);
    if (!known) return begin(job, session);
    if (engine.state.runs[job.job_id]?.cancelling) void known.turn?.cancel();
    else if (known.turn) steering.attend({ id: job.job_id, thread_id: threadId }, known.turn);
  }

  function begin(job: Job, session: Session): void {
    const entry: Entry = { turn: null, done: Promise.resolve() };
    running.set(job.job_id, entry);
    const started = (turn: Turn): void => {
      entry.turn = turn;
      steering.name(turn, job.job_id);
      if (closed) void (turn.detach ?? turn.cancel).call(turn);
      else if (engine.state.runs[job.job_id]?.cancelling) void turn.cancel();
    };
    entry.done = runJob({ ...options, stopping: () => closed, started }, job, session)
      .catch((error: unknown) => (engine.over ? undefined : broke(job.job_id, entry, error)))
      .finally(() => {
        running.delete(job.job_id);
        // The next job may have started while this one was ending.
        attend(job.thread_id);
      });
  }

  /** Ends the agent, and the job as failed, so that its thread says so and continues. */
  async function broke(job_id: string, { turn }: Entry, error: unknown): Promise<void> {
    broken.add(job_id);
    log.failure("a job's runner failed", error, { job_id });
    if (closed) return;
    try {
      await turn?.cancel();
      await steering.over({ id: job_id, thread_id: engine.state.jobs[job_id]?.thread_id ?? "" });
      const nothing = { result_excerpt: null, result_sha256: null, model: null, usage: null };
      if (engine.state.jobs[job_id]?.state === "running")
        await engine.submit({
          type: "fail",
          job_id,
          code: codeOf(error),
          details: { reason: theirWords(options.redactor.text(String(error))) },
          ...nothing,
        });
      await engine.submit({ type: "progress", job_id, progress: { kind: "gone" } });
    } catch (again) {
      if (!engine.over)
        log.failure("the end of a job whose runner failed could not be written down", again, { job_id });
    }
  }

  async function close(): Promise<void> {
    closed = true;
    unwatch();
    // The agents' output so far is written before the journal closes.
    await Promise.all([
      steering.close(),
      ...[...running.values()].flatMap(({ turn, done }) => [(turn?.detach ?? turn?.cancel)?.call(turn), done]),
    ]);
  }

  const unwatch = engine.watch((topics) => topics.forEach(attend));
  engine.atEnd(() => void close());
  return {
    start() {
      recordLostBefore(options);
      Object.keys(engine.state.threads).forEach(attend);
    },
    close,
  };
}
