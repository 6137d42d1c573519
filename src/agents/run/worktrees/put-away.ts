/**
 * The reconciler of archived threads: ends a session's own window and removes its worktree where somebody surely
 * archived the thread, nothing works in it, and nothing would be lost; else it has the owner asked. Branches are always
 * kept.
 */
import { BellhopError } from "../../../base/errors.ts";
import { repositoryAround } from "../../../host/git/worktrees.ts";
import type { Archived, ArchiveLeftovers } from "../../../core/sessions/archives.ts";
import { reconcile } from "../../../engine/reconcile.ts";
import type { RunContext } from "../run-context.ts";

export function openPutAway(context: RunContext): { close(): Promise<void> } {
  const { engine } = context;
  const loop = reconcile({
    ...context,
    failure: "what an archived thread had could not be put away",
    details: (thread_id) => ({ thread_id }),
    follows: "archives",
    step(thread_id) {
      const archived = engine.state.archives[thread_id];
      if (archived?.is !== "new" && archived?.is !== "agreed") return null;
      // The owner ended what ran; it is put away when it is over.
      if (archived.is === "agreed" && isBusy(context, thread_id)) return cancel(context, thread_id);
      return putAway(context, archived);
    },
  });
  loop.start();
  return { close: () => loop.close() };
}

function isBusy({ engine }: RunContext, threadId: string): boolean {
  const thread = engine.state.threads[threadId];
  return thread?.busy_job != null || thread?.outside !== undefined;
}

/** Null: it is being cancelled already, and the thread changes when it is over. */
function cancel({ engine }: RunContext, threadId: string): Promise<unknown> | null {
  const { busy_job, outside } = engine.state.threads[threadId] ?? {};
  const id = busy_job ?? outside;
  return id == null || engine.state.runs[id]?.cancelling
    ? null
    : engine.submit({ type: "cancel_job", job_id: id, by: "owner" });
}

async function putAway(context: RunContext, archived: Archived): Promise<void> {
  const { thread_id, surely, is, left: shown } = archived;
  const { engine, agents } = context;
  const { left, lossless } = await leftIn(context, thread_id);
  const agreed = is === "agreed" && shown?.worktree?.mark === left.worktree?.mark;
  if (!agreed && (!surely || left.busy || !lossless)) {
    await engine.submit({ type: "ask_archive", thread_id, left });
    return;
  }
  await agents.endAgent(thread_id, "away");
  // The thread was opened again meanwhile: it is looked at anew, as the thread has changed.
  if (isBusy(context, thread_id) || engine.state.archives[thread_id]?.is !== is) return;
  if (left.worktree !== null) {
    // What the agent still did in the background may have written until it was ended.
    const { left: now } = await leftIn(context, thread_id);
    if (now.worktree?.mark !== left.worktree.mark) return putAway(context, archived);
    if (!(await isRemoved(context, thread_id, left))) return;
  }
  await engine.submit({ type: "archive_done", thread_id, left });
}

/** If git refuses, the owner is told why, and may have it tried again. */
async function isRemoved(context: RunContext, thread_id: string, left: ArchiveLeftovers): Promise<boolean> {
  const { engine, worktrees } = context;
  const { worktree } = left;
  if (worktree === null) return true;
  try {
    await worktrees.remove(repositoryAround(worktree.path), worktree);
  } catch (error) {
    if (!(error instanceof BellhopError) || error.code !== "E_WORKTREE_FAILED") throw error;
    await engine.submit({ type: "ask_archive", thread_id, left: { ...left, failed: error.details } });
    return false;
  }
  await engine.submit({ type: "removed_worktree", thread_id, path: worktree.path });
  return true;
}

/** `lossless`: everything in it can be restored from what is kept. */
async function leftIn(context: RunContext, thread_id: string): Promise<{ left: ArchiveLeftovers; lossless: boolean }> {
  const { engine, worktrees } = context;
  const { windows, worktrees: known } = engine.state;
  const window = windows[thread_id];
  const worktree = known?.[thread_id];
  const left: ArchiveLeftovers = {
    busy: isBusy(context, thread_id),
    window: window !== undefined && window.server === "own" && !window.adopted,
    worktree: null,
  };
  if (worktree?.is !== "there" || !worktrees.exists(worktree.path)) return { left, lossless: true };
  const { path, branch } = worktree;
  const { uncommitted, commits, unkept, mark } = await worktrees.remains(repositoryAround(worktree.path), {
    path,
    branch,
  });
  const files = uncommitted?.files ?? null;
  return { left: { ...left, worktree: { path, branch, files, commits, mark } }, lossless: files === 0 && !unkept };
}
