/**
 * How a turn's end becomes the job's: the answer is on disk before the journal says that the job has ended; one that
 * the disk does not take is posted from memory, and the end says so. A usage limit of the agent's account does not fail
 * a job that has done nothing yet: the job goes back to its queue. In either case, and after an outside turn, the
 * thread waits until the limit lifts. So it does where the next message would fail for the same cause.
 */
import { isoTime } from "../../base/clock.ts";
import { BellhopError, codeOf, errors, theirWords, type ErrorCode, type ErrorDetails } from "../../base/errors.ts";
import { fileRefusal } from "../../base/path-refusal.ts";
import { excerpt, lastLines } from "../../base/text.ts";
import { isRunning } from "../../core/decisions/asker.ts";
import { jobOrTurn } from "../../core/jobs/job-or-turn.ts";
import type { StuckCause, TerminalReason } from "../../core/projects/checkout.ts";
import { END_PART } from "../../core/posts/post.ts";
import type { OutsideTurnEnd } from "../../core/jobs/outside-turn.ts";
import { changesOf, type Usage as RecordedUsage } from "../../core/jobs/run.ts";
import type { State } from "../../core/state.ts";
import { recordedUsage, recordLastWords, type RunRecorder } from "./run-recorder.ts";
import type { Attending, RunContext } from "./run-context.ts";
import type { Outcome, FailedOutcome } from "../contract/updates.ts";
import type { Log } from "../../base/log.ts";
import type { Completion, Job } from "../../core/jobs/job.ts";
import { outsideThreads } from "../../core/sessions/thread.ts";
import type { KeptAnswer } from "../../host/files/answer-writing.ts";
import type { Results } from "../../host/files/results.ts";
import { noteChanges } from "./checkouts.ts";

/** A limit that lifts at once would cause endless retries. */
const SOONEST_MS = 60_000;
/** No limit lasts longer; a later time comes from a wrong clock, and nobody knows the right one. */
const LATEST_MS = 31 * 24 * 60 * 60_000;

/** What the next message would meet too. */
const STUCK: Partial<Record<ErrorCode, StuckCause>> = {
  E_AGENT_LOGIN: "login",
  E_CONVERSATION_FULL: "full",
  E_MODEL_UNAVAILABLE: "model",
  E_OUT_OF_CREDITS: "credits",
  E_SERVICE_BUSY: "busy",
};
/** How long a service that does not answer is left alone, after the first, second and third time. */
const BUSY_MS = [60_000, 5 * 60_000, 15 * 60_000];
/** The same of an agent at its limit that does not say until when. */
const UNTIMED_MS = [5 * 60_000, 15 * 60_000, 60 * 60_000];

/** How much of what a window shows is kept: its end, where it asks. */
const SCREEN_CHARS = 4_000;

/** A second end of a job changes nothing, nor does an end after the journal has failed. */
export async function conclude(
  context: Attending,
  job_id: string,
  recorder: RunRecorder,
  outcome: Outcome,
): Promise<void> {
  const { engine } = context;
  if (engine.over || engine.state.jobs[job_id]?.state !== "running") return;
  if (outcome.outcome === "cancelled" && engine.state.runs[job_id]?.finishes && recorder.said)
    return complete(context, job_id, recorder, "");
  if (outcome.outcome === "cancelled") return stopped(context, job_id, recorder);
  if (outcome.outcome === "done") return complete(context, job_id, recorder, outcome.result);
  if (outcome.code === "E_TERMINAL_BUSY") return postpone(context, job_id, recorder, outcome.details);
  const limited = outcome.code === "E_USAGE_LIMIT";
  const stuck = STUCK[outcome.code];
  const why = limited ? "limit" : stuck && "stuck";
  if (why && hasRunNoTool(outcome, recorder)) {
    await recorder.whenRecorded();
    await recorder.discardAnswer();
    await engine.submit({ type: "put_back", job_id, why });
  } else await fail(context, job_id, recorder, outcome);
  if (limited) await park(context, job_id, outcome.details["resets_at"]);
  if (stuck) await wait(context, job_id, stuck, outcome);
}

