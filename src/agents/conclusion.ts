/**
 * How a run's end becomes the job's: the answer is on the disk before the journal says that the job has ended. A
 * limit of the agent's account is not the job's failure where nothing was done yet: the job goes back to its queue,
 * and its thread waits until the limit lifts.
 */
import { isoTime } from "../base/clock.ts";
import { BellhopError, codeOf, type ErrorDetails } from "../base/errors.ts";
import { excerpt } from "../base/text.ts";
import type { Usage as RecordedUsage } from "../core/run.ts";
import type { Heard } from "./heard.ts";
import type { RunnerOptions } from "./means.ts";
import type { Outcome, Usage } from "./updates.ts";

/** Where the agent does not say when its limit lifts. */
const TRY_AGAIN_MS = 60 * 60_000;
/** A limit that lifts at once, or did so already, would have us ask without end. */
const SOONEST_MS = 60_000;
/** No limit lasts longer; what says so is a clock gone wrong. */
const LATEST_MS = 31 * 24 * 60 * 60_000;

export interface Concluding extends RunnerOptions {
  /** Whether the daemon is going: an agent that it ends now was interrupted, not cancelled. */
  stopping(): boolean;
}

/** A second end of a job changes nothing. */
export async function conclude(options: Concluding, job_id: string, heard: Heard, outcome: Outcome): Promise<void> {
  const { engine } = options;
  if (engine.state.jobs[job_id]?.state !== "running") return;
  if (outcome.outcome === "cancelled") {
    if (!options.stopping()) await engine.submit({ type: "cancelled", job_id });
    return;
  }
  if (outcome.outcome === "done") return complete(options, job_id, heard, outcome.result);
  const limited = outcome.code === "E_USAGE_LIMIT";
  if (limited && heard.tools.size === 0 && outcome.details["tools"] !== "unknown") {
    await heard.settled();
    await engine.submit({ type: "put_back", job_id, why: "limit" });
  } else await fail(options, job_id, heard, outcome);
  if (limited) await park(options, job_id, outcome.details["resets_at"]);
}

/** Whether surely no tool has run: only then may the same be tried again unasked. */
export function didNothing({ details }: Extract<Outcome, { outcome: "failed" }>, heard: Heard): boolean {
  return heard.tools.size === 0 && details["tools"] !== "unknown";
}

export function failure(error: unknown): Outcome {
  const details = error instanceof BellhopError ? error.details : { reason: String(error) };
  return { outcome: "failed", code: codeOf(error), details };
}

async function complete(options: Concluding, job_id: string, heard: Heard, result: string): Promise<void> {
  const text = options.redact(result);
  const result_sha256 = await options.results.save(job_id, text);
  await options.engine.submit({ type: "complete", ...used(job_id, heard), result_excerpt: shortened(options, text), result_sha256 });
}

async function fail(
  options: Concluding,
  job_id: string,
  heard: Heard,
  { code, details }: Extract<Outcome, { outcome: "failed" }>,
): Promise<void> {
  const { engine, results } = options;
  const text = options.redact(heard.text);
  const said = text === "" ? null : { result_excerpt: shortened(options, text), result_sha256: await results.save(job_id, text) };
  if (details["resume"] === "unknown") {
    // The agent does not know that conversation any more: the next message begins a new one.
    await engine.submit({ type: "progress", job_id, progress: { kind: "session_key", adapter_state: {} } });
  }
  const partial = said ?? { result_excerpt: null, result_sha256: null };
  options.log.warn("a job failed", { job_id, error_code: code, ...redacted(options, details) });
  await engine.submit({ type: "fail", ...used(job_id, heard), code, details: redacted(options, details), ...partial });
}

/** A job that was cancelled meanwhile does not keep its thread from trying: only what waits needs to wait. */
async function park({ engine, clock }: Concluding, job_id: string, resetsAt: unknown): Promise<void> {
  const job = engine.state.jobs[job_id];
  if (!job || job.state === "cancelled") return;
  const now = clock.now();
  const told = typeof resetsAt === "number" && Number.isFinite(resetsAt) ? resetsAt : now + TRY_AGAIN_MS;
  const until = isoTime(Math.min(Math.max(told, now + SOONEST_MS), now + LATEST_MS));
  await engine.submit({ type: "park", thread_id: job.thread_id, job_id, wait: { kind: "limit", job_id, until } });
}

function used(job_id: string, { usage }: Heard): { job_id: string; model: string | null; usage: RecordedUsage | null } {
  return { job_id, model: usage.model ?? null, usage: recorded(usage) };
}

function shortened({ limits }: Concluding, text: string): string {
  return excerpt(text, limits().excerptChars);
}

function redacted(options: RunnerOptions, details: ErrorDetails): ErrorDetails {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key, typeof value === "string" ? options.redact(value) : value]),
  );
}

function recorded(usage: Usage): RecordedUsage | null {
  const pairs: [keyof RecordedUsage, number | undefined][] = [
    ["input_tokens", sum(usage.input, usage.cacheRead, usage.cacheWritten)],
    ["output_tokens", usage.output],
    ["cost_usd", usage.costUsd],
    ["duration_ms", usage.durationMs],
    ["context_used", usage.contextUsed],
    ["context_size", usage.contextSize],
    ["conversation_input", usage.conversation?.input],
    ["conversation_cached", usage.conversation?.cached],
    ["conversation_output", usage.conversation?.output],
  ];
  const known = pairs.filter(([, value]) => value !== undefined);
  return known.length === 0 ? null : (Object.fromEntries(known) as RecordedUsage);
}

function sum(...parts: (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, part) => total + part, 0);
}
