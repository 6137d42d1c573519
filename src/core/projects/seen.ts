/**
 * What the owner has seen of a project: its real directory, and its own files that make its agents run code. What was
 * there first counts as seen; if it differs later, a thread waits until the owner accepts it.
 */
import type { Thread } from "../sessions/thread.ts";
import type { Worktree } from "../sessions/worktrees.ts";
import type { Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface Seen {
  /** The directory's real path. */
  path: string;
  /** Digest of the agents' configuration in it; null: not read yet. */
  configuration: string | null;
  /** What Claude may always do there, sorted; absent: nothing. */
  allowed?: string[];
}

/** Between a project's name, which cannot have it, and the thread that works in a directory of its own. */
const OF = "#";

/** The name under which it is noted what was seen in the directory of a session. @param isOwn a directory of its own */
export function seenName(
  { project_name, thread_id }: { project_name: string; thread_id: string },
  isOwn: boolean,
): string {
  return isOwn ? `${project_name}${OF}${thread_id}` : project_name;
}

/** @param name of a project, or as of `seenName`; undefined: nothing was noted under it */
export function seenAt({ seen }: State, name: string): Seen | undefined {
  return seen[name];
}

/** The project in such a name. */
export function projectIn(name: string): string {
  return name.split(OF)[0] ?? name;
}

export interface SeenEvent {
  type: "ProjectSeen";
  payload: { project_name: string } & Seen;
}

export type SeeCommand = { type: "see_project"; project_name: string } & Seen;

export function decideSeen(
  state: State & { projects: Record<string, object> },
  { project_name, ...seen }: SeeCommand,
): SeenEvent[] {
  if (!Object.hasOwn(state.projects, projectIn(project_name))) return [];
  const is = copySeen(seen);
  const before = seenAt(state, project_name);
  return JSON.stringify(before) === JSON.stringify(is)
    ? []
    : [{ type: "ProjectSeen", payload: { project_name, ...is } }];
}

function copySeen({ path, configuration, allowed = [] }: Seen): Seen {
  return { path, configuration, ...(allowed.length > 0 && { allowed: [...allowed] }) };
}

export function evolveSeen(state: State, { payload }: SeenEvent): void {
  state.seen[payload.project_name] = copySeen(payload);
}

export function forgetSeen(state: State, projectName: string): void {
  delete state.seen[projectName];
}

/** The same with what was noted of its threads. */
export function forgetAllSeen(state: State, projectName: string): void {
  for (const name of Object.keys(state.seen)) if (projectIn(name) === projectName) forgetSeen(state, name);
}

/**
 * The agents' configuration that the owner has seen where the session works; null: none was read yet. @param name as of
 * `seenName`
 */
export function seenConfiguration(
  state: State & { worktrees: Record<string, Worktree> },
  threadId: string,
  name: string,
): string | null {
  return state.worktrees[threadId]?.configuration ?? seenAt(state, name)?.configuration ?? null;
}

/** Digests of every configuration that is or may still be compared or shown. */
export function neededConfigurations({
  seen,
  threads,
  worktrees,
}: State & { threads: Record<string, Thread>; worktrees: Record<string, Worktree> }): Set<string> {
  const compared = [...Object.values(seen), ...Object.values(worktrees)].flatMap(
    ({ configuration }) => configuration ?? [],
  );
  const asked = Object.values(threads).flatMap(({ wait }) =>
    wait?.kind === "changed" && wait.configuration
      ? [wait.configuration.was, wait.configuration.is, wait.configuration.shown]
      : [],
  );
  return new Set([...compared, ...asked]);
}

export const seenSlice: Slice<never, SeenEvent> = {
  decide: {},
  evolve: { ProjectSeen: evolveSeen },
  kinds: "project",
  topic: () => "projects",
};