/** The job goes back to its queue, and its thread waits until something can be typed in its window. */
async function postpone(
  { engine }: Attending,
  job_id: string,
  recorder: RunRecorder,
  { terminal, attach, screen }: ErrorDetails,
): Promise<void> {
  const thread_id = engine.state.jobs[job_id]?.thread_id ?? "";
  await recorder.discardAnswer();
  await engine.submit({ type: "put_back", job_id, why: "terminal" });
  await engine.submit({
    type: "park",
    thread_id,
    job_id,
    wait: {
      kind: "terminal",
      job_id,
      reason: terminal as TerminalReason,
      attach: String(attach),
      ...(typeof screen === "string" && { screen: lastLines(screen, SCREEN_CHARS) }),
    },
  });
}

/** Whether certainly no tool has run: only then may the same be retried without asking. */
export function hasRunNoTool({ details }: FailedOutcome, recorder: RunRecorder): boolean {
  return recorder.tools.size === 0 && details["tools"] !== "unknown";
}

/** What was thrown, as the end of a turn. */
export function failure(thrown: unknown): FailedOutcome {
  const error = fileRefusal(thrown) ?? thrown;
  const details = error instanceof BellhopError ? error.details : { reason: theirWords(String(error)) };
  return { outcome: "failed", code: codeOf(error), details };
}

/**
 * Keeps what was said so far, whoever stopped it. A job that ends with the daemon stays open; the next daemon settles
 * it.
 */
async function stopped(context: Attending, job_id: string, recorder: RunRecorder): Promise<void> {
  const partial = recorder.said ? await kept(context, job_id, recorder) : null;
  const { usage } = used(job_id, recorder);
  if (!context.stopping())
    await context.engine.submit({ type: "cancelled", job_id, ...partial, ...(usage !== null && { usage }) });
  else if (partial?.result_sha256)
    await context.engine.submit({
      type: "progress",
      job_id,
      progress: { kind: "said", result_excerpt: partial.result_excerpt, result_sha256: partial.result_sha256 },
    });
}

async function complete(context: Attending, job_id: string, recorder: RunRecorder, result: string): Promise<void> {
  if (!recorder.said) recorder.add(result);
  const end = used(job_id, recorder);
  await context.engine.submit({ type: "complete", ...end, ...(await kept(context, job_id, recorder, end)) });
  await context.results.forgetEnd(job_id);
}

/**
 * How an outside turn ended, with what was said in it on disk. One that ends with the daemon was interrupted: nobody
 * knows what else it would have done.
 */
export async function endOf(
  context: Attending,
  turn_id: string,
  recorder: RunRecorder,
  outcome: Outcome,
): Promise<OutsideTurnEnd> {
  const { model, usage } = used(turn_id, recorder);
  const facts = { ...(model !== null && { model }), ...(usage !== null && { usage }) };
  if (outcome.outcome === "done") {
    if (!recorder.said) recorder.add(outcome.result);
    return { outcome: "done", ...(await kept(context, turn_id, recorder, facts)), ...facts };
  }
  const partial = recorder.said ? await kept(context, turn_id, recorder) : null;
  const isCancelled = context.engine.state.runs[turn_id]?.cancelling === true || !context.stopping();
  if (outcome.outcome === "cancelled") return { outcome: isCancelled ? "cancelled" : "unknown", ...partial, ...facts };
  // Before its end, which would let the next job begin.
  if (outcome.code === "E_USAGE_LIMIT") await park(context, turn_id, outcome.details["resets_at"]);
  context.log.warn("a turn that an agent began by itself failed", {
    turn_id,
    error_code: outcome.code,
    ...redacted(context, outcome.details),
  });
  return {
    outcome: "failed",
    error_code: outcome.code,
    error_details: redacted(context, outcome.details),
    ...partial,
    ...facts,
  };
}

