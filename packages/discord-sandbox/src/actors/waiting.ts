/**
 * Facts somebody waits for: looked at once when asked and then after every change, so that a test needs no sleep
 * and no polling.
 */
interface Waiter {
  look(): boolean;
  fail(error: unknown): void;
}

export class Waiting {
  readonly #waiters = new Set<Waiter>();

  /** Resolves with the first value of `fact` that is neither undefined nor false. Rejects if it throws. */
  until<T>(fact: () => T | undefined | false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter: Waiter = {
        look() {
          const value = fact();
          if (value === undefined || value === false) return false;
          resolve(value);
          return true;
        },
        fail: reject,
      };
      this.#waiters.add(waiter);
      this.#look(waiter);
    });
  }

  /** Something may have become true. */
  changed(): void {
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  /** Nothing will become true any more. */
  close(): void {
    for (const waiter of this.#waiters)
      waiter.fail(new Error("The sandbox was closed while somebody waited for a fact"));
    this.#waiters.clear();
  }

  #look(waiter: Waiter): void {
    try {
      if (waiter.look()) this.#waiters.delete(waiter);
    } catch (error) {
      this.#waiters.delete(waiter);
      waiter.fail(error);
    }
  }
}
