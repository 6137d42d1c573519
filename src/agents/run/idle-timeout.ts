/**
 * Stops an agent that has been silent for too long, and reports this as a timeout instead of a cancellation. If it does
 * not end its turn then, it is killed. While the owner is being asked, the agent has nothing to say: the timer is
 * paused, and restarts when the last answer is given.
 */
import type { Clock } from "../../base/clock.ts";
import type { Turn } from "../contract/driver.ts";
import type { Outcome } from "../contract/updates.ts";
import type { RunContext } from "./run-context.ts";

export interface IdleTimeout {
  /** The turn's real outcome. */
  verdict(outcome: Outcome): Outcome;
  /** Allows silence until the returned function is called, once. */
  allow(): () => void;
  stop(): void;
}

export interface Silence {
  ms: number;
  code: "E_CLI_TIMEOUT" | "E_AGENT_SILENT";
  /** Ends the agent at once. */
  kill(): void;
}

/** When its owner is told that an agent is quiet: after this long, or this part of the longest silence. */
const QUIET_MS = 120_000;
const QUIET_PART = 15;

/** How long an agent may take to end its turn after it was silent for too long. */
const END_MS = 5_000;

/** How silent the agent of this work may be. */
export function silenceOf(
  { agents, drivers, config }: RunContext,
  { thread_id, tool }: { thread_id: string; tool: string },
): Silence {
  const { cli_timeout_sec, acp_silence_sec } = config().limits;
  const kill = (): void => void agents.endAgent(thread_id, "now");
  return drivers.get(tool)?.silence === "updates"
    ? { ms: acp_silence_sec * 1000, code: "E_AGENT_SILENT", kill }
    : { ms: cli_timeout_sec * 1000, code: "E_CLI_TIMEOUT", kill };
}

/** @param onQuiet called once for each time that it falls quiet, unless it is allowed to be silent */
export function watchIdle(
  clock: Clock,
  { ms: silenceMs, code, kill }: Silence,
  turn: Turn,
  onQuiet: () => void = () => undefined,
): IdleTimeout {
  const quietAfterMs = Math.min(QUIET_MS, silenceMs / QUIET_PART);
  let forgetQuiet = clock.after(quietAfterMs, listenForQuiet);
  /** When it was heard last before it was quiet. */
  let quietSince: number | null = null;
  function listenForQuiet(): void {
    const heardAt = turn.heardAt();
    const leftMs = heardAt + quietAfterMs - clock.monotonic();
    if (leftMs <= 0 && allowed === 0 && quietSince !== heardAt) {
      quietSince = heardAt;
      onQuiet();
    }
    forgetQuiet = clock.after(leftMs > 0 ? leftMs : quietAfterMs, listenForQuiet);
  }
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
    if (code === "E_AGENT_SILENT") forget = clock.after(END_MS, kill);
  }
  return {
    verdict(outcome) {
      if (!timedOut || outcome.outcome !== "cancelled") return outcome;
      return { outcome: "failed", code, details: { seconds: Math.round(silenceMs / 1000) } };
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
      forgetQuiet();
    },
  };
}
