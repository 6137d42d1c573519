/**
 * The keeper of seed A's files: writes each question of an agent into its face's directory, after every change and
 * never before it is on disk in the journal. They are for people and other programs to read; what stands in them
 * changes nothing here.
 */
import type { Log } from "../base/log.ts";
import { isOpen } from "../core/decision.ts";
import { pendingFile, type PendingFile } from "../core/pending-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { PendingFiles } from "../host/pending-files.ts";

export interface MirrorsOptions {
  engine: Pick<Engine, "state" | "watch">;
  files: Pick<PendingFiles, "write" | "has">;
  log: Log;
}

export interface Mirrors {
  /** Resolves when every file says what is. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function openMirrors({ engine, files, log }: MirrorsOptions): Mirrors {
  const written = new Map<string, string>();
  const underWay = new Map<string, Promise<void>>();
  const unwritable = new Set<string>();
  let closed = false;

  /** `inherited`: what was settled before this process is written only where it still stands; its owner may have removed it. */
  function attend(topics: ReadonlySet<string> | null): void {
    if (closed) return;
    for (const decision of Object.values(engine.state.decisions)) {
      const { decision_id: id, thread_id, asker } = decision;
      if (asker.by !== "mcp" || (topics !== null && !topics.has(thread_id ?? "decisions"))) continue;
      const file = pendingFile(engine.state, decision);
      if (file === null || written.get(id) === JSON.stringify(file)) continue;
      written.set(id, JSON.stringify(file));
      const before = underWay.get(id) ?? Promise.resolve();
      const writing = before.then(() => mirror(asker.pending_dir, file, topics === null && !isOpen(decision)));
      underWay.set(id, writing);
      void writing.finally(() => {
        if (underWay.get(id) === writing) underWay.delete(id);
      });
    }
    for (const id of written.keys()) if (!engine.state.decisions[id]) written.delete(id);
  }

  async function mirror(directory: string, file: PendingFile, inherited: boolean): Promise<void> {
    try {
      if (inherited && !(await files.has(directory, file.question_id))) return;
      await files.write(directory, file.question_id, file);
      unwritable.delete(directory);
    } catch (error) {
      // Said once for a directory: nothing hangs on these files, and each question would say it again.
      if (!unwritable.has(directory)) log.failure("a pending question cannot be mirrored", error, { directory });
      unwritable.add(directory);
    }
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay.values());
  }

  const unwatch = engine.watch(attend);
  attend(null);
  return {
    settled,
    async close() {
      closed = true;
      unwatch();
      await settled();
    },
  };
}
