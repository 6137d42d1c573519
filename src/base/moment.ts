/** Reckoning with moments as they stand on disk, ISO 8601 with milliseconds. Pure: it asks no clock. */

/** Beyond it there are no dates, by ECMA-262. */
const LAST_MS = 8.64e15;

/** The moment as much later than `at` as `to` is later than `from`; `to` itself where one of them is no time. */
export function asMuchLater(at: string, from: string, to: string): string {
  const ms = Date.parse(at) + Date.parse(to) - Date.parse(from);
  return Math.abs(ms) <= LAST_MS ? new Date(ms).toISOString() : to;
}