/**
 * Writes the answer so far to disk; returns what the journal keeps of it, without a digest if the disk did not take it.
 */
async function kept(
  context: Attending,
  id: string,
  recorder: RunRecorder,
  end?: object,
): Promise<{ result_excerpt: string; result_sha256: string | null }> {
  const job = jobOrTurn(context.engine.state, id);
  if (job) recordLastWords(context, job, recorder);
  const answer = await recorder.finishAnswer(end);
  if (answer.sha256 === null) {
    context.log.failure(
      "an answer could not be saved; it is posted from memory",
      fileRefusal(answer.error) ?? answer.error,
      { job_id: id },
    );
    releaseWhenPosted(context, id);
  }
  return { result_excerpt: shortened(context, answer.beginning), result_sha256: answer.sha256 };
}

/** Until its end is posted, only the memory has it. */
function releaseWhenPosted({ engine, results }: Attending, id: string): void {
  const isOver = ({ posts }: State): boolean =>
    jobOrTurn(engine.state, id) === undefined || posts[id]?.[END_PART] !== undefined;
  void engine.until(isOver, ["post", "end"]).then(() => results.releaseAnswer(id));
}

async function fail(
  context: Attending,
  job_id: string,
  recorder: RunRecorder,
  { code, details }: FailedOutcome,
): Promise<void> {
  const { engine } = context;
  const said = recorder.said ? await kept(context, job_id, recorder) : null;
  if (details["resume"] === "unknown") {
    // The agent no longer knows the conversation, so the next message starts a new one.
    await engine.submit({ type: "progress", job_id, progress: { kind: "session_key", adapter_state: {} } });
  }
  const partial = said ?? { result_excerpt: null, result_sha256: null };
  if (errors[code].logged === "error")
    context.log.failure("a job failed", new BellhopError(code, redacted(context, details)), { job_id });
  else context.log.warn("a job failed", { job_id, error_code: code, ...redacted(context, details) });
  await engine.submit({
    type: "fail",
    ...used(job_id, recorder),
    code,
    details: redacted(context, details),
    ...partial,
  });
}

/** What was cancelled meanwhile does not park its thread, because nothing waits for the limit. */
async function park({ engine, clock, config }: Attending, job_id: string, resetsAt: unknown): Promise<void> {
  const job = jobOrTurn(engine.state, job_id);
  if (!job || job.state === "cancelled" || engine.state.runs[job_id]?.cancelling) return;
  const now = clock.now();
  const isUsable = typeof resetsAt === "number" && resetsAt > now && resetsAt <= now + LATEST_MS;
  const { tries = 0, resumed_after_limit } = engine.state.threads[job.thread_id] ?? {};
  const isTried = config().limits.resume_after_limit === "go_on" && !resumed_after_limit;
  const pause = isTried ? UNTIMED_MS[tries] : undefined;
  await engine.submit({
    type: "park",
    thread_id: job.thread_id,
    job_id,
    wait: isUsable
      ? { kind: "limit", job_id, until: isoTime(Math.max(resetsAt, now + SOONEST_MS)) }
      : { kind: "limit", job_id, until: isoTime(now + (pause ?? 0)), untimed: true },
  });
}

/** The thread waits for what would make its next message fail too. */
async function wait(
  context: Attending,
  job_id: string,
  cause: StuckCause,
  { code, details }: FailedOutcome,
): Promise<void> {
  const { engine, clock } = context;
  const { thread_id = "" } = engine.state.jobs[job_id] ?? {};
  const pause = cause === "busy" ? BUSY_MS[engine.state.threads[thread_id]?.tries ?? 0] : undefined;
  const times = { since: isoTime(clock.now()), ...(pause !== undefined && { until: isoTime(clock.now() + pause) }) };
  const stuck = { kind: "stuck", job_id, cause, code, details: redacted(context, details), ...times } as const;
  await engine.submit({ type: "park", thread_id, job_id, wait: stuck });
}

