/**
 * Where a session works: in its project's directory or, where its project isolates its threads, in a git worktree of
 * its own, which is made with the first job. A session stays where it has begun; a worktree that disappears is noticed.
 */
import { basename, sep } from "node:path";
import { BellhopError } from "../../../base/errors.ts";
import { isolates } from "../../../config/session-settings.ts";
import type { State } from "../../../core/state.ts";
import { sessionKey, type Session } from "../../../core/sessions/session.ts";
import { insideWorktree, worktreeName, repositoryAround, sessionOf } from "../../../host/git/worktrees.ts";
import type { RunContext } from "../run-context.ts";
import { reconcile } from "../../../engine/reconcile.ts";

/**
 * Returns a promise only if something has to be made or written down first.
 * @param directory the project's, real
 * @throws BellhopError where the session has a worktree that is gone, or none can be made
 */
export function workplace(context: RunContext, session: Session, directory: string): string | Promise<string> {
  const { engine, worktrees } = context;
  const standing = standingWorkplace(context, session, directory);
  if (standing !== null) return standing;
  const known = engine.state.worktrees[session.thread_id];
  if (known && known.is !== "removed" && !worktrees.exists(known.path)) return lost(context, known);
  return make(context, session, directory);
}

/** Where it works as things stand; null: its worktree is to be made first, or is gone. */
export function standingWorkplace(context: RunContext, session: Session, directory: string): string | null {
  const { engine, worktrees, config } = context;
  const known = engine.state.worktrees[session.thread_id];
  if (!known) return isFresh(engine.state, session) && isolates(config(), session) ? null : directory;
  return known.is === "there" && worktrees.exists(known.path) ? folderIn(context, directory, known.path) : null;
}

/** Whether no job of the session has run anywhere yet. */
function isFresh({ threads, parked }: State, session: Session): boolean {
  const thread = threads[session.thread_id];
  return (
    sessionKey(session) === null &&
    thread?.checkout == null &&
    thread?.checkouts === undefined &&
    Object.keys(parked[session.thread_id] ?? {}).length === 0
  );
}

async function make(context: RunContext, { thread_id }: Session, directory: string): Promise<string> {
  const { engine, worktrees } = context;
  const known = engine.state.worktrees[thread_id];
  const name = known ? basename(known.path) : worktreeName(thread_id);
  const { path, branch } = await worktrees.make(directory, name, known !== undefined);
  await engine.submit({ type: "made_worktree", thread_id, path, branch });
  return folderIn(context, directory, path);
}

async function lost(
  { engine }: RunContext,
  { thread_id, path, branch }: { thread_id: string; path: string; branch: string },
): Promise<never> {
  await engine.submit({ type: "lose_worktree", thread_id, path });
  throw new BellhopError("E_WORKTREE_GONE", { path, branch });
}

/** The project's own folder in the worktree, which may be missing there, or a link to somewhere else. */
function folderIn({ directoryAt }: RunContext, directory: string, path: string): string {
  const cwd = insideWorktree(directory, path);
  const found = directoryAt(cwd);
  if (found === null || found.ours || !`${found.path}${sep}`.startsWith(`${path}${sep}`))
    throw new BellhopError("E_INVALID_PATH", { path: cwd });
  return found.path;
}

const LOOK_EVERY_MS = 30_000;

/**
 * Notices worktrees that disappear without Bellhop, and at the start those on the disk that belong to no session. Their
 * own threads, or the owner's channel, say so once.
 */
export function watchWorktrees(context: RunContext): { close(): Promise<void> } {
  const { engine, worktrees, directoryAt, agents, log } = context;
  const watch = reconcile({
    ...context,
    failure: "a worktree that is gone could not be written down",
    details: (thread_id) => ({ thread_id }),
    follows: "worktrees",
    step(thread_id) {
      const known = engine.state.worktrees[thread_id];
      if (known?.is !== "there") return null;
      const project = engine.state.projects[engine.state.sessions[thread_id]?.project_name ?? ""];
      // On a disk that is not mounted, nothing is gone.
      if (worktrees.exists(known.path) || !project || directoryAt(repositoryAround(known.path)) === null)
        return LOOK_EVERY_MS;
      return engine
        .submit({ type: "lose_worktree", thread_id, path: known.path })
        .then(() => agents.endAgent(thread_id));
    },
  });
  watch.start();
  const orphans = findOrphans(context).catch((error: unknown) =>
    engine.over ? undefined : log.failure("worktrees without a session could not be written down", error),
  );
  return { close: () => Promise.all([watch.close(), orphans]).then(() => undefined) };
}

/** So many of a project are told; a repository may hold any number of folders with such names. */
const MOST_ORPHANS = 20;

async function findOrphans({ engine, worktrees, log }: RunContext): Promise<void> {
  const { projects, sessions, worktrees: known = {} } = engine.state;
  for (const { name: project_name, path: directory } of Object.values(projects)) {
    const own = new Set(Object.values(known).map(({ path }) => path));
    const orphans = [...worktrees.list(directory)]
      .filter(([name, path]) => !own.has(path) && !sessions[sessionOf(name) ?? ""] && !known[sessionOf(name) ?? ""])
      .toSorted();
    if (orphans.length > MOST_ORPHANS)
      log.warn("many worktrees belong to no session; the first are told", {
        directory,
        worktrees: orphans.length,
        told: MOST_ORPHANS,
      });
    for (const [, path] of orphans.slice(0, MOST_ORPHANS)) {
      log.warn("a worktree belongs to no session", { path });
      await engine.submit({ type: "find_orphan", path, project_name });
    }
  }
}
