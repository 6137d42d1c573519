/**
 * The inbox file and its reconciler: an earlier installation's file is imported once, and then the file is written
 * after every change, never before the change is in the journal on disk: whole or not at all, private to its owner.
 * Without an inbox, no file is made. A file that could not be imported is not replaced; later changes of it have no
 * effect.
 */
import { mkdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { errnoOf, readWhole, removeTemporaries, writeAtomically, type Disk } from "../../base/disk.ts";
import { inboxFile, readInboxFile } from "../../core/inbox/inbox-file.ts";
import type { Engine } from "../../engine/engine.ts";
import { allAtOnce, reconcile, type Reconciling } from "../../engine/reconcile.ts";

export interface InboxMirrorOptions {
  engine: Reconciling["engine"] & Pick<Engine, "submit">;
  file: InboxFile;
  clock: Clock;
  log: Log;
}

export interface InboxMirror {
  /** Resolves when the file is up to date. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const INBOX = "inbox";

export function openInboxMirror({ engine, file, clock, log }: InboxMirrorOptions): InboxMirror {
  let written: string | null = null;

  /** Once, on the first start: later the file is ours, and reading it would restore cleared messages. */
  async function takeOver(): Promise<void> {
    const messages = readInboxFile(await file.read());
    await engine.submit({ type: "import_inbox", messages });
    if (messages.length > 0)
      log.info("the inbox of an earlier installation was imported", { messages: messages.length });
  }

  async function write(): Promise<void> {
    if (!engine.state.inbox_imported) await takeOver();
    const content = inboxFile(engine.state);
    if (content.messages.length === 0 && !(await file.exists())) return;
    await file.write(content);
    written = JSON.stringify(content);
  }

  const mirror = reconcile({
    engine,
    clock,
    log,
    failure: "the inbox cannot be mirrored",
    details: () => ({}),
    follows: allAtOnce("inbox", () => [INBOX]),
    step: () => (engine.state.inbox_imported && JSON.stringify(inboxFile(engine.state)) === written ? null : write()),
  });
  mirror.start();
  return {
    settled: mirror.settled,
    async close() {
      await mirror.settled();
      await mirror.close();
    },
  };
}

export interface InboxFile {
  /** Makes its folder if missing. @throws what the disk throws */
  write(content: object): Promise<void>;
  exists(): Promise<boolean>;
  /** Its content; undefined if there is none, or it is not JSON. @throws what the disk throws */
  read(): Promise<unknown>;
}

const LONGEST_FILE = 64 * 1024 * 1024;

/**
 * @param path absolute
 * @param redact removes secrets from what is written
 */
export function openInboxFile(disk: Disk, path: string, redact: <T>(value: T) => T): InboxFile {
  let tidied = false;

  async function size(): Promise<number | undefined> {
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
      await writeAtomically(disk, path, Buffer.from(`${JSON.stringify(redact(content), null, 2)}\n`));
    },
    exists: async () => (await size()) !== undefined,
    async read() {
      const bytes = await size();
      if (bytes === undefined || bytes > LONGEST_FILE) return undefined;
      try {
        return JSON.parse((await readWhole(disk, path))?.toString("utf8") ?? "");
      } catch (error) {
        if (error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
  };
}