function used(
  job_id: string,
  { usage }: RunRecorder,
): { job_id: string; model: string | null; usage: RecordedUsage | null } {
  return { job_id, model: usage.model ?? null, usage: recordedUsage(usage) };
}

function shortened({ config }: Attending, text: string): string {
  return excerpt(text, config().limits.max_result_excerpt_chars);
}

function redacted(context: RunContext, details: ErrorDetails): ErrorDetails {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [
      key,
      typeof value === "string" ? context.redactor.redactText(value) : value,
    ]),
  );
}

/*
 * What is known of a job that a crash cut off: the difference between its work tree at its start and now. The crash is
 * reported without waiting for this, and the result is added later. Before that, the agent's output so far is saved,
 * while nothing is posted yet. If an agent had finished and only the journal did not record it, its job is done and
 * nothing of it is unknown.
 */

/**
 * Runs once, at the start, because jobs are only cut off while no daemon runs. Resolves when all that can be found is
 * recorded. Never rejects.
 */
export async function gatherEvidence(context: RunContext): Promise<void> {
  const { engine, git } = context;
  const cut = Object.values(engine.state.threads).flatMap(({ ended }) =>
    ended.flatMap((id) => unexplained(context, id)),
  );
  // Snapshots of jobs that have ended are no longer needed.
  const open = Object.values(engine.state.jobs).filter(({ state }) => state === "queued" || state === "running");
  await git.forgetAllBut(new Set([...cut, ...open].map(({ job_id }) => job_id)));
  for (const job of cut) {
    await explain(context, job).catch((error: unknown) =>
      context.log.failure("what a job changed before a crash cannot be recorded", error, { job_id: job.job_id }),
    );
    await git.removeRecords(job.job_id);
  }
}

function unexplained({ engine }: RunContext, jobId: string): Job[] {
  const job = engine.state.jobs[jobId];
  const run = engine.state.runs[jobId];
  return job?.state === "unknown_after_crash" && run?.begun?.checkout && changesOf(run) === null ? [job] : [];
}

async function explain(context: RunContext, job: Job): Promise<void> {
  const { engine, git } = context;
  const { job_id } = job;
  const from = engine.state.runs[job_id]?.begun?.checkout;
  if (!from) return;
  // The checkout at the job's start, not the current one: work must not continue unasked in what was checked out
  // meanwhile.
  await engine.submit({ type: "progress", job_id, progress: { kind: "checkout_end", checkout: from } });
  if (from.tree !== null) await noteChanges(context, job, await git.changes(job_id, from));
}

interface DoneOptions {
  state: State;
  results: Results;
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
    .jobsWithEndNote()
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
}: DoneOptions & { results: Results }): Promise<({ turn_id: string } & OutsideTurnEnd)[]> {
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

function usageOf(noted: unknown): RecordedUsage | null {
  const counts = Object.entries(noted ?? {}).filter(([, count]) => typeof count === "number" && Number.isFinite(count));
  return counts.length === 0 ? null : (Object.fromEntries(counts) as RecordedUsage);
}

/**
 * Recovers answers that were being written when the last daemon ended. Never rejects: an answer that cannot be saved is
 * left as it is.
 */
export async function recoverAnswers(context: RunContext): Promise<void> {
  const { log, results } = context;
  // The noted ends that were true are in the state by now.
  for (const job_id of await results.jobsWithEndNote().catch(() => [])) await results.forgetEnd(job_id);
  const jobs = await results
    .unfinished()
    .catch((error: unknown) => (log.failure("the results directory cannot be read", error), []));
  const { state } = context.engine;
  for (const job_id of jobs) {
    // Its agent goes on, and so does its answer.
    if (isRunning(state, job_id)) continue;
    await recover(context, job_id).catch((error: unknown) =>
      log.failure("an agent's output before a crash cannot be saved", error, { job_id }),
    );
  }
}

async function recover({ engine, results, config }: RunContext, job_id: string): Promise<void> {
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
