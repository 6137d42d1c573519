/**
 * The inbox file and its reconciler: the file is written after every change, never before the change is in the journal
 * on disk: whole or not at all, private to its owner. It is never read. Without an inbox, no file is made. A file that
 * another program made is kept under another name before ours takes its place.
 */
import { mkdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { errnoOf, readWhole, removeTemporaries, writeAtomically, type Disk } from "../../base/disk.ts";
import { inboxFile } from "../../core/inbox/inbox-file.ts";
import { singleTopic, reconcile, type Reconciling } from "../../engine/reconcile.ts";

export interface InboxMirrorOptions {
  engine: Reconciling["engine"];
  file: InboxFile;
  clock: Clock;
  log: Log;
}

export interface InboxMirror {
  /** Resolves when the file is up to date. */
  whenWritten(): Promise<void>;
  close(): Promise<void>;
}

const INBOX = "inbox";

export function openInboxMirror({ engine, file, clock, log }: InboxMirrorOptions): InboxMirror {
  let written: string | null = null;

  async function write(): Promise<void> {
    const content = inboxFile(engine.state);
    // As long as nothing was received, we have written no file.
    const kept = content.last_message_id === null && written === null ? await file.setAside(content) : null;
    if (kept !== null) log.info("an inbox file that another program made was renamed", { file: kept });
    if (content.messages.length === 0 && kept === null && !(await file.exists())) return;
    await file.write(content);
    written = JSON.stringify(content);
  }

  const mirror = reconcile({
    engine,
    clock,
    log,
    failure: "the inbox cannot be mirrored",
    details: () => ({}),
    follows: singleTopic("inbox", ["inbox"], () => [INBOX]),
    step: () => (JSON.stringify(inboxFile(engine.state)) === written ? null : write()),
  });
  mirror.start();
  return {
    whenWritten: mirror.whenIdle,
    async close() {
      await mirror.whenIdle();
      await mirror.close();
    },
  };
}

export interface InboxFile {
  /** Makes its folder if missing. @throws what the disk throws */
  write(content: object): Promise<void>;
  exists(): Promise<boolean>;
  /**
   * Renames a file that differs from `ours`, once: what was renamed before is kept. Returns its new path; null: there
   * was nothing to rename. @throws what the disk throws
   */
  setAside(ours: object): Promise<string | null>;
}

/**
 * @param path absolute
 * @param redact removes secrets from what is written
 */
export function openInboxFile(disk: Disk, path: string, redact: <T>(value: T) => T): InboxFile {
  const kept = `${path}.before-bellhop`;
  const bytesOf = (content: object): Buffer => Buffer.from(`${JSON.stringify(redact(content), null, 2)}\n`);
  let tidied = false;

  async function size(path: string): Promise<number | undefined> {
    try {
      const { size: bytes, directory } = await disk.stat(path);
      return directory ? undefined : bytes;
    } catch (error) {
      if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
      throw error;
    }
  }

  return {
    async write(content) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // What a kill left; others may keep files beside it.
      if (!tidied) await removeTemporaries(disk, dirname(path), (name) => name === basename(path));
      tidied = true;
      await writeAtomically(disk, path, bytesOf(content));
    },
    exists: async () => (await size(path)) !== undefined,
    async setAside(ours) {
      const bytes = await size(path);
      if (bytes === undefined || (await size(kept)) !== undefined) return null;
      const expected = bytesOf(ours);
      if (bytes === expected.length && (await readWhole(disk, path))?.equals(expected)) return null;
      await disk.rename(path, kept);
      return kept;
    },
  };
}
