/**
 * Notices worktrees that disappear without Bellhop, and at the start those on the disk that belong to no session. Their
 * own threads, or the owner's channel, say so once.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { reconcile } from "../../../engine/reconcile.ts";
import { repositoryAround, sessionOf } from "../../../host/git/worktrees.ts";
import type { RunDependencies } from "../dependencies.ts";

type Needed = Pick<RunDependencies, "engine" | "worktrees" | "directoryAt" | "agents"> & { clock: Clock; log: Log };

const LOOK_EVERY_MS = 30_000;

export function watchWorktrees(needed: Needed): { close(): Promise<void> } {
  const { engine, worktrees, directoryAt, agents, log } = needed;
  const watch = reconcile({
    ...needed,
    failure: "a worktree that is gone could not be written down",
    details: (thread_id) => ({ thread_id }),
    all: ({ worktrees: known = {} }) => Object.keys(known),
    about: (topic, { worktrees: known = {} }) => (known[topic] ? [topic] : []),
    step(thread_id) {
      const known = engine.state.worktrees?.[thread_id];
      if (known?.is !== "there") return null;
      const project = engine.state.projects[engine.state.sessions[thread_id]?.project_name ?? ""];
      // On a disk that is not mounted, nothing is gone.
      if (worktrees.stands(known.path) || !project || directoryAt(repositoryAround(known.path)) === null) return LOOK_EVERY_MS;
      return engine.submit({ type: "lose_worktree", thread_id, path: known.path }).then(() => agents.end(thread_id));
    },
  });
  watch.start();
  const orphans = findOrphans(needed).catch((error: unknown) => (engine.over ? undefined : log.failure("worktrees without a session could not be written down", error)));
  return { close: () => Promise.all([watch.close(), orphans]).then(() => undefined) };
}

async function findOrphans({ engine, worktrees, log }: Needed): Promise<void> {
  const { projects, sessions, worktrees: known = {} } = engine.state;
  for (const { name: project_name, path: directory } of Object.values(projects)) {
    for (const [name, path] of worktrees.list(directory)) {
      const threadId = sessionOf(name) ?? "";
      if (sessions[threadId] || known[threadId]) continue;
      log.warn("a worktree belongs to no session", { path });
      await engine.submit({ type: "find_orphan", path, project_name });
    }
  }
}
