/** Ends of a decision without an answer of its owner in Discord. */
import type { ErrorCode, ErrorDetails } from "../../base/errors.ts";

/**
 * `asker_gone`: the process that asked has ended; `withdrawn`: its agent no longer wants it; `no_place`: nowhere to
 * ask; `terminal`: it was settled in the agent's terminal; `too_long`: it cannot be shown, and its agent was told so;
 * `untold`: nobody hears an answer any more, but its dialog may stand in the terminal; `locked`: Bellhop was locked.
 */
export type VoidedWhy = "asker_gone" | "withdrawn" | "no_place" | "terminal" | "too_long" | "untold" | "locked";

/** Why it cannot be shown: what there is too much of, how much it is at least, and how much may be. */
export interface Excess {
  of: "bytes" | "pages" | "values" | "characters";
  count: number;
  most: number;
}

/** What was decided in the terminal. */
export type TerminalOutcome = "allowed" | "denied" | "answered";

/** What is known of the end, beside why. */
export interface VoidedBecause {
  /**
   * Why it was never shown: what there is too much of. Its subject's digest is that of nothing. Absent: it was shown.
   */
  excess?: Excess;
  /** If it was settled in the terminal: what was decided there, if known. */
  outcome?: TerminalOutcome;
  /** What was said there: the answers to its questions, or the reason of a no. Absent: nothing is known. */
  said?: (string | null)[];
  /** Why there was no place for it; absent: there was, or its channel is not one of ours. */
  refused?: { code: ErrorCode; details: ErrorDetails };
}
