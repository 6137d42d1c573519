/**
 * When the next IDENTIFY may be sent. Discord allows 1,000 a day, and a bot that spends them all loses its token, so a
 * daemon that its supervisor starts again and again, or a session that never lasts, gets slower and slower: never more
 * than 20 a day by restarting. Pure; a resume costs none of this.
 */
export interface Identify {
  /** Milliseconds on the monotonic clock; may be negative, for a time before this run began. */
  at: number;
  /** Whether the connection that followed lasted; then it does not count against us. */
  lasted: boolean;
  /** Sent by an earlier run of the daemon. */
  earlier: boolean;
}

/** `session_start_limit` of `GET /gateway/bot`. */
export interface StartLimit {
  remaining: number;
  reset_after: number;
  max_concurrency: number;
}

export type Reason = "day" | "restarts" | "short_sessions" | "pace";

const DAY_MS = 24 * 60 * 60_000;
/** Below this many left today we wait for Discord's new count: others may use the same token. */
const RESERVE = 50;
/** This many in a row are free, for somebody who is trying things out. */
const FREE = 10;
const FIRST_WAIT_MS = { restarts: 2 * 60_000, short_sessions: 30_000 };
/** We have to end a restart loop; short sessions may be an outage of Discord's that ends by itself. */
const LONGEST_WAIT_MS = { restarts: 8 * 60 * 60_000, short_sessions: 15 * 60_000 };
/** Minimum time between two, if only one may identify at a time. */
const PACE_MS = 5_000;

/** How long to wait from `now`, in milliseconds, and why; null: it may be sent. `past` is in order of time. */
export function identifyWait(past: readonly Identify[], limit: StartLimit, now: number): { ms: number; why: Reason } | null {
  if (limit.remaining < RESERVE) return { ms: Math.max(1_000, limit.reset_after), why: "day" };
  const last = past.at(-1);
  if (!last) return null;
  const why = last.earlier ? "restarts" : "short_sessions";
  const inRow = past.slice(past.findLastIndex((one) => one.lasted) + 1).filter((one) => one.at > now - DAY_MS && one.earlier === last.earlier).length;
  const wait = inRow < FREE ? 0 : Math.min(LONGEST_WAIT_MS[why], FIRST_WAIT_MS[why] * 2 ** (inRow - FREE));
  const ms = last.at + wait - now;
  if (ms > 0) return { ms, why };
  const pace = limit.max_concurrency > 1 ? 0 : last.at + PACE_MS - now;
  return pace > 0 ? { ms: pace, why: "pace" } : null;
}
