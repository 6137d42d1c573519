/**
 * What Gemini's failure messages mean: the status of the model's API, whether the account's quota is used up and when
 * it resets, and whether a retry may work soon. Nothing is guessed: an unknown message is just a failure.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { why } from "../process/failed.ts";
import type { TurnEnded } from "../contract/updates.ts";

/** The command that logs in, for a terminal. */
export const LOGIN = "gemini";

export interface Failure {
  words: string;
  /** The status of the model's API, if reported elsewhere. */
  status?: number | undefined;
  /** When the message was written, milliseconds since the epoch; the text contains only a duration. */
  at?: number | undefined;
  /** Whether all tools that ran were seen; otherwise the prompt must not be retried automatically. */
  toolsSeen: boolean;
  exitCode?: number | undefined;
}

/** The agent itself waits no longer than this and treats a longer wait as a used-up quota. */
export const LONGEST_THROTTLE_MS = 300_000;

const USED_UP =
  /exhausted your (?:daily quota|capacity)|quota will reset after|usage limit reached|(?:requests|tokens) per day|limit:\s*0(?![.\d])/i;
const BROKEN =
  /fetch failed|ECONNRESET|ETIMEDOUT|EPIPE|socket hang up|premature close|incomplete json|overloaded|UNAVAILABLE|no capacity available/i;

export function failureOf(failure: Failure): Extract<TurnEnded, { outcome: "failed" }> {
  const { words, at, toolsSeen, exitCode } = failure;
  if (/Please set an Auth method/.test(words))
    return { kind: "end", outcome: "failed", code: "E_AGENT_LOGIN", details: { login: LOGIN } };
  const status = statusOf(words) ?? failure.status;
  const delay = delayOf(words);
  const limited = (USED_UP.test(words) && delay !== 0) || (delay ?? 0) > LONGEST_THROTTLE_MS;
  const details: ErrorDetails = {
    ...why(words, { because: "why_nothing_said" }),
    ...(status !== undefined && { status }),
    ...(exitCode !== undefined && { exit_code: exitCode }),
  };
  if (!limited) {
    const passing = status === 429 || (status ?? 0) >= 500 || BROKEN.test(words);
    if (passing && toolsSeen) details["temporary"] = true;
    return { kind: "end", outcome: "failed", code: "E_CLI_EXIT_NONZERO", details };
  }
  const resetsAt = at !== undefined && delay !== undefined ? at + delay : undefined;
  if (resetsAt !== undefined) details["resets_at"] = resetsAt;
  if (!toolsSeen) details["tools"] = "unknown";
  return { kind: "end", outcome: "failed", code: "E_USAGE_LIMIT", details };
}

function statusOf(words: string): number | undefined {
  const code = /"code"\s*:\s*(\d{3})\b/.exec(words) ?? /\bstatus:? (\d{3})\b/i.exec(words);
  if (code) return Number(code[1]);
  // Gemini adds this text to every 429, whatever the API itself said.
  return /RESOURCE_EXHAUSTED|request a quota increase/.test(words) ? 429 : undefined;
}

/** `reset after 2h29m39s`, `retry in 12.5s`, `retry after 60s`: milliseconds. */
function delayOf(words: string): number | undefined {
  const found = /(?:reset|retry) (?:after|in) ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i.exec(words);
  if (!found) return undefined;
  const units: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const parts = [...found[1]!.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|[dhms])/gi)];
  return Math.round(parts.reduce((all, [, count, unit]) => all + Number(count) * (units[unit!.toLowerCase()] ?? 0), 0));
}
