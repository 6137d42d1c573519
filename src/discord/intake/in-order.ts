/**
 * Runs steps one after the other: each starts when the one before is over, or at once if none is running. A failed step
 * does not stop the next one.
 */
export class InOrder {
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
