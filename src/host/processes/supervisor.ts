/**
 * What the daemon tells systemd (sd_notify): that it is ready, alive, stopping. It reports that it is alive only while
 * it is healthy, so a hanging daemon is restarted. Node cannot write to the datagram socket this needs;
 * `systemd-notify`, which comes with systemd, can.
 */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../config/homes.ts";
import type { ProgramAnswer } from "./program.ts";

export interface SupervisorOptions {
  env: Environment;
  clock: Clock;
  /** Runs `systemd-notify` with these arguments; see `program.ts`. */
  notifySystemd(args: readonly string[]): Promise<ProgramAnswer>;
  /** Whether the daemon is working. */
  healthy(): boolean;
  /** Called once, when systemd could not be told something. */
  onNotifyFailure(reason: string): void;
}

export interface Supervisor {
  ready(): Promise<void>;
  /** Nothing is sent after it. */
  stopping(): Promise<void>;
}

/** Fraction of systemd's watchdog time between two messages, so that a late one is not taken for a hang. */
const PART = 3;
/** Used to extend the start if systemd has no watchdog. */
const USUAL_MICROSECONDS = 120_000_000;

const nobody: Supervisor = { ready: async () => undefined, stopping: async () => undefined };

/** Sends nothing if no supervisor asked for it. */
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
      // Until it is ready the start timeout applies, not the watchdog, and Discord may be away for longer than that.
      if (!this.#isReady)
        await this.#say(`EXTEND_TIMEOUT_USEC=${this.#watchdog ?? USUAL_MICROSECONDS}`, "STATUS=Waiting for Discord.");
      else if (this.#watchdog !== null) await this.#say("WATCHDOG=1");
    }
    if (!this.#over) this.#nextSign();
  }

  async #say(...words: string[]): Promise<void> {
    const { code, stderr } = await this.#options.notifySystemd(words);
    if (code === 0 || this.#failed) return;
    this.#failed = true;
    this.#options.onNotifyFailure(stderr);
  }
}

/** Microseconds between two watchdog messages; null if none are expected, or not from us. */
function watchdogOf({ WATCHDOG_USEC, WATCHDOG_PID }: Environment): number | null {
  const microseconds = Number(WATCHDOG_USEC);
  if (WATCHDOG_PID && WATCHDOG_PID !== String(process.pid)) return null;
  return Number.isSafeInteger(microseconds) && microseconds > 0 ? microseconds : null;
}
