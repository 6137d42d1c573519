/**
 * Discord's rate-limit buckets, as its headers describe them. An unknown bucket gets one request at a time; a known
 * one never gets more than its window allows. Requests in flight count as used, because they may not have been counted
 * yet when the last answer was written.
 */
import type { Priority } from "./priority.ts";
import type { Route } from "./route.ts";
import type { Limits } from "./transport.ts";

/** Times are by the monotonic clock, in milliseconds. */
export interface Bucket {
  key: string;
  /** Null until an answer gives it. */
  limit: number | null;
  remaining: number;
  resetAt: number;
  /** The window's end by Discord's own clock, which tells two windows apart. */
  reset: number;
  inFlight: number;
  /** Nothing is sent in it before this: a 429 said so, or Discord has trouble there. */
  blockedUntil: number;
  /** Lost answers in a row. */
  lostInARow: number;
  lostAt: number;
}

export interface Buckets {
  of(route: Route): Bucket;
  /** Applies an answer's headers; returns the actual bucket, which may be another than was assumed. */
  learn(route: Route, limits: Limits, now: number): Bucket;
}

/** The ends named in answers of one window differ only by rounding; windows are at least 250 ms long. */
const SAME_WINDOW_MS = 100;
const KEPT = 1000;

export function createBuckets(): Buckets {
  const buckets = new Map<string, Bucket>();
  const hashes = new Map<string, string>();
  /** The name of a route's buckets before its hash was known, or changed. */
  const earlier = new Map<string, string>();

  function at(key: string): Bucket {
    let bucket = buckets.get(key);
    if (!bucket) buckets.set(key, (bucket = unknownBucket(key)));
    return bucket;
  }

  function of({ name, major }: Route): Bucket {
    const key = `${earlier.get(name)} ${major}`;
    const before = buckets.get(key);
    // Another channel's answer may give the hash while a request of this one is in flight: that request counts in the
    // bucket it was sent in, and a second one beside it would be the first in a bucket that only seems new.
    if (before && before.inFlight > 0) return before;
    const bucket = at(`${hashes.get(name) ?? name} ${major}`);
    if (before) {
      buckets.delete(key);
      inherit(bucket, before);
    }
    return bucket;
  }

  function learn(route: Route, limits: Limits, now: number): Bucket {
    const known = hashes.get(route.name) ?? route.name;
    if (known !== limits.bucket) earlier.set(route.name, known);
    hashes.set(route.name, limits.bucket);
    const bucket = of(route);
    note(bucket, limits, now);
    if (buckets.size > KEPT) forgetIdle(buckets, now);
    return bucket;
  }

  return { of, learn };
}

/**
 * When a request of this priority may be sent: now or earlier for at once, Infinity for not before an answer arrives.
 */
export function opensAt(bucket: Bucket, priority: Priority, now: number): number {
  if (now < bucket.blockedUntil) return bucket.blockedUntil;
  if (bucket.limit === null) return bucket.inFlight === 0 ? now : Number.POSITIVE_INFINITY;
  // A request that nobody waits for leaves the last place of a window to those that somebody may be waiting for.
  const places = priority === "cosmetic" && bucket.limit > 1 ? 2 : 1;
  const fresh = bucket.limit - bucket.inFlight;
  if (now >= bucket.resetAt) return fresh >= places ? now : Number.POSITIVE_INFINITY;
  if (bucket.remaining - bucket.inFlight >= places) return now;
  return fresh >= places ? bucket.resetAt : Number.POSITIVE_INFINITY;
}

function note(bucket: Bucket, limits: Limits, now: number): void {
  const resetAt = now + limits.resetAfterMs;
  bucket.limit = limits.limit;
  if (limits.reset > bucket.reset + SAME_WINDOW_MS) {
    bucket.reset = limits.reset;
    bucket.remaining = limits.remaining;
    bucket.resetAt = resetAt;
  } else if (limits.reset >= bucket.reset - SAME_WINDOW_MS) {
    // Answers overtake each other, so the lowest count and the latest end apply.
    bucket.remaining = Math.min(bucket.remaining, limits.remaining);
    bucket.resetAt = Math.max(bucket.resetAt, resetAt);
  }
}

/** What was learnt of a bucket under its earlier name applies under its new one: a 429 need not name its bucket. */
function inherit(bucket: Bucket, before: Bucket): void {
  for (const fact of ["blockedUntil", "lostInARow", "lostAt"] as const) {
    bucket[fact] = Math.max(bucket[fact], before[fact]);
  }
}

function unknownBucket(key: string): Bucket {
  return {
    key,
    limit: null,
    remaining: 0,
    resetAt: 0,
    reset: 0,
    inFlight: 0,
    blockedUntil: 0,
    lostInARow: 0,
    lostAt: Number.NEGATIVE_INFINITY,
  };
}

function forgetIdle(buckets: Map<string, Bucket>, now: number): void {
  for (const [key, bucket] of buckets) {
    if (bucket.inFlight === 0 && now >= bucket.resetAt && now >= bucket.blockedUntil) buckets.delete(key);
  }
}
