/**
 * The names of what posts say. A name covers every fact of the subject that its post shows, but not our words or how
 * they are drawn: while the name is the same, the post stays as it is, whichever version of Bellhop made it.
 */
import { otherTools } from "./waiting.ts";
import { workOf } from "../decisions/asker.ts";
import { isOpen, type Decision, type SettledDecision } from "../decisions/decision.ts";
import { isUntold } from "../decisions/settlement.ts";
import { retriedAs, type Job, type JobState } from "./job.ts";
import { UNRECORDED_PART } from "../posts/post.ts";
import { uncopied } from "./pictures.ts";
import { changesOf, countTools, type Changes, type Run } from "./run.ts";
import { isUnkept } from "./job-or-turn.ts";
import { sentInto } from "./sending.ts";
import type { State } from "../state.ts";

/** For what is said once and never changes. */
export const SAID = "said";
/** For an ended job's answer that is posted to its end. */
export const WHOLE = "whole";
/** For the message that has an ended job's answer as a file, because it could not be rendered. */
export const UNRENDERED = "unrendered";
/** For a message that was still growing when its job was interrupted, with a line that says so. */
export const INTERRUPTED = "interrupted";
/** For a card that does not change again: its queue is empty, or its job has ended. */
export const OVER = "over";

/** Names the message that closes a job. */
export function endName(state: State, job: Job): string {
  const took = sentInto(state, job).length;
  const run = state.runs[job.job_id];
  const again = retriedAs(state, job);
  const held = state.threads[job.thread_id]?.hold === job.job_id;
  // Made for each ended job at each change of its thread, so without a list of its parts.
  return (
    job.state +
    part(again === null ? null : `retried ${again}`) +
    part(run?.settled) +
    part(
      held && !run?.settled && !run?.retried_by ? `held ${state.sessions[job.thread_id]?.queue.length ?? 0}` : null,
    ) +
    part(isOffered(job, run) && state.threads[job.thread_id]?.closed !== undefined ? "closed" : null) +
    part(countTools(run) > 0 ? `tools ${run?.begun?.tools.length} denied ${run?.begun?.denied.length}` : null) +
    part(took > 0 ? `took ${took}` : null) +
    part(run?.by_rules ? `rules ${run.by_rules.allowed} ${run.by_rules.denied}` : null) +
    part(run?.begun?.access) +
    part(wholePictures(run, job.tool)) +
    part(run?.begun?.left_out ? "left out" : null) +
    part(run?.begun?.ended_early) +
    part(run?.begun?.compacted ? "compacted" : null) +
    part(run?.begun?.renewed ? "renewed" : null) +
    part(run?.budget ? `budget ${run.budget.length}` : null) +
    part(run?.begun?.warnings ? `warned ${run.begun.warnings.length}` : null) +
    part(job.state === "unknown_after_crash" && isAbove(state, job) ? "kept" : null) +
    part(isUnkept(job, run) ? "unkept" : null) +
    part(run?.begun?.looked_late && changesOf(run) ? "looked late" : null) +
    part(run?.changes === "unmeasured" ? run.changes : null) +
    part(changesName(changesOf(run)))
  );
}

function wholePictures(run: State["runs"][string] | undefined, tool: string): string | null {
  const count = uncopied(run, tool).length;
  return count === 0 ? null : `pictures ${count}`;
}

/** Whether it may be run again, which would also open its session. */
function isOffered({ state }: Job, run: State["runs"][string] | undefined): boolean {
  return (state === "failed" || state === "unknown_after_crash") && !run?.retried_by && !run?.settled;
}

/** Whether all that its agent had said when a crash came is posted, or can be. */
export function isAbove({ runs, posts }: State, { job_id }: Job): boolean {
  return (
    typeof runs[job_id]?.result_sha256 === "string" || typeof posts[job_id]?.[UNRECORDED_PART]?.message_id === "string"
  );
}

function part(what: string | null | undefined): string {
  return what === null || what === undefined ? "" : ` ${what}`;
}

