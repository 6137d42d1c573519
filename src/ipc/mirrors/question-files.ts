/**
 * The reconciler of the question files: writes each agent's question into its client's directory after every change,
 * never before it is in the journal on disk. The files are for people and other programs to read; editing them changes
 * nothing here.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { decisionsAbout, isOpen, type Decision } from "../../core/decisions/decision.ts";
import { pendingFile, type PendingFile } from "../../core/decisions/pending-file.ts";
import { reconcile, type Reconciling } from "../../engine/reconcile.ts";
import type { PendingFiles } from "../../host/files/pending-files.ts";

export interface MirrorsOptions {
  engine: Reconciling["engine"];
  files: Pick<PendingFiles, "write" | "has">;
  clock: Clock;
  log: Log;
}

export interface Mirrors {
  /** Resolves when every file is up to date. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A file to write. `inherited`: only if it exists; the owner may have deleted files settled before this process
 * started.
 */
interface Due {
  file: PendingFile;
  inherited: boolean;
}

export function openMirrors({ engine, files, clock, log }: MirrorsOptions): Mirrors {
  const named = new WeakMap<Decision, string>();
  /** By directory, only the latest of each file. A directory is one thing: what fails there fails for all its files. */
  const due = new Map<string, Map<string, Due>>();

  function attend(changed: readonly Decision[], first = false): Set<string> {
    const directories = new Set<string>();
    for (const decision of changed) {
      const { decision_id: id, asker } = decision;
      if (asker.by !== "mcp") continue;
      const file = pendingFile(engine.state, decision);
      if (file === null || named.get(decision) === JSON.stringify(file)) continue;
      named.set(decision, JSON.stringify(file));
      const here = due.get(asker.pending_dir) ?? new Map<string, Due>();
      due.set(asker.pending_dir, here.set(id, { file, inherited: first && !isOpen(decision) }));
      directories.add(asker.pending_dir);
    }
    return directories;
  }

  /** One file at a time, because the journal has priority on the disk. */
  async function write(directory: string, all: Map<string, Due>): Promise<void> {
    for (const [id, one] of all) {
      const { file, inherited } = one;
      if (!inherited || (await files.has(directory, id))) await files.write(directory, id, file);
      // It may have changed meanwhile; then it comes again.
      if (all.get(id) === one) all.delete(id);
    }
    if (all.size === 0) due.delete(directory);
  }

  const mirrors = reconcile({
    engine,
    clock,
    log,
    failure: "a pending question cannot be mirrored",
    details: (directory) => ({ directory }),
    all: ({ decisions }) => attend(Object.values(decisions), true),
    about: (topic, state) => attend(decisionsAbout(state, topic)),
    step(directory) {
      const all = due.get(directory);
      return all ? write(directory, all) : null;
    },
  });
  mirrors.start();
  return {
    settled: mirrors.settled,
    async close() {
      await mirrors.settled();
      await mirrors.close();
    },
  };
}
