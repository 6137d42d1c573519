/** How long a question can be put off, and when that ends, in the machine's own time zone. */

export const SNOOZES = ["15m", "1h", "9h"] as const;
export type SnoozeChoice = (typeof SNOOZES)[number];

const MINUTE_MS = 60_000;
const MORNING_HOUR = 9;

export function isSnooze(detail: string): detail is SnoozeChoice {
  return (SNOOZES as readonly string[]).includes(detail);
}

/** Milliseconds since the epoch. */
export function snoozedUntil(choice: SnoozeChoice, now: number): number {
  if (choice === "15m") return now + 15 * MINUTE_MS;
  if (choice === "1h") return now + 60 * MINUTE_MS;
  const today = new Date(now);
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1, MORNING_HOUR).getTime();
}
