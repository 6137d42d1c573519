/**
 * What Gemini's words about a failure mean: which status the model's API gave, whether the account's quota is used up
 * and when it is filled again, and whether the same may work in a moment. Nothing is guessed: words that are not
 * known here are a failure and no more.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { oneLine } from "../excerpts.ts";
import { known } from "../fields.ts";
import type { RunEnded, Update } from "../updates.ts";

export interface Failure {
  words: string;
  /** Of the model's API, where it was said elsewhere. */
  status?: number | undefined;
  /** When it was said, milliseconds since the epoch; the words name only how long it lasts. */
  at?: number | undefined;
  /** Whether all tools that ran were seen; else nobody may start the same again by himself. */
  toolsSeen: boolean;
  exitCode?: number | undefined;
}

/** Longer than this the agent itself does not wait, and takes it for a quota that is used up. */
export const LONGEST_THROTTLE_MS = 300_000;

const USED_UP = /exhausted your (?:daily quota|capacity)|quota will reset after|usage limit reached|(?:requests|tokens) per day|limit:\s*0(?![.\d])/i;
const BROKEN = /fetch failed|ECONNRESET|ETIMEDOUT|EPIPE|socket hang up|premature close|incomplete json|overloaded|UNAVAILABLE|no capacity available/i;

/** The updates before the end, and the end. */
export function failureOf(failure: Failure): { updates: Update[]; end: RunEnded } {
  const { words, at, toolsSeen, exitCode } = failure;
  const status = statusOf(words) ?? failure.status;
  const delay = delayOf(words);
  const limited = (USED_UP.test(words) && delay !== 0) || (delay ?? 0) > LONGEST_THROTTLE_MS;
  const details: ErrorDetails = { reason: oneLine(words) || "no reason given", ...known<Record<string, number>>({ status, exit_code: exitCode }) };
  if (!limited) {
    const passing = status === 429 || (status ?? 0) >= 500 || BROKEN.test(words);
    if (passing && toolsSeen) details["temporary"] = true;
    return { updates: [], end: { kind: "end", outcome: "failed", code: "E_CLI_EXIT_NONZERO", details } };
  }
  const resetsAt = at !== undefined && delay !== undefined ? at + delay : undefined;
  if (resetsAt !== undefined) details["resets_at"] = resetsAt;
  if (!toolsSeen) details["tools"] = "unknown";
  return {
    updates: [{ kind: "limit", ...known<{ resetsAt: number }>({ resetsAt }) }],
    end: { kind: "end", outcome: "failed", code: "E_USAGE_LIMIT", details },
  };
}

function statusOf(words: string): number | undefined {
  const code = /"code"\s*:\s*(\d{3})\b/.exec(words) ?? /\bstatus:? (\d{3})\b/i.exec(words);
  if (code) return Number(code[1]);
  // What it adds to every 429, whatever the API itself said.
  return /RESOURCE_EXHAUSTED|request a quota increase/.test(words) ? 429 : undefined;
}

/** `reset after 2h29m39s`, `retry in 12.5s`, `retry after 60s`: milliseconds. */
function delayOf(words: string): number | undefined {
  const found = /(?:reset|retry) (?:after|in) ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i.exec(words);
  if (!found) return undefined;
  const units: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  const parts = [...found[1]!.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/gi)];
  return Math.round(parts.reduce((all, [, count, unit]) => all + Number(count) * (units[unit!.toLowerCase()] ?? 0), 0));
}
