/**
 * A client's connection to its daemon: opened when first needed, kept across the daemon's restarts, and able to start a
 * daemon if there is none. Calls are repeated automatically; they fail only if no daemon is available, and then with
 * the reason.
 */
import { pause, systemClock } from "../base/clock.ts";
import { BellhopError, codeOf } from "../base/errors.ts";
import { say, type Locale } from "../base/words/say.ts";
import { openCaller, type Caller } from "./call.ts";
import type { MethodName, Role } from "../protocol/messages.ts";
import type { ClientSettings } from "./settings.ts";
import type { Started } from "./start-daemon.ts";

export interface ClientConnectionOptions {
  role: Role;
  client: ClientSettings;
  /** Of the reasons that `unavailable` is given. */
  locale: Locale;
  /** Starts a daemon. @throws what to report if none may be started */
  start(): Promise<Started>;
  /** The error for failed calls; `why`: the message of a daemon that could not start or continue. */
  unavailable(why: string): Error;
  on: { started(pid: number): void; steppedBack(): void; onConnectionLost(): void; onReconnected(): void };
}

type Listen = Parameters<Caller["call"]>[2];

/** Time for a started daemon to accept calls. */
const START_MS = 30_000;
const LOOK_MS = 25;
/** How long a supervisor has to restart a daemon that died; systemd's longest pause is 15 s. */
const REVIVE_MS = 20_000;

export class ClientConnection {
  readonly #options: ClientConnectionOptions;
  #caller: Promise<Caller> | null = null;
  /** Why the connection was given up. */
  #failure: Error | null = null;
  #forgetRevival: () => void = () => undefined;
  /** Calls that wait for an answer. */
  #waiting = 0;
  #closed = false;

  constructor(options: ClientConnectionOptions) {
    this.#options = options;
  }

  /** @throws the daemon's refusal; the result of `unavailable`; the reason of the signal */
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

  /** A connection that was refused as a whole stays refused; the next call opens a new one. */
  #drop(caller: Caller): void {
    const kept = this.#caller;
    caller.call("ping", {}).catch((error: unknown) => {
      if (this.#caller === kept && codeOf(error) !== "E_TOO_MANY_CALLS") this.#caller = null;
    });
  }

  close(): void {
    this.#closed = true;
    this.#forgetRevival();
    void this.#caller?.then(
      (caller) => caller.close(),
      () => undefined,
    );
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
      const later = pause(systemClock, LOOK_MS);
      await Promise.race([later, refused.then(() => later)]);
    }
    const { locale, unavailable } = this.#options;
    throw unavailable(say(locale, "why_no_calls", { seconds: START_MS / 1000 }));
  }

  /** Undefined if no daemon accepts calls. */
  async #find(): Promise<Caller | undefined> {
    for (const stateDir of this.#options.client.stateDirs) {
      try {
        return await this.#open(stateDir);
      } catch (error) {
        if (!(error instanceof BellhopError) || error.code !== "E_NO_DAEMON") throw error;
      }
    }
    return undefined;
  }

  #open(stateDir: string): Promise<Caller> {
    const { role, client, on } = this.#options;
    return openCaller({
      stateDir,
      role,
      clock: systemClock,
      variables: client.variables,
      ...(client.capability !== undefined && { capability: client.capability }),
      wait: {
        forMs: Number.POSITIVE_INFINITY,
        onConnectionLost: () => {
          // If nobody waits for the daemon, it was stopped on purpose; the next call finds out what is there then.
          if (this.#waiting === 0) return this.#closeCaller();
          on.onConnectionLost();
          this.#forgetRevival = systemClock.after(
            REVIVE_MS,
            () => void (this.#waiting > 0 ? this.#revive() : this.#closeCaller()),
          );
        },
        onReconnected: () => {
          this.#forgetRevival();
          on.onReconnected();
        },
      },
    });
  }

  /** Called if nobody else has restarted it. */
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
      // Whoever killed or stopped it may restart it; a daemon that failed would fail again.
      if (end?.code) this.#giveUp(this.#options.unavailable(end.why));
    });
  }

  #giveUp(failure: Error): void {
    this.#failure = failure;
    this.#closeCaller();
  }

  #closeCaller(): void {
    const caller = this.#caller;
    this.#caller = null;
    this.#forgetRevival();
    void caller?.then(
      (one) => one.close(),
      () => undefined,
    );
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
