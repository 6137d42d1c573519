/**
 * An outside turn: what a session's agent does without a prompt of the owner in Discord, such as background work that
 * reports. It is shown and kept like a job and asks like one, but it is never queued and never run again. It waits for
 * no slot, and takes one while it runs; the queue of its thread waits for its end.
 */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";
import type { Usage } from "./run.ts";

/** Where it began: work in the background, or a prompt that was typed at the terminal. */
export type Origin = "background" | "terminal";

/** `unknown`: the daemon ended while it ran. */
export type OutsideTurnOutcome = "done" | "failed" | "cancelled" | "unknown";

export interface OutsideTurn {
  turn_id: string;
  thread_id: string;
  tool: string;
  origin: Origin;
  /** What was typed, if anything. */
  prompt: string | null;
  state: "running" | OutsideTurnOutcome;
  error_code: ErrorCode | null;
  result_excerpt: string | null;
  began_at: string;
  ended_at: string | null;
}

export type OutsideTurnEvent =
  | {
      type: "OutsideTurnBegan";
      payload: { turn_id: string; thread_id: string; tool: string; origin: Origin; prompt?: string; began_at?: string };
    }
  | { type: "OutsideTurnEnded"; payload: { turn_id: string; thread_id: string } & OutsideTurnEnd };

export interface OutsideTurnEnd {
  outcome: OutsideTurnOutcome;
  error_code?: ErrorCode;
  error_details?: ErrorDetails;
  /**
   * What the agent said: the beginning, and the digest of `results/<turn_id>.md`; null: that file could not be written.
   * Absent: nothing was kept.
   */
  result_excerpt?: string;
  result_sha256?: string | null;
  model?: string;
  usage?: Usage;
}

export type OutsideTurnCommand =
  | ({ type: "begin_outside_turn" } & Extract<OutsideTurnEvent, { type: "OutsideTurnBegan" }>["payload"])
  /** `goes_on`: the agent has begun a turn of its own with a message that was sent into this one. */
  | ({ type: "end_outside_turn"; turn_id: string; goes_on?: boolean } & OutsideTurnEnd);
