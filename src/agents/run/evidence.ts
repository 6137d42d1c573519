/**
 * What is known of a job that a crash cut off: the difference between its work tree at its start and now. The crash is
 * reported without waiting for this, and the result is added later. Before that, the agent's output so far is saved,
 * while nothing is posted yet. If an agent had finished and only the journal did not record it, its job is done and
 * nothing of it is unknown.
 */
import type { Log } from "../../base/log.ts";
import { excerpt } from "../../base/text.ts";
import type { State } from "../../core/state.ts";
import type { Completion, Job } from "../../core/jobs/job.ts";
import type { Usage } from "../../core/jobs/run.ts";
import type { OutsideTurnEnd } from "../../core/jobs/outside-turn.ts";
import { outsideThreads } from "../../core/sessions/thread.ts";
import type { KeptAnswer } from "../../host/files/answer-writing.ts";
import type { Results } from "../../host/files/results.ts";
import { noteChanges } from "./checkouts.ts";
import type { RunDependencies } from "./dependencies.ts";

export type EvidenceOptions = Pick<RunDependencies, "engine" | "git" | "results" | "redactor" | "log">;

/**
 * Runs once, at the start, because jobs are only cut off while no daemon runs. Resolves when all that can be found is
 * recorded. Never rejects.
 */
export async function gatherEvidence(options: EvidenceOptions): Promise<void> {
  const { engine, git } = options;
  const cut = Object.values(engine.state.threads).flatMap(({ ended }) =>
    ended.flatMap((id) => unexplained(options, id)),
  );
  // Snapshots of jobs that have ended are no longer needed.
  const open = Object.values(engine.state.jobs).filter(({ state }) => state === "queued" || state === "running");
  await git.forgetAllBut(new Set([...cut, ...open].map(({ job_id }) => job_id)));
  for (const job of cut) {
    await explain(options, job).catch((error: unknown) =>
      options.log.failure("what a job changed before a crash cannot be recorded", error, { job_id: job.job_id }),
    );
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
  // The checkout at the job's start, not the current one: work must not continue unasked in what was checked out
  // meanwhile.
  await engine.submit({ type: "progress", job_id, progress: { kind: "checkout_end", checkout: from } });
  if (from.tree !== null) await noteChanges(options, job, await git.changes(job_id, from));
}

export interface DoneOptions {
  state: State;
  results: Pick<Results, "noted" | "notedEnd">;
  /** Characters of an answer that the journal keeps. */
  excerptChars: number;
  log: Log;
}

/**
 * Jobs whose agent finished and whose complete answer is on disk, though the last daemon ended before it recorded them
 * as done. Never rejects.
 */
export async function doneUnwritten({
  state,
  results,
  excerptChars,
  log,
}: DoneOptions): Promise<Omit<Completion, "type">[]> {
  const noted = await results
    .noted()
    .catch((error: unknown) => (log.failure("the results directory cannot be read", error), []));
  const done = noted
    .filter((job_id) => state.jobs[job_id]?.state === "running")
    .map(async (job_id) => {
      const found = await results
        .notedEnd(job_id)
        .catch((error: unknown) =>
          log.failure("whether an answer was complete before a crash cannot be told", error, { job_id }),
        );
      if (!found) return [];
      const { end, answer } = found;
      const model = typeof end["model"] === "string" ? end["model"] : null;
      return [
        {
          job_id,
          model,
          usage: usageOf(end["usage"]),
          result_sha256: answer.sha256,
          result_excerpt: excerpt(answer.beginning, excerptChars),
        },
      ];
    });
  return (await Promise.all(done)).flat();
}

/**
 * What was saved of outside turns that the last daemon left running: those that had ended well are done, the others are
 * unknown. Never rejects.
 */
export function cutTurns({
  state,
  results,
  excerptChars,
  log,
}: DoneOptions & { results: Pick<Results, "unfinished" | "recover"> }): Promise<
  ({ turn_id: string } & OutsideTurnEnd)[]
> {
  const kept = (answer: KeptAnswer): Pick<OutsideTurnEnd, "result_excerpt" | "result_sha256"> => ({
    result_excerpt: excerpt(answer.beginning, excerptChars),
    result_sha256: answer.sha256,
  });
  const look = async (turn_id: string): Promise<OutsideTurnEnd> => {
    const { end, answer } = (await results.notedEnd(turn_id)) ?? {};
    const usage = usageOf(end?.["usage"]);
    if (end && answer)
      return {
        outcome: "done",
        ...kept(answer),
        ...(typeof end["model"] === "string" && { model: end["model"] }),
        ...(usage && { usage }),
      };
    const partial = (await results.unfinished()).includes(turn_id) ? await results.recover(turn_id) : null;
    return { outcome: "unknown", ...(partial && kept(partial)) };
  };
  const running = outsideThreads(state).flatMap(({ outside }) => outside ?? []);
  return Promise.all(
    running.map(async (turn_id) => {
      const end = await look(turn_id).catch(
        (error: unknown) => (
          log.failure("an agent's output before a crash cannot be saved", error, { turn_id }),
          { outcome: "unknown" } as const
        ),
      );
      return { turn_id, ...end };
    }),
  );
}

function usageOf(noted: unknown): Usage | null {
  const counts = Object.entries(noted ?? {}).filter(([, count]) => typeof count === "number" && Number.isFinite(count));
  return counts.length === 0 ? null : (Object.fromEntries(counts) as Usage);
}

/**
 * Recovers answers that were being written when the last daemon ended. Never rejects: an answer that cannot be saved is
 * left as it is.
 */
export async function recoverAnswers(
  options: Pick<RunDependencies, "engine" | "results" | "config" | "log">,
): Promise<void> {
  const { log, results } = options;
  // The noted ends that were true are in the state by now.
  for (const job_id of await results.noted().catch(() => [])) await results.forgetEnd(job_id);
  const jobs = await results
    .unfinished()
    .catch((error: unknown) => (log.failure("the results directory cannot be read", error), []));
  const { state } = options.engine;
  for (const job_id of jobs) {
    // Its agent goes on, and so does its answer.
    if (state.jobs[job_id]?.state === "running" || state.turns?.[job_id]?.state === "running") continue;
    await recover(options, job_id).catch((error: unknown) =>
      log.failure("an agent's output before a crash cannot be saved", error, { job_id }),
    );
  }
}

async function recover(
  { engine, results, config }: Pick<RunDependencies, "engine" | "results" | "config">,
  job_id: string,
): Promise<void> {
  const { jobs, runs } = engine.state;
  const cut = jobs[job_id]?.state === "unknown_after_crash" || jobs[job_id]?.state === "cancelled";
  // From a job that was put back, or that left the live state long ago.
  if (!cut || runs[job_id]?.result_sha256 != null) return results.drop(job_id);
  const partial = await results.recover(job_id);
  if (partial === null) return;
  const result_excerpt = excerpt(partial.beginning, config().limits.max_result_excerpt_chars);
  await engine.submit({
    type: "progress",
    job_id,
    progress: { kind: "said", result_excerpt, result_sha256: partial.sha256 },
  });
}
