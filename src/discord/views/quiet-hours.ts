/**
 * The hours in which nothing calls the owner, in the machine's own time zone: whether it is one now, and when they end.
 */

/**
 * When the current quiet hours end; null if it is not quiet now. Milliseconds since the epoch.
 * @param hours such as `22:00-08:00`, as in the setting; undefined: never
 */
export function quietUntil(now: number, hours: string | undefined): number | null {
  if (hours === undefined) return null;
  const [beginHour = 0, beginMinute = 0, endHour = 0, endMinute = 0] = hours.split(/[:-]/).map(Number);
  const begin = beginHour * 60 + beginMinute;
  const end = endHour * 60 + endMinute;
  const local = new Date(now);
  const minute = local.getHours() * 60 + local.getMinutes();
  const overnight = begin > end;
  const isQuiet = overnight ? minute >= begin || minute < end : minute >= begin && minute < end;
  if (!isQuiet) return null;
  const tomorrow = overnight && minute >= begin ? 1 : 0;
  const over = new Date(
    local.getFullYear(),
    local.getMonth(),
    local.getDate() + tomorrow,
    endHour,
    endMinute,
  ).getTime();
  // On the night of a clock change, the end may be a time that does not exist.
  return over > now ? over : now + 60_000;
}
