/**
 * The question files and their reconciler: each agent's question is written into its client's directory after every
 * change, never before it is in the journal on disk. A file is written whole or not at all, private to its owner, under
 * a safe name. The files are for people and other programs to read; editing them changes nothing here. They are never
 * read.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { removeTemporaries, writeAtomically, type Disk } from "../../base/disk.ts";
import { decisionsAbout, isOpen, type Decision } from "../../core/decisions/decision.ts";
import { pendingFile, type PendingFile } from "../../core/decisions/pending-file.ts";
import { reconcile, type Reconciling } from "../../engine/reconcile.ts";

export interface MirrorsOptions {
  engine: Reconciling["engine"];
  files: PendingFiles;
  clock: Clock;
  log: Log;
}

export interface Mirrors {
  /** Resolves when every file is up to date. */
  whenWritten(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A file to write. `inherited`: only if it exists; the owner may have deleted files settled before this process
 * started.
 */
interface DueFile {
  file: PendingFile;
  inherited: boolean;
}

export function openMirrors({ engine, files, clock, log }: MirrorsOptions): Mirrors {
  const named = new WeakMap<Decision, string>();
  /** By directory, only the latest of each file. A directory is one thing: what fails there fails for all its files. */
  const due = new Map<string, Map<string, DueFile>>();
  const tidied = new Set<string>();

  function attend(changed: readonly Decision[], first = false): Set<string> {
    const directories = new Set<string>();
    for (const decision of changed) {
      const { decision_id: id, asker } = decision;
      if (asker.by !== "mcp") continue;
      const file = pendingFile(engine.state, decision);
      if (file === null) continue;
      // What was asked may be long, and never changes.
      const { question: _question, context: _context, options: _options, ...changing } = file;
      const name = JSON.stringify(changing);
      if (named.get(decision) === name) continue;
      named.set(decision, name);
      const here = due.get(asker.pending_dir) ?? new Map<string, DueFile>();
      due.set(asker.pending_dir, here.set(id, { file, inherited: first && !isOpen(decision) }));
      directories.add(asker.pending_dir);
    }
    return directories;
  }

  /** One file at a time, because the journal has priority on the disk. */
  async function write(directory: string, all: Map<string, DueFile>): Promise<void> {
    // Other daemons may write there; what belongs to our questions is ours.
    if (!tidied.has(directory)) await files.tidy(directory, (id) => id in engine.state.decisions);
    tidied.add(directory);
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
    follows: {
      kinds: ["decision"],
      all: ({ decisions }) => attend(Object.values(decisions), true),
      about: (topic, state) => attend(decisionsAbout(state, topic)),
    },
    step(directory) {
      const all = due.get(directory);
      return all ? write(directory, all) : null;
    },
  });
  mirrors.start();
  return {
    whenWritten: mirrors.whenIdle,
    async close() {
      await mirrors.whenIdle();
      await mirrors.close();
    },
  };
}

export interface PendingFiles {
  /**
   * Writes `<id>.json` in this directory, which is made if missing.
   * @throws what the disk throws; EINVAL for an id that is not a safe name
   */
  write(directory: string, id: string, content: object): Promise<void>;
  has(directory: string, id: string): Promise<boolean>;
  /** Removes what a kill left while these questions were written. @throws what the disk throws */
  tidy(directory: string, isOurs: (id: string) => boolean): Promise<void>;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,120}$/;

/** @param redact removes secrets from what is written */
export function openPendingFiles(disk: Disk, redact: <T>(value: T) => T): PendingFiles {
  const place = (directory: string, id: string): string => {
    if (!NAME.test(id)) throw Object.assign(new Error(`EINVAL: ${JSON.stringify(id)} is no name`), { code: "EINVAL" });
    return join(directory, `${id}.json`);
  };
  return {
    async write(directory, id, content) {
      const path = place(directory, id);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeAtomically(disk, path, Buffer.from(`${JSON.stringify(redact(content), null, 2)}\n`));
    },
    async has(directory, id) {
      return disk.stat(place(directory, id)).then(
        ({ directory: isDirectory }) => !isDirectory,
        () => false,
      );
    },
    tidy: (directory, isOurs) =>
      removeTemporaries(disk, directory, (name) => name.endsWith(".json") && isOurs(name.slice(0, -".json".length))),
  };
}
