/**
 * Named deadlines on the sandbox's clock: arming one again moves it, and closing the sandbox forgets them all.
 */
import type { Clock } from "./clock.ts";

export class Timers {
  readonly #clock: Clock;
  readonly #armed = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back once in `ms`, unless armed again or disarmed under the same name before. */
  arm(name: string, ms: number, call: () => void): void {
    this.disarm(name);
    this.#armed.set(
      name,
      this.#clock.after(ms, () => {
        this.#armed.delete(name);
        call();
      }),
    );
  }

  disarm(name: string): void {
    this.#armed.get(name)?.();
    this.#armed.delete(name);
  }

  clear(): void {
    for (const name of this.#armed.keys()) this.disarm(name);
  }
}
