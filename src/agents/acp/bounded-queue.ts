/**
 * The updates of a turn between the agent and their one reader, in order. When the reader is behind, `room` holds the
 * agent back, so that a fast agent costs no memory.
 */
import type { Update } from "../contract/updates.ts";

/** Updates that may wait. */
const MOST = 256;

export class BoundedQueue implements AsyncIterable<Update> {
  readonly #left: () => void;
  #waiting: Update[] = [];
  #ended = false;
  #arrived = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();

  /** @param left called if the reader stops before the end */
  constructor(left: () => void) {
    this.#left = left;
  }

  push(...updates: Update[]): void {
    if (this.#ended || updates.length === 0) return;
    this.#waiting.push(...updates);
    this.#arrived.resolve();
  }

  /** The last update; what is pushed later is dropped. */
  end(update: Update): void {
    this.push(update);
    this.#ended = true;
  }

  /** Resolves when another update may be pushed. */
  async room(): Promise<void> {
    while (this.#waiting.length >= MOST) await this.#taken.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Update, void> {
    try {
      for (;;) {
        const updates = this.#waiting;
        this.#waiting = [];
        this.#arrived = Promise.withResolvers();
        this.#taken.resolve();
        this.#taken = Promise.withResolvers();
        for (const update of updates) {
          yield update;
          if (update.kind === "end") return;
        }
        if (this.#waiting.length === 0) await this.#arrived.promise;
      }
    } finally {
      // Nobody reads any more, so nobody may wait for room.
      const done = this.#ended;
      this.#ended = true;
      this.#waiting = [];
      this.#taken.resolve();
      if (!done) this.#left();
    }
  }
}
