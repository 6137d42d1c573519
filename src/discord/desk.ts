/**
 * What the outbox knows about one thread while it runs: which of its posts have been tried, and what their messages
 * show right now. Losing it costs an extra look or edit, never a post.
 */
import type { Owed } from "./owed.ts";

/** One post, by subject and part. Times are the monotonic clock's. */
export interface Memory {
  /** Digest of what the message shows; null where this process has not seen it. */
  shown: string | null;
  /** When the first try left whose answer has not come; null where there is none. */
  triedAt: number | null;
  /** Tries given up for want of an answer. */
  unanswered: number;
  /** How often its archived thread was opened for it. */
  opened: number;
  /** Its nonce belongs to a message that somebody deleted. */
  burnt: boolean;
  /** A growing post whose message was taken away or refused: left alone until it has its end. */
  letGo: boolean;
  /** An edit of a growing post that is in line or under way. */
  edit: { hash: string; left: boolean } | null;
  /** When something last left for it. */
  leftAt: number;
}

export interface Desk {
  thread_id: string;
  dirty: boolean;
  running: boolean;
  /** Takes back what still waits in line, because there is news. */
  withdraw: AbortController;
  memory: Map<string, Memory>;
  /** Posts that were owed already when this process began: an earlier one may have tried them. Null before the first look. */
  inherited: Set<string> | null;
  /** Edits of growing posts that nobody waits for. */
  background: Set<Promise<void>>;
  timer: { at: number; forget(): void } | null;
}

/** `fresh`: the thread came to be after this process did, so nobody else can have posted for it. */
export function newDesk(thread_id: string, fresh: boolean): Desk {
  return {
    thread_id,
    dirty: false,
    running: false,
    withdraw: new AbortController(),
    memory: new Map(),
    inherited: fresh ? new Set() : null,
    background: new Set(),
    timer: null,
  };
}

export function keyOf(owed: Pick<Owed, "subject" | "part">): string {
  return `${owed.subject} ${owed.part}`;
}

export function memoryOf(desk: Desk, owed: Owed): Memory {
  const key = keyOf(owed);
  let memory = desk.memory.get(key);
  if (!memory) {
    memory = { shown: null, triedAt: null, unanswered: 0, opened: 0, burnt: false, letGo: false, edit: null, leftAt: Number.NEGATIVE_INFINITY };
    desk.memory.set(key, memory);
  }
  return memory;
}

/** Forgets what is remembered of posts that are not owed any more. */
export function tidy(desk: Desk, owed: readonly Owed[]): void {
  const keys = new Set(owed.map(keyOf));
  for (const [key, memory] of desk.memory) if (!keys.has(key) && memory.edit === null) desk.memory.delete(key);
}

/** Whether something of the thread is still on its way to Discord. */
export function isBusy(desk: Desk): boolean {
  return desk.running || desk.dirty || desk.background.size > 0 || desk.timer !== null;
}
