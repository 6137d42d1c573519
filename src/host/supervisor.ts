/**
 * What systemd is told by a daemon it started (sd_notify): that it is ready, that it is alive, that it stops. It is
 * told that it is alive only while the daemon believes so itself, so one that hangs is started again. Node cannot
 * write to the datagram socket this takes; `systemd-notify`, which comes with systemd, can.
 */
import type { Clock } from "../base/clock.ts";
import type { ProgramAnswer } from "./program.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface SupervisorOptions {
  env: Environment;
  clock: Clock;
  /** Runs `systemd-notify` with these arguments; see `program.ts`. */
  notify(args: readonly string[]): Promise<ProgramAnswer>;
  /** Whether the daemon's own machinery still turns. */
  healthy(): boolean;
  /** Told once, when it could not be told anything. */
  onFailure(reason: string): void;
}

export interface Supervisor {
  ready(): Promise<void>;
  /** Nothing is said after it. */
  stopping(): Promise<void>;
}

/** Of the time systemd waits for a sign of life, so that one that is late is no death. */
const PART = 3;
/** Where systemd asks for no signs of life, the start may still take its time. */
const USUAL_MICROSECONDS = 120_000_000;

const nobody: Supervisor = { ready: async () => undefined, stopping: async () => undefined };

/** Nobody is told anything where no supervisor asked for it. */
export function openSupervisor(options: SupervisorOptions): Supervisor {
  const { env } = options;
  return env["NOTIFY_SOCKET"] ? new Systemd(options) : nobody;
}

class Systemd implements Supervisor {
  readonly #options: SupervisorOptions;
  readonly #watchdog: number | null;
  #isReady = false;
  #over = false;
  #failed = false;
  #forget = (): void => undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#watchdog = watchdogOf(options.env);
    this.#nextSign();
  }

  async ready(): Promise<void> {
    this.#isReady = true;
    await this.#say("READY=1", "STATUS=Messages are accepted.");
  }

  async stopping(): Promise<void> {
    this.#over = true;
    this.#forget();
    await this.#say("STOPPING=1", "STATUS=Stopping.");
  }

  #nextSign(): void {
    const everyMs = Math.max(1, Math.floor((this.#watchdog ?? USUAL_MICROSECONDS) / 1000 / PART));
    this.#forget = this.#options.clock.after(everyMs, () => void this.#sign());
  }

  async #sign(): Promise<void> {
    if (this.#options.healthy()) {
      // Until it is ready there is no watchdog but a time to start in, and Discord may be away for longer than that.
      if (!this.#isReady) await this.#say(`EXTEND_TIMEOUT_USEC=${this.#watchdog ?? USUAL_MICROSECONDS}`, "STATUS=Waiting for Discord.");
      else if (this.#watchdog !== null) await this.#say("WATCHDOG=1");
    }
    if (!this.#over) this.#nextSign();
  }

  async #say(...words: string[]): Promise<void> {
    const { code, stderr } = await this.#options.notify(words);
    if (code === 0 || this.#failed) return;
    this.#failed = true;
    this.#options.onFailure(stderr);
  }
}

/** Microseconds between two signs of life; null where none are asked for, or not of us. */
function watchdogOf({ WATCHDOG_USEC, WATCHDOG_PID }: Environment): number | null {
  const microseconds = Number(WATCHDOG_USEC);
  if (WATCHDOG_PID && WATCHDOG_PID !== String(process.pid)) return null;
  return Number.isSafeInteger(microseconds) && microseconds > 0 ? microseconds : null;
}
