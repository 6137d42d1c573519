/**
 * The keeper of lapses: says when the time of an open decision has passed. How long that is was settled when it was
 * asked and is measured by the monotonic clock from then on, so a wall clock that is put forward or back makes nothing
 * lapse early and nothing wait for ever (rule J9). After a restart nothing open is left to time: whoever waited is
 * gone, and waits anew when he asks again.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Engine } from "./engine.ts";

export interface LapsesOptions {
  engine: Pick<Engine, "state" | "submit" | "watch">;
  clock: Clock;
  log: Log;
}

interface Timer {
  lapses_at: string;
  /** By the monotonic clock, milliseconds. */
  due: number;
  forget(): void;
}

/** A timer of the system waits no longer than this, and one over a sleeping machine may come late or early. */
const LONGEST_WAIT_MS = 60 * 60_000;

export function openLapses({ engine, clock, log }: LapsesOptions): { close(): void } {
  const timers = new Map<string, Timer>();

  function attend(): void {
    for (const [id, { lapses_at, forget }] of timers) {
      const decision = engine.state.decisions[id];
      if (decision?.state === "open" && decision.lapses_at === lapses_at) continue;
      forget();
      timers.delete(id);
    }
    for (const { decision_id, state, lapses_at } of Object.values(engine.state.decisions)) {
      if (state !== "open" || lapses_at === null || timers.has(decision_id)) continue;
      const left = Math.max(0, Date.parse(lapses_at) - clock.now());
      const timer: Timer = { lapses_at, due: clock.monotonic() + left, forget: () => undefined };
      timers.set(decision_id, timer);
      wait(decision_id, timer);
    }
  }

  function wait(id: string, timer: Timer): void {
    const left = timer.due - clock.monotonic();
    if (left > 0) timer.forget = clock.after(Math.min(Math.ceil(left), LONGEST_WAIT_MS), () => wait(id, timer));
    else lapse(id, timer.lapses_at);
  }

  function lapse(decision_id: string, lapses_at: string): void {
    engine.submit({ type: "lapse", decision_id, lapses_at }).catch((error: unknown) => log.failure("a decision could not lapse", error, { decision_id }));
  }

  const unwatch = engine.watch(attend);
  attend();
  return {
    close() {
      unwatch();
      for (const { forget } of timers.values()) forget();
      timers.clear();
    },
  };
}
