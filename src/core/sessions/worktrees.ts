/**
 * The git worktrees of sessions. A session that has one works there and nowhere else: when it was removed with its
 * archived thread, the next job makes it again from its branch; when it disappeared, nothing runs.
 */
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

export interface Worktree {
  thread_id: string;
  /** Its root: absolute, without links. */
  path: string;
  branch: string;
  /** `lost`: it disappeared without Bellhop. */
  is: "there" | "removed" | "lost";
  /** Digest of the agents' configuration in it that the owner has seen; null: that of its project. */
  configuration: string | null;
  /** What Claude may always do there, sorted; absent: what it may in its project. */
  allowed?: string[];
}

/** One on the disk, in the folder for worktrees, that belongs to no session. */
export interface Orphan {
  path: string;
  project_name: string;
}

export type WorktreeEvent =
  | { type: "WorktreeMade"; payload: Pick<Worktree, "thread_id" | "path" | "branch"> }
  | { type: "WorktreeRemoved"; payload: Pick<Worktree, "thread_id" | "path"> }
  | { type: "WorktreeLost"; payload: Pick<Worktree, "thread_id" | "path"> }
  | { type: "WorktreeSeen"; payload: { thread_id: string; configuration: string } }
  | { type: "WorktreeOrphaned"; payload: Orphan };

export type WorktreeCommand =
  /** It stands, with all its files; also when it is made again. */
  | { type: "made_worktree"; thread_id: string; path: string; branch: string }
  | { type: "removed_worktree"; thread_id: string; path: string }
  | { type: "lose_worktree"; thread_id: string; path: string }
  /** This configuration counts as seen there. */
  | { type: "see_worktree"; thread_id: string; configuration: string }
  | ({ type: "find_orphan" } & Orphan);

export function decideWorktree(
  state: State & { sessions: Record<string, object> },
  command: WorktreeCommand,
): WorktreeEvent[] {
  if (command.type === "find_orphan") {
    const { type: _type, ...payload } = command;
    return state.orphans[payload.path] ? [] : [{ type: "WorktreeOrphaned", payload }];
  }
  const { type, thread_id } = command;
  const known = state.worktrees[thread_id];
  if (type === "made_worktree") {
    const { path, branch } = command;
    const isSame = known?.is === "there" && known.path === path && known.branch === branch;
    return !state.sessions[thread_id] || isSame ? [] : [{ type: "WorktreeMade", payload: { thread_id, path, branch } }];
  }
  if (type === "see_worktree") {
    const { configuration } = command;
    return !known || known.configuration === configuration
      ? []
      : [{ type: "WorktreeSeen", payload: { thread_id, configuration } }];
  }
  if (known?.is !== "there" || known.path !== command.path) return [];
  return [
    { type: type === "lose_worktree" ? "WorktreeLost" : "WorktreeRemoved", payload: { thread_id, path: known.path } },
  ];
}

function evolveWorktree(state: State, event: WorktreeEvent): void {
  if (event.type === "WorktreeOrphaned") {
    const orphans = state.orphans;
    orphans[event.payload.path] = { ...event.payload };
    return;
  }
  const worktrees = state.worktrees;
  const { thread_id } = event.payload;
  const known = worktrees[thread_id];
  if (event.type === "WorktreeMade") {
    worktrees[thread_id] = {
      ...event.payload,
      is: "there",
      configuration: known?.configuration ?? null,
      ...(known?.allowed && { allowed: known.allowed }),
    };
  } else if (known) {
    if (event.type === "WorktreeSeen") known.configuration = event.payload.configuration;
    else known.is = event.type === "WorktreeLost" ? "lost" : "removed";
  }
}

export const worktreeSlice: Slice<WorktreeCommand, WorktreeEvent> = {
  decide: each(decideWorktree, "made_worktree", "removed_worktree", "lose_worktree", "see_worktree", "find_orphan"),
  evolve: each(evolveWorktree, "WorktreeMade", "WorktreeRemoved", "WorktreeLost", "WorktreeSeen", "WorktreeOrphaned"),
  kinds: "worktree",
  topic: (_state, event) => (event.type === "WorktreeOrphaned" ? "orphans" : event.payload.thread_id),
};
