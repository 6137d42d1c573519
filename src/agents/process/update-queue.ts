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
  /** Its reader has dealt with all there was, and waits for more. */
  #isIdle = false;
  #wake: () => void = () => undefined;
  #atRest = Promise.withResolvers<void>();

  /** @param left called if the reader stops before the end */
  constructor(left: () => void) {
    this.#left = left;
  }

  /** Resolves when its reader has dealt with them, or nobody will; at once after `free`. */
  async push(updates: readonly Update[]): Promise<void> {
    if (this.#ended || updates.length === 0) return;
    this.#waiting.push(...updates);
    this.#ended = updates.at(-1)?.kind === "end";
    this.#wake();
    if (!this.#isFree) await this.taken();
  }

  /** Resolves when the reader has dealt with all that was pushed so far, or nobody will. */
  async taken(): Promise<void> {
    if (!this.#over && (!this.#isIdle || this.#waiting.length > 0)) await this.#atRest.promise;
  }

  /** From now on nothing waits for the reader. */
  free(): void {
    this.#isFree = true;
    this.#rest();
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
          this.#isIdle = true;
          this.#rest();
          await new Promise<void>((resolve) => (this.#wake = resolve));
          this.#isIdle = false;
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
    this.#rest();
  }

  #rest(): void {
    this.#atRest.resolve();
    this.#atRest = Promise.withResolvers();
  }
}
