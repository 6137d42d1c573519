/**
 * What Claude's `result` line means: how the run ended, what it used, and whether a retry may work soon. It is judged
 * by `is_error` (and an `error_…` subtype), never by `subtype: "success"`, which also appears on failures of the model.
 * Money and tokens of a resumed session count from the session's start; only those since the last result belong to this
 * run.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { oneLine } from "../process/excerpts.ts";
import { why } from "../process/failed.ts";
import { count, type Fields, inner, known, records, text } from "../process/fields.ts";
import type { Outcome, Usage } from "../contract/updates.ts";
import type { Limit } from "./limit.ts";

/** The command that logs in, for a terminal. */
export const LOGIN = "claude auth login";

/**
 * How the run failed, or null if it did not. `resume`: the session key it resumed; `limit`: the usage limit it ended
 * with.
 */
export function failureOf(result: Fields, resume: string | null, limit: Limit | null): Outcome | null {
  const subtype = text(result["subtype"]);
  if (result["is_error"] !== true && !subtype.startsWith("error")) return null;
  const reason = reasonOf(result);
  if (resume !== null && /No conversation found|--resume requires/.test(reason)) {
    return {
      outcome: "failed",
      code: "E_RESUME_UNKNOWN",
      details: { resume: "unknown", session: resume, ...why(reason) },
    };
  }
  const loggedOut = loginOf(reason);
  if (loggedOut !== null) return loggedOut;
  const status = count(result["api_error_status"]);
  const details: ErrorDetails = {
    ...why(reason, { because: "why_nothing_said" }),
    kind: text(result["terminal_reason"]) || subtype,
  };
  if (status !== undefined) details["status"] = status;
  if (limit !== null) {
    if (limit.resetsAt !== undefined) details["resets_at"] = limit.resetsAt;
    return { outcome: "failed", code: "E_USAGE_LIMIT", details };
  }
  if ((status ?? 0) >= 500 || (result["terminal_reason"] === "api_error" && TEMPORARY.test(reason)))
    details["temporary"] = true;
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details };
}

/**
 * The failure, if the reason is that nobody is logged in. Claude's own words name a command of its terminal, which
 * would be another command in Discord.
 */
export function loginOf(reason: string): Outcome | null {
  return /^(?:Not logged in|Invalid API key|OAuth token)\b.*\/login/.test(reason)
    ? { outcome: "failed", code: "E_AGENT_LOGIN", details: { tool: "claude", login: LOGIN } }
    : null;
}

export function usageOf(result: Fields): Usage {
  const since = Object.entries(inner(result, "model_usage_since_last_result"));
  const models = since.map(([, used]) => used).flatMap((used) => records([used]));
  const total = inner(result, "usage");
  const sum = (key: string): number | undefined =>
    models.length === 0 ? undefined : models.reduce((all, used) => all + (count(used[key]) ?? 0), 0);
  const dollars = sum("costUSD");
  const main = mainModel(inner(result, "modelUsage"));
  return known<Usage>({
    input: sum("inputTokens") ?? count(total["input_tokens"]),
    output: sum("outputTokens") ?? count(total["output_tokens"]),
    cacheRead: sum("cacheReadInputTokens") ?? count(total["cache_read_input_tokens"]),
    cacheWritten: sum("cacheCreationInputTokens") ?? count(total["cache_creation_input_tokens"]),
    cost: dollars === undefined ? undefined : { amount: dollars, currency: "USD" },
    durationMs: count(result["duration_ms"]),
    contextSize: count(main?.["contextWindow"]),
  });
}

/** Tokens in the context after one exchange: everything sent and everything returned. */
export function contextOf(usage: Fields): number {
  const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"];
  return parts.reduce((all, key) => all + (count(usage[key]) ?? 0), 0);
}

/** How Claude describes an overloaded service or a broken connection. */
const TEMPORARY =
  /\boverloaded\b|temporarily limiting requests|try again in a moment|Connection (?:error|closed)|Request timed out|fetch failed|ECONNRESET|socket hang up/i;

function reasonOf(result: Fields): string {
  const errors = Array.isArray(result["errors"]) ? result["errors"].filter((one) => typeof one === "string") : [];
  return oneLine(text(result["result"]) || errors.join("; ") || text(result["subtype"]));
}

/** The model with the most output; small models do side work. */
function mainModel(models: Fields): Fields | undefined {
  return records(Object.values(models)).sort(
    (a, b) => (count(b["outputTokens"]) ?? 0) - (count(a["outputTokens"]) ?? 0),
  )[0];
}
