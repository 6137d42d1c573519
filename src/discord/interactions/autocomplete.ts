/**
 * Suggestions for an option while it is typed: projects, sessions, jobs and tools, each with a readable label, from the
 * state alone. Prefix matches come before other matches.
 */
import { longestBeginning, excerpt, oneLine } from "../../base/text.ts";
import type { State, RecordedEvent } from "../../core/state.ts";
import type { Job } from "../../core/jobs/job.ts";
import { sessionState, type Session } from "../../core/sessions/session.ts";
import { threadName } from "../threads/session-starts.ts";
import type { AutocompleteChoice, CommandContext } from "./command.ts";
import { entryOf } from "../../base/entry.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../../base/words/say.ts";
import { otherRun } from "../../core/jobs/ending.ts";
import { code } from "../views/message.ts";

/** Discord's limit for a choice's name and for its value. */
const CHARS = 100;
const MOST = 25;
/** How much of a prompt is searched, so that thousands of long ones still meet Discord's time limit. */
const READ_CHARS = 400;

interface AutocompleteCandidate {
  value: string;
  /** The text that is searched. */
  by: string;
  /** Called only for choices that are offered. */
  label(): string;
}

/** Projects by name or path, in the order of registration. */
export function projectChoices(state: State, typed: string): AutocompleteChoice[] {
  const projects = Object.values(state.projects).toSorted((a, b) => a.number - b.number);
  return choicesOf(
    projects.map(({ name, path }) => ({ value: name, by: `${name}\n${path}`, label: () => `${name} · ${path}` })),
    typed,
  );
}

/** Sessions by name, project, id or last words; the most recently used first. */
export function sessionChoices(state: State, typed: string, zone?: string): AutocompleteChoice[] {
  const sessions = Object.values(state.sessions).toSorted(lastUsedFirst);
  return choicesOf(
    sessions.map((session) => {
      const words = lastWords(state, session);
      const name = state.threads[session.thread_id]?.name;
      const label = (): string => {
        const parts = [
          name === undefined
            ? threadName({ project_name: session.project_name, at: session.created_at }, zone)
            : `${name} · ${session.project_name}`,
          sessionState(session, state.jobs, state.threads[session.thread_id]),
          oneLine(words, CHARS),
        ];
        return parts.filter((part) => part !== "").join(" · ");
      };
      return {
        value: session.thread_id,
        by: `${name ?? ""}\n${session.project_name}\n${session.thread_id}\n${words}`,
        label,
      };
    }),
    typed,
  );
}

/** Jobs that `/retry` accepts, the last ended first: those of this thread, or all if this is no session's thread. */
export function retryChoices(state: State, typed: string, channelId: string): AutocompleteChoice[] {
  const threads = state.threads[channelId] ? [channelId] : Object.keys(state.threads);
  const jobs = threads
    .flatMap((thread) => state.threads[thread]?.ended ?? [])
    .flatMap((id) => state.jobs[id] ?? [])
    .filter((job) => isRetryable(state, job))
    .toSorted((a, b) => ((a.finished_at ?? "") < (b.finished_at ?? "") ? 1 : -1));
  return choicesOf(
    jobs.map((job) => {
      const words = firstWords(job);
      return {
        value: job.job_id,
        by: `${job.job_id}\n${words}`,
        label: () => `${job.job_id} · ${job.state} · ${oneLine(words, CHARS)}`,
      };
    }),
    typed,
  );
}

export function toolChoices(tools: readonly string[], typed: string): AutocompleteChoice[] {
  return choicesOf(
    tools.map((tool) => ({ value: tool, by: tool, label: () => tool })),
    typed,
  );
}

/**
 * For a comma-separated list: what precedes the last comma is kept, and each tool that is not in it is offered next.
 */
export function toolListChoices(tools: readonly string[], typed: string): AutocompleteChoice[] {
  const parts = typed.split(",").map((part) => part.trim());
  const last = parts.pop() ?? "";
  const before = parts.filter((part) => part !== "");
  const left = tools.filter((tool) => !before.includes(tool));
  const lists = matching(
    left.map((tool) => ({ value: tool, by: tool })),
    last,
  ).map(({ value }) => [...before, value].join(","));
  // A completely typed tool is offered with each of the others after it.
  const further = left.includes(last)
    ? left.filter((tool) => tool !== last).map((tool) => [...before, last, tool].join(","))
    : [];
  return [...new Set([...lists, ...further])]
    .filter((list) => list.length <= CHARS)
    .map((list) => ({ name: list, value: list }));
}

export function lastUsedFirst(a: Session, b: Session): number {
  return a.last_activity_at === b.last_activity_at
    ? a.thread_id < b.thread_id
      ? 1
      : -1
    : a.last_activity_at < b.last_activity_at
      ? 1
      : -1;
}

function lastWords(state: State, session: Session): string {
  const job: Job | undefined = state.jobs[session.running_job_id ?? session.last_job_id ?? session.queue[0] ?? ""];
  return job === undefined ? "" : firstWords(job);
}

function firstWords({ prompt }: Job): string {
  return longestBeginning(prompt, READ_CHARS);
}

export function choicesOf(offered: readonly AutocompleteCandidate[], typed: string): AutocompleteChoice[] {
  return matching(offered, typed)
    .filter(({ value }) => oneLine(value, CHARS) !== "" && value.length <= CHARS)
    .slice(0, MOST)
    .map(({ value, label }) => ({ name: excerpt(oneLine(label(), CHARS) || oneLine(value, CHARS), CHARS), value }));
}

function matching<T extends { value: string; by: string }>(offered: readonly T[], typed: string): T[] {
  const wanted = typed.trim().toLowerCase();
  const rank = (value: string): number => (value.startsWith(wanted) ? 0 : value.includes(wanted) ? 1 : 2);
  return offered
    .filter(({ by }) => by.toLowerCase().includes(wanted))
    .map((one) => ({ one, rank: rank(one.value.toLowerCase()) }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}

/*
 * Which ended jobs can be run again: those that failed or were cut off by a crash, while no other run of their words is
 * under way or went well. A job no longer in the live state cannot. It is run with the words that its message has now,
 * because they are what its owner sees.
 */

export function isRetryable(state: State, job: Job): boolean {
  const ended = job.state === "failed" || job.state === "unknown_after_crash";
  return ended && otherRun(state, job) === null;
}

/** @throws BellhopError E_JOB_NOT_RETRYABLE, or why it cannot have the words that its message has now */
export async function retryJob(
  job_id: string,
  { engine, listener }: CommandContext,
): Promise<readonly RecordedEvent[]> {
  const job = entryOf(engine.state.jobs, job_id);
  const prompt =
    job && isRetryable(engine.state, job) ? await listener.wordsNow(job.thread_id, job.discord_message_id) : undefined;
  return engine.submit({ type: "retry", job_id, ...(prompt !== undefined && { prompt }) });
}

/** What is said of a job that is run again, and of its session, which that opens. Null: nothing was done. */
export function ranAgain(events: readonly RecordedEvent[], locale: Locale, here: string): string | null {
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
