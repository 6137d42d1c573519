/**
 * The keeper of seed A's inbox file: takes over an earlier installation's once, and from then on writes it after every
 * change, never before that is on disk in the journal. Where there is no inbox, no file is made.
 */
import type { Log } from "../base/log.ts";
import { inboxFile, readInboxFile } from "../core/inbox-file.ts";
import type { Engine } from "../engine/engine.ts";
import type { InboxFile } from "../host/inbox-file.ts";

export interface InboxMirrorOptions {
  engine: Pick<Engine, "state" | "watch" | "submit">;
  file: InboxFile;
  log: Log;
}

export interface InboxMirror {
  /** Resolves when the file says what is. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function openInboxMirror({ engine, file, log }: InboxMirrorOptions): InboxMirror {
  let written: string | null = null;
  let dirty = false;
  let unwritable = false;
  let closed = false;
  let working: Promise<void> = takeOver().then(write);
  const unwatch = engine.watch((topics) => {
    if (topics.has("inbox")) look();
  });

  function look(): void {
    if (dirty || closed) return;
    dirty = true;
    working = working.then(write);
  }

  /** Once, on the first start: from then on the file is ours, and reading it would bring back what was cleared. */
  async function takeOver(): Promise<void> {
    if (engine.state.inbox_imported) return;
    try {
      const messages = readInboxFile(await file.read());
      await engine.submit({ type: "import_inbox", messages });
      if (messages.length > 0) log.info("the inbox of an earlier installation was taken over", { messages: messages.length });
    } catch (error) {
      log.failure("the inbox of an earlier installation could not be taken over", error);
    }
  }

  async function write(): Promise<void> {
    dirty = false;
    const content = inboxFile(engine.state);
    const text = JSON.stringify(content);
    if (text === written) return;
    try {
      if (content.messages.length === 0 && !(await file.exists())) return;
      await file.write(content);
      written = text;
      unwritable = false;
    } catch (error) {
      // Said once: nothing hangs on this file, and each message would say it again.
      if (!unwritable) log.failure("the inbox cannot be mirrored", error);
      unwritable = true;
    }
  }

  async function settled(): Promise<void> {
    const now = working;
    await now;
    if (working !== now) await settled();
  }

  return {
    settled,
    async close() {
      unwatch();
      await settled();
      closed = true;
    },
  };
}
