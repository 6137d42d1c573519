/**
 * The whole state, and the events that made it. Both are kept: the events in the journal, the state in its snapshots,
 * from which it is restored.
 */
import type { AgentPostEvent, AgentPostsState } from "./posts/agent-post.ts";
import type { DecisionEvent } from "./decisions/decision.ts";
import type { FormatEvent } from "./restart.ts";
import type { GrantEvent } from "./decisions/grant.ts";
import { emptyRecord } from "./indexed.ts";
import type { InboxEvent } from "./inbox/inbox.ts";
import type { EndEvent, JobEvent, Jobs, MessageNoted, QueueEvent } from "./jobs/job.ts";
import type { Owner, OwnerEvent } from "./owner.ts";
import type { AdoptionEvent, Adoptions } from "./sessions/adoptions.ts";
import type { ArchiveEvent, Archives } from "./sessions/archives.ts";
import type { BackgroundEvent } from "./sessions/background.ts";
import type { ToldEvent } from "./sessions/told.ts";
import type { ClosingEvent } from "./sessions/closing.ts";
import type { ModeEvent } from "./sessions/modes.ts";
import type { TerminalImport, TerminalImportEvent } from "./sessions/terminal-import.ts";
import type { SettingsEvent, ModelEvent } from "./sessions/settings.ts";
import type { PostEvent } from "./posts/post.ts";
import type { ProjectsState, ProjectEvent } from "./projects/project.ts";
import type { SendEvent } from "./jobs/sending.ts";
import type { OutsideTurnEvent } from "./jobs/outside-turn.ts";
import type { RulesEvent } from "./projects/allowed-rules.ts";
import type { SeenEvent } from "./projects/seen.ts";
import type { SessionEvent, Sessions } from "./sessions/session.ts";
import type { ThreadEvent } from "./sessions/thread.ts";
import type { Window, WindowEvent } from "./sessions/windows.ts";
import type { WorktreeEvent, WorktreesState } from "./sessions/worktrees.ts";

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

export type Event =
  | FormatEvent
  | OwnerEvent
  | ProjectEvent
  | SeenEvent
  | RulesEvent
  | SessionEvent
  | ClosingEvent
  | ModelEvent
  | ModeEvent
  | SettingsEvent
  | TerminalImportEvent
  | BackgroundEvent
  | ToldEvent
  | ThreadEvent
  | MessageNoted
  | JobEvent
  | EndEvent
  | QueueEvent
  | SendEvent
  | OutsideTurnEvent
  | WindowEvent
  | AdoptionEvent
  | WorktreeEvent
  | ArchiveEvent
  | DecisionEvent
  | GrantEvent
  | InboxEvent
  | AgentPostEvent
  | PostEvent;

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
