/**
 * The whole state, and the events that made it. Both are kept: the events in the journal, the state in its snapshots,
 * from which it is restored.
 */
import type { AgentPostsState } from "./posts/agent-post.ts";
import { emptyRecord } from "./indexed.ts";
import type { Event } from "./slices.ts";
import type { Jobs } from "./jobs/job.ts";
import type { Owner } from "./owner.ts";
import type { Adoptions } from "./sessions/adoptions.ts";
import type { Archives } from "./sessions/archives.ts";
import type { TerminalImport } from "./sessions/terminal-import.ts";
import type { ProjectsState } from "./projects/project.ts";
import type { Sessions } from "./sessions/session.ts";
import type { Window } from "./sessions/windows.ts";
import type { WorktreesState } from "./sessions/worktrees.ts";

/**
 * The format this release writes, and the only one it reads: until the first release is out, earlier ones are refused.
 * 1: no `FormatRaised` was ever written.
 */
export const FORMAT = 3;

/** What `snapshot.json` holds. */
export interface State
  extends ProjectsState, Sessions, Jobs, AgentPostsState, Adoptions, WorktreesState, Archives, TerminalImport {
  /** The journal's format; 1 until a `FormatRaised`. */
  version: number;
  /** Absent until the owner is known. */
  owner?: Owner;
  /** By thread. */
  windows: Record<string, Window>;
}

/** An event as journaled: with its time, ISO 8601. */
export type RecordedEvent = Event & { ts: string };

export function emptyState(): State {
  return {
    version: 1,
    sessions: emptyRecord(),
    jobs: emptyRecord(),
    dedupe: emptyRecord(),
    projects: emptyRecord(),
    active_project: null,
    last_project_number: 0,
    threads: emptyRecord(),
    channels: emptyRecord(),
    starts: emptyRecord(),
    runs: emptyRecord(),
    parked: emptyRecord(),
    decisions: emptyRecord(),
    grants: emptyRecord(),
    inbox: emptyRecord(),
    posts: emptyRecord(),
    notices: emptyRecord(),
    watermarks: emptyRecord(),
    turns: emptyRecord(),
    windows: emptyRecord(),
    worktrees: emptyRecord(),
    orphans: emptyRecord(),
    archives: emptyRecord(),
    adoptions: emptyRecord(),
    agent_posts: emptyRecord(),
    seen: emptyRecord(),
    count: { day: "", jobs: 0, turns: 0 },
  };
}

/**
 * The state in a snapshot.
 * @param snapshot null for none; the returned state takes it over
 */
export function restoreState(snapshot: object | null): State {
  return { ...emptyState(), ...withoutPrototypes(snapshot ?? {}) };
}

/** Removes the prototypes of its records again, because JSON does not preserve that. */
function withoutPrototypes(snapshot: object): object {
  const entries = Object.entries(snapshot).map(([key, value]: [string, unknown]) => {
    const isRecord = typeof value === "object" && value !== null && key !== "count";
    return [key, isRecord ? Object.assign(emptyRecord<unknown>(), value) : value];
  });
  return Object.fromEntries(entries) as object;
}
