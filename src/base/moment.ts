/** Arithmetic on times as they are on disk, ISO 8601 with milliseconds. Pure: it reads no clock. */

/** ECMA-262 has no dates beyond this. */
const LAST_MS = 8.64e15;

/** `at` plus the time from `from` to `to`; `to` itself if one of them is not a valid time. */
export function asMuchLater(at: string, from: string, to: string): string {
  const ms = Date.parse(at) + Date.parse(to) - Date.parse(from);
  return Math.abs(ms) <= LAST_MS ? new Date(ms).toISOString() : to;
}

/** Whether the first time is not after the second; the first in milliseconds since the epoch. */
export function isBy(ms: number, at: string): boolean {
  return ms <= Date.parse(at);
}
