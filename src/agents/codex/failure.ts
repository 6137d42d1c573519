/**
 * What the message of a failed turn means. Codex has no error codes, only sentences (those of 0.169 are known here), so
 * only what is certain is read from each: a usage limit with the time it lifts, a temporary error, the status of the
 * model's API, and otherwise just the text.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { why } from "../process/failed.ts";
import { count, inner, parseLine, text } from "../process/fields.ts";
import type { Outcome } from "../contract/updates.ts";

/** The command that logs in, for a terminal. */
export const LOGIN = "codex login";

/**
 * @param message the agent's sentence
 * @param untouched whether the turn had produced nothing before it
 * @param now milliseconds since the epoch: a limit that lifts today is given as a time of day only
 */
export function failureOf(message: string, untouched: boolean, now: number): Extract<Outcome, { outcome: "failed" }> {
  const said = why(wordsOf(message), { because: "why_nothing_said" });
  if (LIMIT.test(message)) {
    const resetsAt = resetsAtOf(message, now);
    const details: ErrorDetails = resetsAt === null ? said : { ...said, resets_at: resetsAt };
    return { outcome: "failed", code: "E_USAGE_LIMIT", details };
  }
  if (/401 Unauthorized: Missing bearer/.test(message))
    return { outcome: "failed", code: "E_AGENT_LOGIN", details: { login: LOGIN } };
  const details: ErrorDetails = { ...said };
  const status = Number(/\bstatus:? (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  if (count(status) !== undefined) details["status"] = status;
  // After any output, tools may have run too: Codex does not report a command that the sandbox stopped half-way.
  if (untouched && (TEMPORARY.test(message) || status >= 500)) details["temporary"] = true;
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details };
}

/** A plan's limit, and used-up credits or spending caps. Codex writes a typographic apostrophe. */
const LIMIT = /You['’]ve hit your usage limit|out of credits|You hit your spend cap/;

/** Codex reports status 500 as high demand. A plain 429 is not listed: an immediate retry would be too soon. */
const TEMPORARY = /currently experiencing high demand|stream disconnected before completion/;

/**
 * When the limit lifts, or null if unknown. Codex gives the agent's local time, which is ours: only the time of day if
 * it is today, else with the date; without seconds in both cases, so the end of that minute is used.
 */
export function resetsAtOf(message: string, now: number): number | null {
  const found = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2}) ([AP]M)/.exec(
    message,
  );
  if (!found) return null;
  const [, monthName, day, year, hour, minute, half] = found;
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  const today = new Date(now);
  if (monthName === undefined)
    return new Date(today.getFullYear(), today.getMonth(), today.getDate(), hours, Number(minute) + 1).getTime();
  const month = MONTHS.indexOf(monthName);
  return month < 0 ? null : new Date(Number(year), month, Number(day), hours, Number(minute) + 1).getTime();
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Some failures are the unchanged response of the model's API. */
function wordsOf(message: string): string {
  const body = parseLine(message);
  return body === null ? message : text(inner(body, "error")["message"]) || message;
}
