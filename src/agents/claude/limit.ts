/**
 * Claude's usage limits: whether a failure is one, and when it lifts. Newer versions say so in fields, whose time is
 * exact; all say it in words, in which the time is that of a clock on the wall of some zone, cut to the minute. A plain
 * 429 is a throttle and no limit.
 */
import { count, type Fields, inner, text } from "../fields.ts";

/** `resetsAt` is milliseconds since the epoch, where told. */
export interface Limit {
  resetsAt?: number;
}

/** The limit that a line tells in its fields, or null. One that credits carry the account over stands in nobody's way. */
export function limitTold(line: Fields): Limit | null {
  const own = inner(line, "rate_limit_info");
  const info = own["status"] === undefined ? inner(inner(line, "api_error_params"), "rate_limit_info") : own;
  if (info["status"] !== "rejected" || info["isUsingOverage"] === true) return null;
  return limit((count(info["resetsAt"]) ?? Number.NaN) * 1000);
}

/** The limit that a failed result ended with, or null. `told`: by a line before it; `now`: milliseconds since the epoch. */
export function limitOf(result: Fields, told: Limit | null, now: number): Limit | null {
  const words = text(result["result"]);
  const isOne = result["api_error"] === "usage_limit_reached" || LIMIT.test(words) || (told !== null && result["api_error_status"] === 429);
  if (!isOne) return null;
  return told?.resetsAt === undefined ? limit(resetsAtOf(words, now) ?? Number.NaN) : told;
}

/** From 1.0 to 2.1.329; credits and spending caps that are used up among them. */
const LIMIT =
  /^(?:You['’]ve (?:hit|reached) your |You['’]re out of (?:usage credits|extra usage)|Your org is out of usage|Claude (?:AI )?usage limit reached|(?:(?:Opus|Sonnet|Fable)(?: weekly)?|Weekly|Session|5-hour|Usage) limit reached)/;

/** When a limit lifts, as its words have it: seconds since the epoch, or a wall's clock with its zone. */
export function resetsAtOf(words: string, now: number): number | null {
  const seconds = /limit reached\|(\d{10})\b/.exec(words)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const found = CLOCK.exec(words);
  if (!found) return null;
  const [, monthName = "", day, year, hour, minute = "0", half, zone] = found;
  const time = (Number(hour) % 12) * 60 + (half?.toLowerCase() === "pm" ? 720 : 0) + Number(minute) + 1;
  const today = wall(now, zone);
  if (today === null) return null;
  // Without a date it is the next time that clock shows it, without a year the next such day.
  const date = new Date(today);
  const month = monthName === "" ? date.getUTCMonth() : MONTHS.indexOf(monthName.toLowerCase());
  const on = (years: number, days: number): number =>
    instant(Date.UTC(Number(year ?? date.getUTCFullYear() + years), month, Number(day ?? date.getUTCDate()) + days, 0, time), zone);
  const first = on(0, 0);
  if (first > now || year !== undefined) return first;
  return monthName === "" ? on(0, 1) : first > now - DAY_MS ? first : on(1, 0);
}

/** `resets 3pm`, `resets 3:22am (America/New_York)`, `resets Nov 23, 8:35pm (…)`, `resets Jan 18, 2027, 1:25pm (…)`, `will reset at 7pm (…)`. */
const CLOCK = /\breset(?:s|s at| at) (?:([A-Z][a-z]{2}) (\d{1,2})(?:, (\d{4}))?(?:,| at) )?(\d{1,2})(?::(\d{2}))?\s?([ap]m)\b(?: \(([\w+/-]+)\))?/i;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY_MS = 24 * 60 * 60_000;

function limit(resetsAt: number): Limit {
  return Number.isFinite(resetsAt) && resetsAt > 0 ? { resetsAt } : {};
}

/** What the clock on the wall of a zone shows at an instant, read as if it were UTC; null: no such zone. Without a zone: ours. */
function wall(at: number, zone: string | undefined): number | null {
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(part["year"] ?? 0, (part["month"] ?? 1) - 1, part["day"], part["hour"], part["minute"], part["second"]);
  } catch {
    return null;
  }
}

/** The instant at which the wall's clock shows this. Of an hour that a change of the clocks skips: that long after it. */
function instant(shown: number, zone: string | undefined): number {
  const offset = (at: number): number => (wall(at, zone) ?? at) - at;
  const guess = shown - offset(shown);
  return shown - offset(guess);
}
