/**
 * What is written to a living Claude while it is at a turn. Claude names each such line by its id: it reads it at the
 * end of the next tool, or begins a turn of its own with it when this one is over, or never begins with it because its
 * process ends. Results are not counted: several lines may share one.
 */
import type { Clock } from "../../base/clock.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Steered } from "../contract/agent.ts";

interface Steer {
  log: JobLog;
  settle: (steered: Steered) => void;
}

/** How long Claude may take, once a turn is over, to begin with a line that it was sent in it. */
const BEGIN_MS = 10_000;

export class Steers {
  readonly #waiting = new Map<string, Steer>();
  readonly #clock: Clock;
  readonly #end: () => void;
  #forget: () => void = () => undefined;

  /** @param end ends Claude's process, which then surely begins with nothing */
  constructor(clock: Clock, end: () => void) {
    this.#clock = clock;
    this.#end = end;
  }

  /** @param write whether the line has reached Claude */
  async send(uuid: string, log: JobLog, write: () => Promise<boolean>): Promise<Steered> {
    const { promise, resolve } = Promise.withResolvers<Steered>();
    this.#waiting.set(uuid, { log, settle: resolve });
    if (!(await write())) this.settle(uuid, { kind: "refused" });
    return promise;
  }

  /** The log of a line that Claude has not begun with; undefined for any other. */
  logOf(uuid: string): JobLog | undefined {
    return this.#waiting.get(uuid)?.log;
  }

  settle(uuid: string, steered: Steered): void {
    this.#waiting.get(uuid)?.settle(steered);
    this.#waiting.delete(uuid);
    if (this.#waiting.size === 0) this.#forget();
  }

  /** A turn is over: what waits is begun at once, or Claude is stuck. */
  turnOver(): void {
    this.#forget();
    if (this.#waiting.size > 0) this.#forget = this.#clock.after(BEGIN_MS, this.#end);
  }

  /** A turn is begun: Claude works. */
  turnBegun(): void {
    this.#forget();
  }

  /** Claude's process has ended. */
  gone(): void {
    for (const uuid of [...this.#waiting.keys()]) this.settle(uuid, { kind: "refused" });
  }
}
