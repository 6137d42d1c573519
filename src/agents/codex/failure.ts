/**
 * What the words of a failed turn mean. Codex has no codes for its failures, only sentences (those of 0.169 are
 * known here), so each is taken for what it surely says: a usage limit with the time it lifts, an error that may
 * pass by itself, the status of the model's API, and otherwise just its words.
 */
import type { ErrorDetails } from "../../base/errors.ts";
import { oneLine } from "../excerpts.ts";
import { count, inner, parseLine, text } from "../fields.ts";
import type { Outcome, Update } from "../updates.ts";

export interface Failure {
  /** The `limit` that comes before the end, where it is one. */
  updates: Update[];
  outcome: Outcome;
}

/**
 * @param message the agent's sentence
 * @param untouched whether nothing of the turn came before it
 * @param now milliseconds since the epoch: a limit that lifts today is told by the hour alone
 */
export function failureOf(message: string, untouched: boolean, now: number): Failure {
  const reason = oneLine(wordsOf(message) || "no reason given");
  if (LIMIT.test(message)) {
    const resetsAt = resetsAtOf(message, now);
    const details: ErrorDetails = resetsAt === null ? { reason } : { reason, resets_at: resetsAt };
    const limit: Update = resetsAt === null ? { kind: "limit" } : { kind: "limit", resetsAt };
    return { updates: [limit], outcome: { outcome: "failed", code: "E_USAGE_LIMIT", details } };
  }
  const details: ErrorDetails = { reason };
  const status = Number(/\bstatus:? (\d{3})\b/.exec(message)?.[1] ?? Number.NaN);
  if (count(status) !== undefined) details["status"] = status;
  // Once anything of the answer was there, tools may have run too: a command that the sandbox refused half-way is not told.
  if (untouched && (TEMPORARY.test(message) || status >= 500)) details["temporary"] = true;
  return { updates: [], outcome: { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details } };
}

/** The limit of a plan, and credits or a spending cap that are used up. The apostrophe is a typographic one. */
const LIMIT = /You['’]ve hit your usage limit|out of credits|You hit your spend cap/;

/** High demand is what an answer of status 500 is told as. A plain 429 is no such thing: at once again is too soon. */
const TEMPORARY = /currently experiencing high demand|stream disconnected before completion/;

/**
 * When the limit lifts, or null: not told. Told in the agent's local time, which is ours: by the hour where it is
 * today, else with the date; both without seconds, so the minute's end is what is sure.
 */
export function resetsAtOf(message: string, now: number): number | null {
  const found = /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2}) ([AP]M)/.exec(message);
  if (!found) return null;
  const [, monthName, day, year, hour, minute, half] = found;
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  const today = new Date(now);
  if (monthName === undefined) return new Date(today.getFullYear(), today.getMonth(), today.getDate(), hours, Number(minute) + 1).getTime();
  const month = MONTHS.indexOf(monthName);
  return month < 0 ? null : new Date(Number(year), month, Number(day), hours, Number(minute) + 1).getTime();
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Some failures are the answer of the model's API as it came. */
function wordsOf(message: string): string {
  const body = parseLine(message);
  return body === null ? message : text(inner(body, "error")["message"]) || message;
}
