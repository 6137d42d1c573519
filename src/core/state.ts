/**
 * The whole state, and the events that made it. Both are kept: the events in the journal, the state in its snapshots,
 * from which it is restored.
 */
import { emptyRecord } from "./indexed.ts";
import type { Event } from "./slices.ts";
import type { Owner } from "./owner.ts";
import type { Project } from "./projects/project.ts";
import type { Seen } from "./projects/seen.ts";
import type { Session, Start } from "./sessions/session.ts";
import type { Channel, Notice, Thread } from "./sessions/thread.ts";
import type { Job } from "./jobs/job.ts";
import type { DaysUse } from "./jobs/budget.ts";
import type { LockState } from "./jobs/lock.ts";
import type { Run } from "./jobs/run.ts";
import type { OutsideTurn } from "./jobs/outside-turn.ts";
import type { Decision } from "./decisions/decision.ts";
import type { Grant } from "./decisions/grant.ts";
import type { OwnerRule } from "./rules/owner-rules.ts";
import type { InboxEntry } from "./inbox/inbox.ts";
import type { Posts } from "./posts/post.ts";
import type { AgentPost } from "./posts/agent-post.ts";
import type { Adoption } from "./sessions/adoptions.ts";
import type { Worktree, Orphan } from "./sessions/worktrees.ts";
import type { Archived } from "./sessions/archives.ts";
import type { Window } from "./sessions/windows.ts";

/**
 * The format this release writes, and the only one it reads: until the first release is out, earlier ones are refused.
 * 1: no `FormatRaised` was ever written.
 */
export const FORMAT = 3;

/**
 * The shape in which this release keeps the state, raised with every change of it: a snapshot of another shape is not
 * used, and the state is made from the events. 1: no shape was ever written.
 */
export const SHAPE = 13;

/** What `snapshot.json` holds. */
export interface State {
  /** The journal's format; 1 until a `FormatRaised`. */
  version: number;
  /** Absent until the owner is known. */
  owner?: Owner;
  /** Absent: it was never locked. */
  lock?: LockState;
  projects: Record<string, Project>;
  /** The project for commands that name none; null: none was chosen, or it was removed. */
  active_project: string | null;
  /** The highest number of a project that was removed; 0: none was. No number is given twice. */
  last_project_number: number;
  /** By `seenName`. */
  seen: Record<string, Seen>;
  /** By thread. */
  sessions: Record<string, Session>;
  /** For each thread: session keys of the tools that are not its current one. */
  parked: Record<string, Record<string, Record<string, string>>>;
  /** By request. */
  starts: Record<string, Start>;
  threads: Record<string, Thread>;
  channels: Record<string, Channel>;
  /** What is owed to messages that became no job, or were changed too late; by subject. */
  notices: Record<string, Notice>;
  /** Per channel: every message up to this id has been handled. */
  watermarks: Record<string, string>;
  /** `channel:message` of what was handled above the channel's watermark, to its job (null: it became none). */
  dedupe: Record<string, string | null>;
  jobs: Record<string, Job>;
  /** What jobs and outside turns were at, by their ids. */
  runs: Record<string, Run>;
  /** Outside turns by id. */
  turns: Record<string, OutsideTurn>;
  /** The last job id's day and number, and how many slots were given in total. */
  count: { day: string; jobs: number; turns: number };
  decisions: Record<string, Decision>;
  /** What the owner allowed for a session; by thread, oldest first. */
  grants: Record<string, Grant[]>;
  /** By their ids, oldest first. */
  rules: Record<string, OwnerRule>;
  /** By message id, the first received first. */
  inbox: Record<string, InboxEntry>;
  posts: Posts;
  /** By request, oldest first. */
  agent_posts: Record<string, AgentPost>;
  /** By thread. */
  windows: Record<string, Window>;
  /** By Claude's conversation, oldest first. */
  adoptions: Record<string, Adoption>;
  /** By thread. */
  worktrees: Record<string, Worktree>;
  /** Worktrees without a session, by path. */
  orphans: Record<string, Orphan>;
  /** By thread, only of threads that had a window or a worktree. */
  archives: Record<string, Archived>;
  use: DaysUse;
  /** Absent: not yet. */
  terminal_imported?: true;
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
    rules: emptyRecord(),
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
    use: { spent: {}, raised: {} },
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
