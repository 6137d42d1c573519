/**
 * Steps that must be taken one after the other: each begins when the one before it is over, and at once where none
 * is under way. A step that fails does not keep the next one waiting.
 */
export class InOrder {
  #last: Promise<unknown> | null = null;

  /** Whether a step is under way. */
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
