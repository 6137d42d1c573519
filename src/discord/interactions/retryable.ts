/**
 * Which ended jobs can be run again: those that failed or were cut off by a crash, while no other run of their words is
 * under way or went well. A job no longer in the live state cannot. It is run with the words that its message has now,
 * because they are what its owner sees.
 */
import { entryOf } from "../../base/entry.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../../base/words/say.ts";
import type { Recorded, State } from "../../core/state.ts";
import { otherRun } from "../../core/jobs/choices.ts";
import type { Job } from "../../core/jobs/job.ts";
import { code } from "../views/body.ts";
import type { CommandContext } from "./command.ts";

export function isRetryable(state: State, job: Job): boolean {
  const ended = job.state === "failed" || job.state === "unknown_after_crash";
  return ended && otherRun(state, job) === null;
}

/** @throws BellhopError E_JOB_NOT_RETRYABLE, or why it cannot have the words that its message has now */
export async function retryJob(
  job_id: string,
  { engine, wordsNow }: Pick<CommandContext, "engine" | "wordsNow">,
): Promise<readonly Recorded[]> {
  const job = entryOf(engine.state.jobs, job_id);
  const prompt =
    job && isRetryable(engine.state, job) ? await wordsNow(job.thread_id, job.discord_message_id) : undefined;
  return engine.submit({ type: "retry", job_id, ...(prompt !== undefined && { prompt }) });
}

/** What is said of a job that is run again, and of its session, which that opens. Null: nothing was done. */
export function ranAgain(events: readonly Recorded[], locale: Locale, here: string): string | null {
  const fresh = events.find((event) => event.type === "JobEnqueued")?.payload;
  if (!fresh) return null;
  const opened = events.some(({ type }) => type === "SessionReopened") ? `${say(locale, "session_open_again")} ` : "";
  const job = code(fresh.job_id);
  return `${opened}${fresh.thread_id === here ? say(locale, "retry_queued", { job }) : say(locale, "retry_queued_in", { job, thread: `<#${fresh.thread_id}>` })}`;
}

/** Why a job cannot be run again, as its own sentence; null if it can, or if only the core can tell. */
export function refusedRetry(state: State, jobId: string): { key: WordKey; args: WordArgs } | null {
  const job = entryOf(state.jobs, jobId);
  const args = { job: code(jobId) };
  if (!job) return { key: "retry_unknown", args };
  switch (job.state) {
    case "queued":
    case "running":
      return { key: "retry_not_ended", args };
    case "success":
    case "cancelled":
      return { key: job.state === "success" ? "retry_went_well" : "retry_was_cancelled", args };
    case "sent_into":
      return { key: "retry_was_sent", args };
    case "failed":
    case "unknown_after_crash": {
      const by = otherRun(state, job);
      // A retry that a crash interrupted is finished by asking again.
      return by === null || state.threads[job.thread_id]?.hold === jobId
        ? null
        : { key: "retry_before", args: { ...args, by: code(by) } };
    }
  }
}
