/**
 * The reconciler of decisions' times: submits when an open one has expired, and when a press can no longer be taken
 * back. It expires whether its asker is connected or not: the owner was told until when he can answer it, and that is
 * by Discord's clock. What he wrote in time counts also when it is heard late, so a question expires only when
 * everything that was written to it by then has been heard: at once where messages arrive, and else when they have been
 * read.
 */
import { withTimeout, type Clock } from "../base/clock.ts";
import type { DiscordTime } from "../base/discord-time.ts";
import type { Log } from "../base/log.ts";
import {
  isOpen,
  openDecisions,
  TAKE_BACK_MS,
  type AnsweredDecision,
  type Decision,
} from "../core/decisions/decision.ts";
import type { Engine } from "./engine.ts";
import { reconcile, type Reconciler } from "./reconcile.ts";

export interface ExpiryOptions {
  engine: Engine;
  clock: Clock;
  time: DiscordTime;
  log: Log;
  /** Resolves with whether everything that was written to this question so far has been heard. */
  hasHeard(decision: Decision): Promise<boolean>;
}

/** A message takes this long from Discord to us. */
export const GRACE_MS = 2_000;
/** Whoever asked is told by then that there was no answer, though there may still be one to be read. */
export const TOLD_MS = 15_000;
/**
 * A question that may be asked again, or whose answer is looked for later, waits this long for what cannot be read now.
 */
const UNREAD_MS = 10 * 60_000;
const READ_MS = 9_000;
const AGAIN_MS = 2_000;
/** No system timer is set for longer; one that spans a machine's sleep may fire late or early. */
const LONGEST_WAIT_MS = 60 * 60_000;

export function openExpiry(options: ExpiryOptions): { close(): Promise<void> } {
  const { engine, clock, log, time } = options;
  const times = new ExpiryTimers(options);
  const expiry: Reconciler = reconcile({
    engine,
    clock,
    log,
    failure: "that a decision's time is over could not be written down",
    details: (decision_id) => ({ decision_id }),
    follows: "decisions",
    step: (id) => times.step(id),
  });
  const unwatch = time.watch(() => {
    for (const { decision_id, lapses_at } of openDecisions(engine.state))
      if (lapses_at !== null) expiry.markChanged(decision_id);
  });
  expiry.start();
  return {
    close() {
      unwatch();
      return expiry.close();
    },
  };
}

class ExpiryTimers {
  readonly #options: ExpiryOptions;
  /** What ends when, by the monotonic clock; `name` changes only when the end does. */
  readonly #ends = new Map<string, { name: string; at: number }>();

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  step(id: string): Promise<unknown> | number | null {
    const { engine, clock, time } = this.#options;
    const decision = engine.state.decisions[id];
    if (decision?.state === "answered" && decision.revocable) return this.#waitToStand(decision);
    if (!decision || !isOpen(decision)) return (this.#ends.delete(id), null);
    const { kind, lapses_at } = decision;
    if (lapses_at === null) return null;
    const left = Date.parse(lapses_at) - time.now() + (kind === "question" ? GRACE_MS : 0);
    if (left > 0) return Math.min(left, LONGEST_WAIT_MS);
    if (kind !== "question") return engine.submit({ type: "lapse", decision_id: id, lapses_at });
    // Only Discord knows whether it is over, and the messages are there too. It is looked at again when Discord
    // answers.
    if (!time.known) return null;
    return this.#read(decision, lapses_at, clock.monotonic() - (time.now() - Date.parse(lapses_at)));
  }

  /** Until a press stands: the duration is fixed when it is made, and measured by the monotonic clock from then on. */
  #waitToStand({ decision_id, settled_at }: AnsweredDecision): Promise<unknown> | number {
    const { engine, clock } = this.#options;
    const ms = Date.parse(settled_at) + TAKE_BACK_MS - clock.now();
    const left =
      this.#endOf(decision_id, `stands ${settled_at}`, Math.min(TAKE_BACK_MS, Math.max(0, ms))) - clock.monotonic();
    return left > 0 ? left : engine.submit({ type: "answer_stands", decision_id });
  }

  /** The end of what has this name: so long after it is first asked for. */
  #endOf(id: string, name: string, ms: number): number {
    const known = this.#ends.get(id);
    if (known?.name === name) return known.at;
    const at = this.#options.clock.monotonic() + ms;
    this.#ends.set(id, { name, at });
    return at;
  }

  /** `over`: when its time was over, by the monotonic clock. */
  async #read(decision: Decision, lapses_at: string, over: number): Promise<unknown> {
    const { engine, clock, time, hasHeard } = this.#options;
    const { decision_id, asker } = decision;
    const began = clock.monotonic();
    // Any other asker is told once and for all.
    const until = asker.by === "mcp" ? this.#endOf(decision_id, `unread ${lapses_at}`, UNREAD_MS) : over + TOLD_MS;
    const heard = await withTimeout(clock, Math.max(0, Math.min(READ_MS, until - began)), hasHeard(decision));
    // The answers to what was read may have corrected the time.
    const wasOver = time.now() - (clock.monotonic() - began) >= Date.parse(lapses_at) + GRACE_MS;
    if (!wasOver) return 0;
    if (heard || clock.monotonic() >= until) return engine.submit({ type: "lapse", decision_id, lapses_at });
    return AGAIN_MS;
  }
}