/** Names a decision's prompt, and what replaces it once it is settled. */
export function promptName(state: State, decision: Decision): string {
  if (!isOpen(decision)) return settledPromptName(state, decision);
  const { asker, answers, shown, lapses_at, meanwhile } = decision;
  const { noticed, refreshed_at, snooze } = meanwhile;
  const given = answers.filter((one) => one !== null).length;
  const parts = [
    decision.state,
    noticed === true ? "noticed" : null,
    given > 0 ? `answered ${given}` : null,
    shown.pages > 1 ? `seen ${shown.pages}` : null,
    refreshed_at === null ? null : `refreshed ${refreshed_at}`,
    lapses_at === null ? null : `lapses ${lapses_at}`,
    snooze ? `snoozed ${snooze.until}` : null,
    asker.by === "hook" && asker.before === true ? "before" : null,
  ];
  return parts.filter((part) => part !== null).join(" ");
}

function settledPromptName(state: State, decision: SettledDecision): string {
  if (decision.state !== "void") return settledName(decision);
  const { voided, outcome_late } = decision;
  const work = workOf(decision.asker);
  const parts = [
    "void",
    voided === "untold" ? voided : null,
    outcome_late === true ? "outcome" : null,
    work === null ? null : ((state.jobs[work] ?? state.turns[work])?.state ?? "gone"),
  ];
  return parts.filter((part) => part !== null).join(" ");
}

/** Names a settled decision. If its answer is taken back and given again, each answer has its own name. */
export function settledName(decision: SettledDecision): string {
  const { state, settled_at } = decision;
  if (isUntold(decision)) return `${state} untold`;
  return decision.state === "answered" && decision.revocable ? `${state} revocable ${settled_at}` : state;
}

export function welcomeName({ projects, sessions, worktrees }: State, threadId: string): string {
  const { project_name = "", tool = "" } = sessions[threadId] ?? {};
  const branch = worktrees[threadId]?.branch;
  return `${tool} ${projects[project_name]?.path ?? project_name}${branch === undefined ? "" : ` ${branch}`}`;
}

/** Names what holds a thread's queue, or held it. */
export function waitName(state: State, job: Job): string {
  const { threads, runs } = state;
  const wait = threads[job.thread_id]?.wait;
  if (wait?.job_id !== job.job_id)
    return [
      job.state === "cancelled" ? "dropped" : OVER,
      ...(runs[job.job_id]?.drafts ?? []).map((draft) => draft.length),
    ].join(" ");
  switch (wait.kind) {
    case "limit":
      return wait.lifted ? "lifted" : `limit ${wait.until} ${job.tool}`;
    case "changed":
      return `changed ${wait.digest}`;
    case "stuck":
      return [
        `stuck ${wait.cause} ${wait.until ?? wait.since}`,
        ...(wait.cause === "full" && (state.sessions[job.thread_id]?.queue.length ?? 0) > 1 ? ["many"] : []),
        ...((wait.cause === "login" || wait.cause === "credits") && otherTools(state, job.thread_id).length > 0
          ? ["other"]
          : []),
      ].join(" ");
    case "budget":
      return [`budget ${wait.unit} ${wait.limit}`, wait.stopped ? "stopped" : atBudget(state, job)]
        .filter((one) => one !== null)
        .join(" ");
    case "terminal":
      // What stands in the window may be another dialog by now.
      return `terminal ${wait.reason}${wait.screen === undefined ? "" : ` ${wait.screen.length}`}`;
  }
}

/** What becomes of the job with which a budget is used up; null: it has not begun, or has ended by itself. */
export function atBudget({ runs }: State, { job_id, state, started_at }: Job): "runs" | "ended" | null {
  const isEnded = state === "cancelled" || runs[job_id]?.cancelling === true;
  return started_at !== null && isEnded ? "ended" : state === "running" ? "runs" : null;
}

/** Names the reaction on a job's message. */
export function signName(state: JobState, heardAs: Run["heard_as"], edited: boolean): string {
  return `${heardAs ?? state}${edited ? " edited" : ""}`;
}

function changesName(changes: Changes | null): string | null {
  return changes === null
    ? null
    : `changed ${changes.files} +${changes.added} -${changes.removed}${changes.patch === null ? "" : " patch"}${changes.beside ? ` beside ${changes.beside.length}` : ""}`;
}
