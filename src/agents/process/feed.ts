/**
 * Things on their way to their one reader, in order: the updates of a turn, or the turns that an agent begins by
 * itself. What comes before there is a reader waits for it. A writer that awaits `give` is held back while too much
 * waits, so that a slow reader makes the agent wait and a fast agent costs no memory.
 */
export class Feed<T> implements AsyncIterable<T> {
  readonly #left: () => void;
  #most: number;
  #waiting: T[] = [];
  #given = 0;
  /** How many the reader has dealt with. */
  #dealt = 0;
  #ended = false;
  /** Resolves at each change of these. */
  #changed = Promise.withResolvers<void>();

  /**
   * @param most how many may be with the reader or wait for it before the writer has to wait; absent: any number
   * @param left called if the reader stops before the end
   */
  constructor({ most = Number.POSITIVE_INFINITY, left = () => undefined }: { most?: number; left?: () => void } = {}) {
    this.#most = most;
    this.#left = left;
  }

  /** Resolves when more may be given. What is given after the end is dropped. */
  async give(...more: T[]): Promise<void> {
    if (this.#ended || more.length === 0) return;
    this.#waiting.push(...more);
    this.#given += more.length;
    this.#change();
    await this.room();
  }

  /** Gives the last, if there is one more. */
  end(...last: T[]): void {
    void this.give(...last);
    this.#ended = true;
    this.#change();
  }

  /** Resolves when more may be given, or nobody reads any more. */
  room(): Promise<void> {
    return this.#until(() => this.#given - this.#dealt <= this.#most);
  }

  /** Resolves when the reader has dealt with all that was given so far, or nobody will. */
  taken(): Promise<void> {
    const all = this.#given;
    return this.#until(() => this.#dealt >= all);
  }

  /** From now on the writer never has to wait. */
  free(): void {
    this.#most = Number.POSITIVE_INFINITY;
    this.#change();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        if (this.#waiting.length === 0) await this.#until(() => this.#waiting.length > 0);
        const one = this.#waiting.shift();
        if (one === undefined) return;
        if (this.#isOver) this.#change();
        yield one;
        this.#dealt += 1;
        this.#change();
      }
    } finally {
      const isEarly = !this.#isOver;
      this.#ended = true;
      this.#waiting = [];
      this.#change();
      if (isEarly) this.#left();
    }
  }

  /** The reader has the last: nobody has to wait for it. */
  get #isOver(): boolean {
    return this.#ended && this.#waiting.length === 0;
  }

  async #until(fact: () => boolean): Promise<void> {
    while (!this.#isOver && !fact()) await this.#changed.promise;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
