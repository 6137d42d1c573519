/**
 * Where a session works: in its project's directory or, where its project isolates its threads, in a git worktree of its
 * own, which is made with the first job. A session stays where it has begun.
 */
import { basename, sep } from "node:path";
import { BellhopError } from "../../../base/errors.ts";
import type { State } from "../../../core/state.ts";
import { sessionKey, type Session } from "../../../core/sessions/session.ts";
import { insideWorktree, worktreeName } from "../../../host/git/worktrees.ts";
import type { RunDependencies } from "../dependencies.ts";

type Needed = Pick<RunDependencies, "engine" | "worktrees" | "isolates" | "directoryAt">;

/**
 * A promise only where something has to be made or written down first.
 * @param directory the project's, real
 * @throws BellhopError where the session has a worktree that is gone, or none can be made
 */
export function workplace(needed: Needed, session: Session, directory: string): string | Promise<string> {
  const { engine, worktrees, isolates } = needed;
  const known = engine.state.worktrees?.[session.thread_id];
  if (!known && !(isFresh(engine.state, session) && isolates(session))) return directory;
  if (known?.is === "there" && worktrees.stands(known.path)) return folderIn(needed, directory, known.path);
  if (known && known.is !== "removed" && !worktrees.stands(known.path)) return lost(needed, known);
  return make(needed, session, directory);
}

/** Nothing of it has run anywhere yet. */
function isFresh({ threads, parked }: State, session: Session): boolean {
  const thread = threads[session.thread_id];
  return sessionKey(session) === null && thread?.checkout == null && thread?.checkouts === undefined && Object.keys(parked[session.thread_id] ?? {}).length === 0;
}

async function make(needed: Needed, { thread_id }: Session, directory: string): Promise<string> {
  const { engine, worktrees } = needed;
  const known = engine.state.worktrees?.[thread_id];
  const name = known ? basename(known.path) : worktreeName(thread_id);
  const { path, branch } = await worktrees.make(directory, name, known !== undefined);
  await engine.submit({ type: "made_worktree", thread_id, path, branch });
  return folderIn(needed, directory, path);
}

async function lost({ engine }: Needed, { thread_id, path, branch }: { thread_id: string; path: string; branch: string }): Promise<never> {
  await engine.submit({ type: "lose_worktree", thread_id, path });
  throw new BellhopError("E_WORKTREE_GONE", { path, branch });
}

/** The project's own folder in the worktree, which may be missing there, or a link to somewhere else. */
function folderIn({ directoryAt }: Needed, directory: string, path: string): string {
  const cwd = insideWorktree(directory, path);
  const found = directoryAt(cwd);
  if (found === null || found.ours || !`${found.path}${sep}`.startsWith(`${path}${sep}`)) throw new BellhopError("E_INVALID_PATH", { path: cwd });
  return found.path;
}
