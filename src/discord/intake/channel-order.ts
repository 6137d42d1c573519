/**
 * One channel as the listener knows it: how far it is caught up, what arrived in between, and in which order its
 * messages are processed. Losing all of it costs a read, never a message.
 */
import type { Page } from "./catch-up/recheck-queued.ts";

/**
 * Runs steps one after the other: each starts when the one before is over, or at once if none is running. A failed step
 * does not stop the next one.
 */
class InOrder {
  #last: Promise<unknown> | null = null;

  /** The last step while one is running, else null. */
  get busy(): Promise<unknown> | null {
    return this.#last;
  }

  /** A step that returns nothing is over when it returns; otherwise the next one waits for its promise. */
  run(step: () => Promise<unknown> | undefined): void {
    const taken = this.#last === null ? step() : this.#last.then(step);
    if (taken === undefined) return;
    const over = taken.then(
      () => undefined,
      () => undefined,
    );
    this.#last = over;
    void over.then(() => {
      if (this.#last === over) this.#last = null;
    });
  }
}

export interface Channel {
  readonly id: string;
  /** Messages from the gateway are processed as they arrive. */
  caughtUp: boolean;
  /** The gateway sent something while the channel was being read: read once more before it counts as caught up. */
  more: boolean;
  /** `failed`: Discord refused the read; the next connection or message tries again. */
  is: "idle" | "waiting" | "being read" | "failed";
  /** The connection was lost for a while: queued messages are rechecked. */
  recheck: boolean;
  /** Queued messages still to be rechecked, oldest first; null: not started. */
  unchecked: string[] | null;
  /** Pages fetched for the recheck that are used for reading back too; each begins where the one before ends. */
  ahead: Page[];
  /** Changes the gateway sent during reading: the current content of messages, null if deleted. */
  readonly changed: Map<string, string | null>;
  /** Ids processed since the watermark last advanced, while caught up. */
  above: Set<string>;
  readonly order: InOrder;
}

export function newChannel(id: string): Channel {
  return {
    id,
    caughtUp: false,
    more: false,
    is: "idle",
    recheck: false,
    unchecked: null,
    ahead: [],
    changed: new Map(),
    above: new Set(),
    order: new InOrder(),
  };
}
