/**
 * Stops an agent that has said nothing at all for too long. Its end is then a timeout, and not the cancellation that
 * it looks like. While the owner is asked something the agent has nothing to say: the clock stands still, and begins
 * anew when the last answer is given.
 */
import type { Clock } from "../base/clock.ts";
import type { Run } from "./driver.ts";
import type { Outcome } from "./updates.ts";

export interface Silence {
  /** What the run's end really was. */
  verdict(outcome: Outcome): Outcome;
  /** It may be silent until the returned function is called, once. */
  allow(): () => void;
  stop(): void;
}

export function watchSilence(clock: Clock, silenceMs: number, run: Run): Silence {
  let timedOut = false;
  let over = false;
  let allowed = 0;
  let forget = clock.after(silenceMs, check);
  function check(): void {
    const quietMs = clock.monotonic() - run.heardAt();
    if (quietMs < silenceMs) {
      forget = clock.after(silenceMs - quietMs, check);
      return;
    }
    timedOut = true;
    void run.stop();
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
