/**
 * The updates of a turn on their way to their one reader. What comes in waits until the reader has taken it, so a slow
 * reader makes the agent wait.
 */
import type { Update } from "../contract/updates.ts";

export class UpdateQueue implements AsyncIterable<Update> {
  readonly #left: () => void;
  #waiting: Update[] = [];
  #ended = false;
  #over = false;
  #isFree = false;
  #wake: () => void = () => undefined;
  #taken: () => void = () => undefined;

  /** @param left called if the reader stops before the end */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** Resolves when all of them have been taken, or nobody will take them. */
  async push(updates: readonly Update[]): Promise<void> {
    if (this.#ended || updates.length === 0) return;
    this.#waiting.push(...updates);
    this.#ended = updates.at(-1)?.kind === "end";
    this.#wake();
    if (!this.#over && !this.#isFree) await new Promise<void>((resolve) => (this.#taken = resolve));
  }

  /** From now on nothing waits for the reader. */
  free(): void {
    this.#isFree = true;
    this.#taken();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Update, void> {
    try {
      for (;;) {
        const update = this.#waiting.shift();
        if (update !== undefined) {
          if (update.kind === "end") this.#close();
          yield update;
          if (update.kind === "end") return;
        } else {
          this.#taken();
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      const isEarly = !this.#over;
      this.#close();
      if (isEarly) this.#left();
    }
  }

  #close(): void {
    this.#over = true;
    this.#taken();
  }
}
