/**
 * Which sessions worked in one directory at the same time: what changed there while a job ran may be any of theirs.
 * Pure. A session with a worktree of its own works beside nobody.
 */
import type { State } from "../state.ts";
import type { Thread } from "../sessions/thread.ts";
import type { Job } from "./job.ts";

/** The folder of a repository in which its sessions' worktrees stand. */
const WORKTREES = "/.claude/worktrees/";

/**
 * The other threads whose agents were at work in the directory, around it or below it since the job began, in the order
 * of their sessions. Those that could only read are left out.
 * @param root absolute; all that differs below it counts as changed by the job
 */
export function workedBeside(state: State, { thread_id, started_at }: Job, root: string): string[] {
  if (started_at === null) return [];
  return Object.values(state.threads)
    .filter((thread) => thread.thread_id !== thread_id && isBeside(state, thread, { root, since: started_at }))
    .map((thread) => thread.thread_id);
}

function isBeside(state: State, thread: Thread, { root, since }: { root: string; since: string }): boolean {
  const known = usualDirectory(state, thread.thread_id);
  const places = worksSince(state, thread, since).map((id) => state.runs[id]?.begun?.checkout?.cwd ?? known);
  if (thread.background) places.push(known);
  return places.some((place) => place !== undefined && (isPartOf(place, root) || isPartOf(root, place)));
}

/** Its jobs and outside turns that were running at any time since then and could write. */
function worksSince({ sessions, jobs, runs, turns }: State, thread: Thread, since: string): string[] {
  // The last ended are last.
  const jobsOver = thread.ended.slice(1 + thread.ended.findLastIndex((id) => (jobs[id]?.finished_at ?? "") <= since));
  const turnsOver = thread.turns?.slice(1 + thread.turns.findLastIndex((id) => (turns[id]?.ended_at ?? "") <= since));
  const running = [sessions[thread.thread_id]?.running_job_id, thread.outside];
  const begun = [...jobsOver, ...running].filter((id) => jobs[id ?? ""]?.started_at != null || turns[id ?? ""]);
  return [...begun, ...(turnsOver ?? [])].flatMap((id) =>
    id == null || runs[id]?.begun?.access === "reads" ? [] : [id],
  );
}

/** Where a session's agents work, as far as it is known. */
export function usualDirectory({ threads, sessions, projects }: State, threadId: string): string | undefined {
  return threads[threadId]?.checkout?.cwd ?? projects[sessions[threadId]?.project_name ?? ""]?.path;
}

/** Whether the path is the directory or in it; a worktree of its own is in none. */
function isPartOf(path: string, directory: string): boolean {
  const around = directory.endsWith("/") ? directory : `${directory}/`;
  return path === directory || (path.startsWith(around) && !`/${path.slice(around.length)}/`.includes(WORKTREES));
}
