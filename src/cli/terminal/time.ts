/**
 * Formats time for a terminal: in the owner's time zone, and durations in units that need no translation.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTimeZone, shownTime } from "../../base/local-time.ts";

/** `2026-02-26 14:21:00`, from an ISO 8601 time; any other text is returned unchanged. @param zone as in `zoneOf` */
export function localTime(iso: string, zone?: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : shownTime(at, zone);
}

/** The owner's time zone, from the config.json there; undefined: this machine's. What is wrong in it, others say. */
export function zoneOf(stateDir: string): string | undefined {
  try {
    const { time_zone } = JSON.parse(readFileSync(join(stateDir, "config.json"), "utf8")) as { time_zone?: unknown };
    return typeof time_zone === "string" && isTimeZone(time_zone) ? time_zone : undefined;
  } catch {
    return undefined;
  }
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
