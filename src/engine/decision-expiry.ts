/**
 * The reconciler of decisions' times: submits when an open one has expired, and when a press can no longer be taken
 * back. The duration is fixed when it is asked or answered and is measured by the monotonic clock from then on, so
 * moving the wall clock makes nothing expire early and nothing wait forever. It expires whether its asker is connected
 * or not: the owner was told until when he can answer.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isOpen, TAKE_BACK_MS, type Decision, type DecisionCommand } from "../core/decisions/decision.ts";
import type { Engine } from "./engine.ts";
import { reconcile, type Reconciling } from "./reconcile.ts";

export interface ExpiryOptions {
  engine: Reconciling["engine"] & Pick<Engine, "submit">;
  clock: Clock;
  log: Log;
}

interface Due {
  /** Submitted when it is due. */
  command: DecisionCommand;
  /** Milliseconds from now. */
  leftMs: number;
  /** Changes only when the due time does. */
  name: string;
}

/** No system timer is set for longer; one that spans a machine's sleep may fire late or early. */
const LONGEST_WAIT_MS = 60 * 60_000;

export function openExpiry({ engine, clock, log }: ExpiryOptions): { close(): Promise<void> } {
  /** Due times by the monotonic clock. */
  const known = new Map<string, { name: string; at: number }>();

  function step(id: string): Promise<unknown> | number | null {
    const decision = engine.state.decisions[id];
    const due = decision ? dueOf(decision, clock.now()) : null;
    if (due === null) return known.delete(id), null;
    if (known.get(id)?.name !== due.name) known.set(id, { name: due.name, at: clock.monotonic() + due.leftMs });
    const left = (known.get(id)?.at ?? 0) - clock.monotonic();
    return left > 0 ? Math.min(left, LONGEST_WAIT_MS) : engine.submit(due.command);
  }

  const expiry = reconcile({
    engine,
    clock,
    log,
    failure: "that a decision's time is over could not be written down",
    details: (decision_id) => ({ decision_id }),
    follows: "decisions",
    step,
  });
  expiry.start();
  return expiry;
}

function dueOf(decision: Decision, now: number): Due | null {
  const { decision_id, lapses_at, settled_at, revocable } = decision;
  if (revocable) return { command: { type: "answer_stands", decision_id }, name: `stands ${settled_at}`, leftMs: within(TAKE_BACK_MS, Date.parse(settled_at ?? "") + TAKE_BACK_MS - now) };
  if (!isOpen(decision) || lapses_at === null) return null;
  return { command: { type: "lapse", decision_id, lapses_at }, name: `lapses ${lapses_at}`, leftMs: within(Number.POSITIVE_INFINITY, Date.parse(lapses_at) - now) };
}

/** Limits the time left, so that a clock that was set back does not extend it. */
function within(most: number, ms: number): number {
  return Math.min(most, Math.max(0, ms));
}
