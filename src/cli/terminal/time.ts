/**
 * Formats time for a terminal: the machine's own zone, and durations in units that need no translation.
 */

/** `2026-02-26 14:21:00`, from an ISO 8601 time; any other text is returned unchanged. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (number: number): string => String(number).padStart(2, "0");
  const day = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return `${day} ${[two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join(":")}`;
}

/** `12 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. @param ms milliseconds; negative counts as 0 */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
