/**
 * The owner's choices for a job that a crash interrupted, or that failed: run its prompt again, continue its
 * conversation, or discard it. None of it happens automatically, and only one run of the same words is under way. If
 * the owner has edited the message since, the new job has the words that stand there now; the old one keeps its own.
 */
import { BellhopError } from "../../base/errors.ts";
import { reopened, type ClosingEvent } from "../sessions/closing.ts";
import { refusedWords } from "./accept-message.ts";
import {
  jobsOf,
  nextJobId,
  type ChoiceCommand,
  type Job,
  type JobEvent,
  type Jobs,
  type JobState,
  type QueueEvent,
  type Rules,
} from "./job.ts";
import { liftedLimit, resume, unparked } from "./queue.ts";
import type { Mode, Run } from "./run.ts";

type ResumedBy = NonNullable<Run["settled"]>;
type ChoiceEvent = JobEvent | QueueEvent | ClosingEvent;

/**
 * @throws BellhopError E_JOB_NOT_RETRYABLE {job, state} for a job that cannot be run again, or is or was elsewhere;
 *   E_EMPTY_PROMPT, E_PROMPT_TOO_LONG {length, limit} for words that it cannot have
 */
export function decideChoice(state: Jobs, command: ChoiceCommand, at: string, rules: Rules): ChoiceEvent[] {
  switch (command.type) {
    case "retry":
      return withWords(again(state, command.job_id, at, "retry"), command.prompt, rules);
    case "continue":
      return again(state, command.job_id, at, "continue");
    case "discard": {
      const thread = state.threads[state.jobs[command.job_id]?.thread_id ?? ""];
      return thread?.hold === command.job_id ? [resume(thread.thread_id, command.job_id, "discard")] : [];
    }
  }
}

export function evolveResumed(
  state: Jobs,
  { payload }: Extract<QueueEvent, { type: "QueueResumed" }>,
  ts: string,
): void {
  const session = state.sessions[payload.thread_id];
  const thread = state.threads[payload.thread_id];
  if (!session || !thread) return;
  session.updated_at = ts;
  if (thread.hold === payload.job_id) thread.hold = null;
  const run = state.runs[payload.job_id];
  if (run) run.settled = payload.by;
}

/** A run in one of these makes another one of the same words needless. */
const INSTEAD: ReadonlySet<JobState> = new Set(["queued", "running", "success", "sent_into"]);

/**
 * Another run of the same words, because of which this job is not run again: it waits, runs, has succeeded, or holds
 * the queue until its owner chooses what becomes of it. Null: there is none, such as when every retry failed or was
 * cancelled.
 */
export function otherRun(state: Jobs, { job_id, thread_id, discord_message_id }: Job): string | null {
  const hold = state.threads[thread_id]?.hold;
  const others = jobsOf(state, thread_id).filter(
    (one) => one.discord_message_id === discord_message_id && one.job_id !== job_id,
  );
  return others.findLast((one) => INSTEAD.has(one.state) || one.job_id === hold)?.job_id ?? null;
}

/** The states from which a job may be run again. */
const from: Record<"retry" | "continue", readonly JobState[]> = {
  retry: ["failed", "unknown_after_crash"],
  continue: ["unknown_after_crash"],
};

function again(state: Jobs, id: string, at: string, by: keyof typeof from): ChoiceEvent[] {
  const old = state.jobs[id];
  const session = state.sessions[old?.thread_id ?? ""];
  const hold = state.threads[old?.thread_id ?? ""]?.hold;
  const run = state.runs[id];
  // A crash came between the new job and the release of the queue: only the release is missing.
  if (old && run?.retried_by && hold === id) return [resume(old.thread_id, id, byMode(state, run.retried_by))];
  if (!old || !session || !run || !from[by].includes(old.state) || otherRun(state, old) !== null) {
    throw new BellhopError("E_JOB_NOT_RETRYABLE", { job: id, state: old?.state ?? "unknown" });
  }
  const job_id = nextJobId(state, at);
  // If a continued job failed, it is continued again.
  const mode = by === "continue" ? "continue" : run.mode;
  const first = by === "continue" || hold === id;
  const events: ChoiceEvent[] = [
    ...reopened(state, old.thread_id),
    enqueue(old, run, { job_id, tool: session.tool, first, mode }),
  ];
  if (hold === id) events.push(resume(old.thread_id, id, by));
  const lifted = liftedLimit(state.threads[old.thread_id]);
  if (lifted) events.push(unparked(old.thread_id, lifted));
  return events;
}

/** Of these events, the new job gets other words. A job that continues a conversation is not given its words again. */
function withWords(events: ChoiceEvent[], prompt: string | undefined, rules: Rules): ChoiceEvent[] {
  const fresh = events.find((event) => event.type === "JobEnqueued")?.payload;
  if (prompt === undefined || fresh === undefined || fresh.mode === "continue" || fresh.prompt === prompt)
    return events;
  const refusal = refusedWords(prompt, fresh.files ?? [], rules);
  if (refusal) throw new BellhopError(refusal.code, refusal.details);
  return [...events, { type: "JobEdited", payload: { job_id: fresh.job_id, thread_id: fresh.thread_id, prompt } }];
}

function enqueue(old: Job, run: Run, fresh: { job_id: string; tool: string; first: boolean; mode: Mode }): JobEvent {
  const { thread_id, discord_message_id, prompt } = old;
  return {
    type: "JobEnqueued",
    payload: {
      thread_id,
      discord_message_id,
      prompt,
      attempt: old.attempt + 1,
      retry_of: old.job_id,
      ...fresh,
      files: [...run.files],
    },
  };
}

function byMode(state: Jobs, jobId: string): ResumedBy {
  return state.runs[jobId]?.mode === "continue" ? "continue" : "retry";
}
