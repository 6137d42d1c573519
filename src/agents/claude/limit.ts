/**
 * Claude's usage limits: whether a failure is one, and when it lifts. Newer versions report limits in fields with an
 * exact time. All versions report them in text, where the time is local to some time zone and has no seconds. A plain
 * 429 is a throttle, not a limit.
 */
import { count, type Fields, inner, text } from "../process/fields.ts";

/** `resetsAt` is in milliseconds since the epoch, if known. */
export interface Limit {
  resetsAt?: number;
}

/** The limit in a line's fields, or null. A limit that the account's credits cover does not count. */
export function limitTold(line: Fields): Limit | null {
  const own = inner(line, "rate_limit_info");
  const info = own["status"] === undefined ? inner(inner(line, "api_error_params"), "rate_limit_info") : own;
  if (info["status"] !== "rejected" || info["isUsingOverage"] === true) return null;
  return limit((count(info["resetsAt"]) ?? Number.NaN) * 1000);
}

/**
 * The limit that a failed result ended with, or null. `told`: from an earlier line; `now`: milliseconds since the
 * epoch.
 */
export function limitOf(result: Fields, told: Limit | null, now: number): Limit | null {
  const words = text(result["result"]);
  const isOne =
    result["api_error"] === "usage_limit_reached" ||
    LIMIT.test(words) ||
    (told !== null && result["api_error_status"] === 429);
  if (!isOne) return null;
  return told?.resetsAt === undefined ? limit(resetsAtOf(words, now) ?? Number.NaN) : told;
}

/** The wording from 1.0 to 2.1.329, including used-up credits and spending caps. */
const LIMIT =
  /^(?:You['’]ve (?:hit|reached) your |You['’]re out of (?:usage credits|extra usage)|Your org is out of usage|Claude (?:AI )?usage limit reached|(?:(?:Opus|Sonnet|Fable)(?: weekly)?|Weekly|Session|5-hour|Usage) limit reached)/;

/** When a limit lifts, according to its text: seconds since the epoch, or a local time with its zone. */
export function resetsAtOf(words: string, now: number): number | null {
  const seconds = /limit reached\|(\d{10})\b/.exec(words)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const found = CLOCK.exec(words);
  if (!found) return null;
  const [, monthName = "", day, year, hour, minute = "0", half, zone] = found;
  const time = (Number(hour) % 12) * 60 + (half?.toLowerCase() === "pm" ? 720 : 0) + Number(minute) + 1;
  const today = wall(now, zone);
  if (today === null) return null;
  // Without a date it is the next time the clock shows this time; without a year, the next such day.
  const date = new Date(today);
  const month = monthName === "" ? date.getUTCMonth() : MONTHS.indexOf(monthName.toLowerCase());
  const on = (years: number, days: number): number =>
    instant(
      Date.UTC(Number(year ?? date.getUTCFullYear() + years), month, Number(day ?? date.getUTCDate()) + days, 0, time),
      zone,
    );
  const first = on(0, 0);
  if (first > now || year !== undefined) return first;
  return monthName === "" ? on(0, 1) : first > now - DAY_MS ? first : on(1, 0);
}

/**
 * `resets 3pm`, `resets 3:22am (America/New_York)`, `resets Nov 23, 8:35pm (…)`, `resets Jan 18, 2027, 1:25pm (…)`,
 * `will reset at 7pm (…)`.
 */
const CLOCK =
  /\breset(?:s|s at| at) (?:([A-Z][a-z]{2}) (\d{1,2})(?:, (\d{4}))?(?:,| at) )?(\d{1,2})(?::(\d{2}))?\s?([ap]m)\b(?: \(([\w+/-]+)\))?/i;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY_MS = 24 * 60 * 60_000;

function limit(resetsAt: number): Limit {
  return Number.isFinite(resetsAt) && resetsAt > 0 ? { resetsAt } : {};
}

/**
 * The local time in a zone at an instant, encoded as if it were UTC; null if the zone does not exist. Default: our
 * zone.
 */
function wall(at: number, zone: string | undefined): number | null {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(
      part["year"] ?? 0,
      (part["month"] ?? 1) - 1,
      part["day"],
      part["hour"],
      part["minute"],
      part["second"],
    );
  } catch {
    return null;
  }
}

/** The instant of a local time. A time skipped by a clock change gets the offset from before or after the change. */
function instant(shown: number, zone: string | undefined): number {
  const offset = (at: number): number => (wall(at, zone) ?? at) - at;
  const guess = shown - offset(shown);
  return shown - offset(guess);
}
