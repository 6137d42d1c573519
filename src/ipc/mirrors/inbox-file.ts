/**
 * The reconciler of the inbox file: imports an earlier installation's file once, and then writes the file after every
 * change, never before the change is in the journal on disk. Without an inbox, no file is made. A file that could not be
 * imported is not replaced.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { inboxFile, readInboxFile } from "../../core/inbox/inbox-file.ts";
import type { Engine } from "../../engine/engine.ts";
import { reconcile, type Reconciling } from "../../engine/reconcile.ts";
import type { InboxFile } from "../../host/files/inbox-file.ts";

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
    if (messages.length > 0) log.info("the inbox of an earlier installation was imported", { messages: messages.length });
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
    all: () => [INBOX],
    about: (topic) => (topic === INBOX ? [INBOX] : []),
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
