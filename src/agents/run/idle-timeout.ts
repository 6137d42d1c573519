/**
 * Stops an agent that has been silent for too long, and reports this as a timeout instead of a cancellation. While the
 * owner is being asked the agent has nothing to say: the timer is paused, and restarts when the last answer is given.
 */
import type { Clock } from "../../base/clock.ts";
import type { Turn } from "../contract/agent.ts";
import type { Outcome } from "../contract/updates.ts";

export interface IdleTimeout {
  /** The turn's real outcome. */
  verdict(outcome: Outcome): Outcome;
  /** Allows silence until the returned function is called, once. */
  allow(): () => void;
  stop(): void;
}

export function watchIdle(clock: Clock, silenceMs: number, turn: Turn): IdleTimeout {
  let timedOut = false;
  let over = false;
  let allowed = 0;
  let forget = clock.after(silenceMs, check);
  function check(): void {
    const quietMs = clock.monotonic() - turn.heardAt();
    if (quietMs < silenceMs) {
      forget = clock.after(silenceMs - quietMs, check);
      return;
    }
    timedOut = true;
    void turn.cancel();
  }
  return {
    verdict(outcome) {
      if (!timedOut || outcome.outcome !== "cancelled") return outcome;
      return { outcome: "failed", code: "E_CLI_TIMEOUT", details: { seconds: Math.round(silenceMs / 1000) } };
    },
    allow() {
      allowed += 1;
      forget();
      return () => {
        allowed -= 1;
        if (allowed > 0 || over) return;
        forget = clock.after(silenceMs, check);
      };
    },
    stop() {
      over = true;
      forget();
    },
  };
}
