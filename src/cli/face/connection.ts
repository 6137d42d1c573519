/**
 * A face's connection to its daemon: made when it is first needed, kept over the daemon's restarts, and made to a
 * daemon that is started where there is none. What was asked is asked again by itself; it fails only when no daemon
 * can be had, and then with the reason.
 */
import { systemClock } from "../../base/clock.ts";
import { BellhopError } from "../../base/errors.ts";
import { openCaller, type Caller } from "../../link/call.ts";
import type { MethodName, Role } from "../../link/protocol.ts";
import type { FaceSettings } from "./settings.ts";
import type { Started } from "./starting.ts";

export interface FaceOptions {
  role: Role;
  face: FaceSettings;
  /** Starts a daemon. @throws what is to be told where none may be started */
  start(): Promise<Started>;
  /** What failed calls are to be told; `why`: what a daemon said that could not begin or go on. */
  unavailable(why: string): Error;
  on: { started(pid: number): void; steppedBack(): void; lost(): void; back(): void };
}

type Listen = Parameters<Caller["call"]>[2];

/** Time for a daemon that was started to take calls. */
const START_MS = 30_000;
const LOOK_MS = 25;
/** So long whoever supervises a daemon that died is left to start it again: systemd's longest pause is 15 s. */
const REVIVE_MS = 20_000;

export class FaceConnection {
  readonly #options: FaceOptions;
  #caller: Promise<Caller> | null = null;
  /** Why the connection was given up. */
  #failure: Error | null = null;
  #forgetRevival: () => void = () => undefined;
  /** Calls that wait for an answer. */
  #waiting = 0;
  #closed = false;

  constructor(options: FaceOptions) {
    this.#options = options;
  }

  /** @throws what the daemon refuses it with; what `unavailable` makes; the reason of the signal */
  async call(method: MethodName, params: unknown, listen: Listen = {}): Promise<unknown> {
    const caller = await unlessAborted(this.#connected(), listen.signal);
    this.#waiting += 1;
    try {
      return await caller.call(method, params, listen);
    } catch (error) {
      if (error instanceof BellhopError && error.code === "E_NO_DAEMON") throw this.#failure ?? error;
      if (error instanceof BellhopError && error.code === "E_LINK_REFUSED") this.#drop(caller);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** A connection that was refused as a whole stays so; the next call makes a new one. */
  #drop(caller: Caller): void {
    const kept = this.#caller;
    caller.call("ping", {}).catch(() => {
      if (this.#caller === kept) this.#caller = null;
    });
  }

  close(): void {
    this.#closed = true;
    this.#forgetRevival();
    void this.#caller?.then((caller) => caller.close(), () => undefined);
  }

  #connected(): Promise<Caller> {
    if (this.#caller !== null) return this.#caller;
    this.#failure = null;
    const caller = this.#connect();
    this.#caller = caller;
    caller.catch(() => (this.#caller = null));
    return caller;
  }

  async #connect(): Promise<Caller> {
    const found = await this.#find();
    if (found !== undefined) return found;
    const started = await this.#options.start();
    this.#follow(started);
    const refused = started.ended.then((end) => {
      if (end !== null) throw this.#options.unavailable(end.why);
    });
    refused.catch(() => undefined);
    const until = systemClock.monotonic() + START_MS;
    while (systemClock.monotonic() < until && !this.#closed) {
      const caller = await this.#find();
      if (caller !== undefined) return caller;
      const pause = new Promise<void>((resolve) => systemClock.after(LOOK_MS, resolve));
      await Promise.race([pause, refused.then(() => pause)]);
    }
    throw this.#options.unavailable("it did not take calls within 30 seconds");
  }

  /** Undefined where no daemon takes calls. */
  async #find(): Promise<Caller | undefined> {
    for (const stateDir of this.#options.face.stateDirs) {
      try {
        return await this.#open(stateDir);
      } catch (error) {
        if (!(error instanceof BellhopError) || error.code !== "E_NO_DAEMON") throw error;
      }
    }
    return undefined;
  }

  #open(stateDir: string): Promise<Caller> {
    const { role, face, on } = this.#options;
    return openCaller({
      stateDir,
      role,
      clock: systemClock,
      variables: face.variables,
      returnMs: Number.POSITIVE_INFINITY,
      lost: () => {
        // Whoever stops a daemon that nobody waits for wants it stopped; the next call sees what is there then.
        if (this.#waiting === 0) return this.#letGo();
        on.lost();
        this.#forgetRevival = systemClock.after(REVIVE_MS, () => void (this.#waiting > 0 ? this.#revive() : this.#letGo()));
      },
      back: () => {
        this.#forgetRevival();
        on.back();
      },
    });
  }

  /** Nobody else has started it again. */
  async #revive(): Promise<void> {
    try {
      this.#follow(await this.#options.start());
    } catch (error) {
      this.#giveUp(error instanceof Error ? error : this.#options.unavailable(String(error)));
    }
  }

  #follow({ pid, ended }: Started): void {
    if (pid !== null) this.#options.on.started(pid);
    void ended.then((end) => {
      if (end === null) this.#options.on.steppedBack();
      // One that was killed or stopped may be started again by whoever did that; one that failed will not do better.
      if (end?.code) this.#giveUp(this.#options.unavailable(end.why));
    });
  }

  #giveUp(failure: Error): void {
    this.#failure = failure;
    this.#letGo();
  }

  #letGo(): void {
    const caller = this.#caller;
    this.#caller = null;
    this.#forgetRevival();
    void caller?.then((one) => one.close(), () => undefined);
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
