/** Gives things to one reader, in order, until it ends. What comes before there is a reader waits for it. */
export class Feed<T> implements AsyncIterable<T> {
  #waiting: T[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  give(one: T): void {
    this.#waiting.push(one);
    this.#wake();
  }

  /** No more will come. */
  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const one = this.#waiting.shift();
      if (one !== undefined) yield one;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
