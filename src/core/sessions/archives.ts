/**
 * What becomes of a session's window and worktree when its thread is archived. They end by themselves only where the
 * thread was surely archived by hand, and not by a stranger as far as that is known, and nothing can be lost; otherwise
 * the owner is asked, and his yes counts for what he was shown. A thread that is opened again keeps everything.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

/** What would end or be lost, as the owner is shown it. */
export interface ArchiveLeftovers {
  /** It was working when its thread was archived. */
  busy: boolean;
  /** A Claude of Bellhop's own stands in its window. */
  window: boolean;
  /**
   * Its worktree. `files` that are not committed, null: not known; `commits` that only its branch has; `mark`: digest
   * of its state.
   */
  worktree: { path: string; branch: string; files: number | null; commits: number; mark: string } | null;
  /** Why the worktree could not be removed. Absent: nothing was tried. */
  failed?: ErrorDetails;
}

export interface Archived {
  thread_id: string;
  /** When, as Discord tells it (ISO 8601). */
  at: string;
  /**
   * The owner's doing, as the audit log tells, or else somebody's: Discord's own archiving for inactivity could not
   * have come yet.
   */
  surely: boolean;
  /** Who else did it, as the audit log tells. Absent: that is not known. */
  by?: string;
  /**
   * `new`: nothing was done yet; `asks`: the owner is asked; `agreed`: he has agreed; `done`: put away; `reopened`: the
   * thread is open again.
   */
  is: "new" | "asks" | "agreed" | "done" | "reopened";
  /** What he is asked about, or what was put away. */
  left: ArchiveLeftovers | null;
}

export type ArchiveEvent =
  | { type: "ThreadArchived"; payload: Pick<Archived, "thread_id" | "at" | "surely" | "by"> }
  | { type: "ArchiveAsked"; payload: { thread_id: string; left: ArchiveLeftovers } }
  | { type: "ArchiveAgreed"; payload: { thread_id: string } }
  | { type: "ArchiveDone"; payload: { thread_id: string; left: ArchiveLeftovers } }
  | { type: "ThreadReopened"; payload: { thread_id: string } };

export type ArchiveCommand =
  | { type: "archive_thread"; thread_id: string; at: string; surely: boolean; by?: string }
  | { type: "reopen_thread"; thread_id: string }
  | { type: "ask_archive"; thread_id: string; left: ArchiveLeftovers }
  /** The owner agrees to what he was shown under `mark`. */
  | { type: "remove_worktree"; thread_id: string; mark: string }
  /** It is put away. */
  | { type: "archive_done"; thread_id: string; left: ArchiveLeftovers };

export function decideArchive(state: State, command: ArchiveCommand): ArchiveEvent[] {
  const { thread_id } = command;
  const known = state.archives[thread_id];
  const isOpen = known !== undefined && known.is !== "done" && known.is !== "reopened";
  switch (command.type) {
    case "archive_thread": {
      const { type: _type, ...payload } = command;
      return known?.at === payload.at || !hasLeft(state, thread_id) ? [] : [{ type: "ThreadArchived", payload }];
    }
    case "reopen_thread":
      return isOpen ? [{ type: "ThreadReopened", payload: { thread_id } }] : [];
    case "ask_archive":
      return known?.is === "new" || known?.is === "agreed"
        ? [{ type: "ArchiveAsked", payload: { thread_id, left: command.left } }]
        : [];
    case "remove_worktree":
      return known?.is === "asks" && archiveMark(known) === command.mark
        ? [{ type: "ArchiveAgreed", payload: { thread_id } }]
        : [];
    case "archive_done":
      return isOpen ? [{ type: "ArchiveDone", payload: { thread_id, left: command.left } }] : [];
  }
}

function evolveArchive(state: State, { type, payload }: ArchiveEvent): void {
  const archives = state.archives;
  const { thread_id } = payload;
  if (type === "ThreadArchived") {
    archives[thread_id] = { ...payload, is: "new", left: null };
    return;
  }
  const known = archives[thread_id];
  if (!known) return;
  if (type === "ArchiveAsked" || type === "ArchiveDone") known.left = structuredClone(payload.left);
  known.is = (
    { ArchiveAsked: "asks", ArchiveAgreed: "agreed", ArchiveDone: "done", ThreadReopened: "reopened" } as const
  )[type];
}

/** Names what the owner is shown; a yes is for this and nothing else. Hexadecimal. */
export function archiveMark({ at, left }: Pick<Archived, "at" | "left">): string {
  return `${at.replaceAll(/\D/g, "")}${left?.worktree?.mark ?? ""}`.padEnd(32, "0").slice(0, 32);
}

/** Whether its archiving leaves something that may have to end. */
export function hasLeft({ windows, worktrees }: State, threadId: string): boolean {
  const window = windows[threadId];
  return worktrees[threadId]?.is === "there" || (window !== undefined && window.server === "own" && !window.adopted);
}

export const archiveSlice: Slice<ArchiveCommand, ArchiveEvent> = {
  decide: each(decideArchive, "archive_thread", "reopen_thread", "ask_archive", "remove_worktree", "archive_done"),
  evolve: each(evolveArchive, "ThreadArchived", "ArchiveAsked", "ArchiveAgreed", "ArchiveDone", "ThreadReopened"),
  kinds: "archive",
};
