/**
 * One injected fault: how often it hits, how often it has, who waits for that, and what happens when it is lifted.
 */
export interface FaultHandle {
  readonly id: string;
  readonly kind: string;
  readonly hits: number;
  /** Ends it; held requests go on, a silent socket speaks again. */
  lift(): void;
  /** Resolves once it has hit `n` times (default once). */
  hit(n?: number): Promise<void>;
}

export class Fault implements FaultHandle {
  readonly id: string;
  readonly kind: string;
  readonly #lifted: (() => void)[] = [];
  readonly #waiters: { count: number; resolve: () => void }[] = [];
  #hits = 0;
  #left: number;
  #active = true;

  constructor(id: string, kind: string, times = Number.POSITIVE_INFINITY) {
    this.id = id;
    this.kind = kind;
    this.#left = times;
  }

  get hits(): number {
    return this.#hits;
  }

  /** Whether it still hits. */
  get active(): boolean {
    return this.#active && this.#left > 0;
  }

  /** Counts one hit. */
  count(): void {
    this.#hits += 1;
    this.#left -= 1;
    for (const waiter of this.#waiters.filter((one) => one.count <= this.#hits)) waiter.resolve();
  }

  lift(): void {
    if (!this.#active) return;
    this.#active = false;
    for (const call of this.#lifted.splice(0)) call();
  }

  hit(n = 1): Promise<void> {
    if (this.#hits >= n) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ count: n, resolve }));
  }

  /** Calls back when it is lifted, at once if it has been. */
  onLift(call: () => void): void {
    if (this.#active) this.#lifted.push(call);
    else call();
  }
}
