/**
 * What clocks show in a time zone: an IANA name, or undefined for this machine's. A shown time is encoded as if it were
 * UTC, so it is taken apart by `getUTCHours` and the like, and put together by `Date.UTC`.
 */

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

export function isTimeZone(name: string): boolean {
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/** The shown time at an instant, both in milliseconds. @throws RangeError if there is no such zone */
export function shownAt(at: number, zone?: string): number {
  if (zone === undefined) return at - new Date(at).getTimezoneOffset() * 60_000;
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day, hour, minute, second } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (at % 1000);
}

/**
 * When clocks show that time: the first time if they show it twice; if they skip it, as long after the change as it is
 * after the skipped hour began.
 * @throws RangeError if there is no such zone
 */
export function instantOf(shown: number, zone?: string): number {
  const offset = (at: number): number => shownAt(at, zone) - at;
  const before = shown - offset(shown - DAY_MS);
  const after = shown - offset(shown + DAY_MS);
  return shownAt(after, zone) === shown && shownAt(before, zone) !== shown ? after : before;
}

/** `2026-02-26 14:21:00`, in the zone. */
export function shownTime(at: number, zone?: string): string {
  return new Date(shownAt(at, zone)).toISOString().slice(0, 19).replace("T", " ");
}

/** The day of an instant in the zone: from midnight to midnight, all in ISO 8601. */
export function dayAt(at: string, zone?: string): { from: string; until: string } {
  const midnight = Math.floor(shownAt(Date.parse(at), zone) / DAY_MS) * DAY_MS;
  const iso = (shown: number): string => new Date(instantOf(shown, zone)).toISOString();
  return { from: iso(midnight), until: iso(midnight + DAY_MS) };
}
