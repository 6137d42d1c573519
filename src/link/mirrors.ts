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

/** A file to be written. `inherited`: only where one stands; what was settled before this process its owner may have removed. */
interface Due {
  directory: string;
  file: PendingFile;
  inherited: boolean;
}

export function openMirrors({ engine, files, log }: MirrorsOptions): Mirrors {
  const written = new Map<string, string>();
  /** One at a time, the latest of each: the disk is the journal's first. */
  const due = new Map<string, Due>();
  const unwritable = new Set<string>();
  let working: Promise<void> | null = null;
  let closed = false;

  function attend(topics: ReadonlySet<string> | null): void {
    if (closed) return;
    for (const decision of Object.values(engine.state.decisions)) {
      const { decision_id: id, thread_id, asker } = decision;
      if (asker.by !== "mcp" || (topics !== null && !topics.has(thread_id ?? "decisions"))) continue;
      const file = pendingFile(engine.state, decision);
      if (file === null || written.get(id) === JSON.stringify(file)) continue;
      written.set(id, JSON.stringify(file));
      due.set(id, { directory: asker.pending_dir, file, inherited: topics === null && !isOpen(decision) });
    }
    for (const id of written.keys()) if (!engine.state.decisions[id]) written.delete(id);
    begin();
  }

  function begin(): void {
    if (due.size === 0) return;
    working ??= work().finally(() => {
      working = null;
      // What came in the moment it ended.
      begin();
    });
  }

  async function work(): Promise<void> {
    for (const [id, one] of due) {
      due.delete(id);
      await mirror(one);
    }
  }

  async function mirror({ directory, file, inherited }: Due): Promise<void> {
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
    while (working !== null) await working;
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
