/**
 * When Discord lets a request through: the rate limit of its bucket, the one over all buckets, and the ban that too
 * many refused requests lead to. Nothing here waits; each says from when a request may be sent.
 */
import {
  type Route,
  type BucketLimits,
  RestFailure,
  type FailureKind,
  routeOf,
  type OutgoingRequest,
} from "./transport.ts";

/** Times are by the monotonic clock, in milliseconds. */
export interface Bucket {
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

interface Buckets {
  of(route: Route): Bucket;
  /** Applies an answer's headers; returns the actual bucket, which may be another than was assumed. */
  applyLimits(route: Route, limits: BucketLimits, now: number): Bucket;
}

/** The ends named in answers of one window differ only by rounding; windows are at least 250 ms long. */
const SAME_WINDOW_MS = 100;
const KEPT = 1000;

/**
 * The buckets as Discord's headers describe them. An unknown bucket gets one request at a time; a known one never gets
 * more than its window allows. Requests in flight count as used, because they may not have been counted yet when the
 * last answer was written.
 */
export function createBuckets(): Buckets {
  const buckets = new Map<string, Bucket>();
  const hashes = new Map<string, string>();
  /** The name of a route's buckets before its hash was known, or changed. */
  const earlier = new Map<string, string>();

  function at(key: string): Bucket {
    let bucket = buckets.get(key);
    if (!bucket) buckets.set(key, (bucket = unknownBucket()));
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

  function learn(route: Route, limits: BucketLimits, now: number): Bucket {
    const known = hashes.get(route.name) ?? route.name;
    if (known !== limits.bucket) earlier.set(route.name, known);
    hashes.set(route.name, limits.bucket);
    const bucket = of(route);
    note(bucket, limits, now);
    if (buckets.size > KEPT) forgetIdle(buckets, now);
    return bucket;
  }

  return { of, applyLimits: learn };
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

function note(bucket: Bucket, limits: BucketLimits, now: number): void {
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

function unknownBucket(): Bucket {
  return {
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

interface GlobalRateLimit {
  takeSlot(): void;
  giveBack(now: number): void;
  /** When a request of this priority may be sent; Infinity: when one in flight is back. */
  opensAt(priority: Priority, now: number): number;
}

const SECOND_MS = 1000;
const places: Record<Priority, number> = { decision: 50, result: 45, cosmetic: 40 };

/**
 * Fifty requests a second, over all buckets. A place is taken when a request is sent and given back a second after its
 * answer arrives: whenever in between Discord counted it, no second ever holds more than fifty. A higher priority may
 * use more of them.
 */
export function createGlobalRateLimit(): GlobalRateLimit {
  let underWay = 0;
  /** When answers arrived, the oldest first. */
  const answered: number[] = [];

  return {
    takeSlot() {
      underWay += 1;
    },
    giveBack(now) {
      underWay -= 1;
      answered.push(now);
    },
    opensAt(priority, now) {
      while (answered[0] !== undefined && answered[0] + SECOND_MS <= now) answered.shift();
      const over = underWay + answered.length - places[priority];
      if (over < 0) return now;
      const at = answered[over];
      return at === undefined ? Number.POSITIVE_INFINITY : at + SECOND_MS;
    },
  };
}

interface InvalidRequestGuard {
  /** Counts an answer. Refused: 401, 403, or a 429 that is not shared with others. */
  countAnswer(route: string, refused: boolean, now: number): void;
  /**
   * When a request of this route may be sent; `inFlight` is the number in flight; Infinity: when one of those is back.
   */
  opensAt(route: string, inFlight: number, now: number): number;
  /** Refusals in the last ten minutes. */
  count(now: number): number;
  /** Routes waiting for the count to fall. */
  paused(now: number): string[];
}

const WINDOW_MS = 10 * 60_000;
const PAUSE_AT = 200;
const PROBE_AT = 1000;
const PROBE_EVERY_MS = 60_000;
/** This many refusals in a row, with nothing else between, are not the fault of one route. */
const STORM = 10;

/**
 * Counts the requests that Discord refused. At 10,000 answers of 401, 403 or 429 in ten minutes it bans the machine's
 * address, for every bot behind it; so at 200, routes that keep being refused are paused, at 1,000 everything but one
 * probe a minute, and when only refusals come back we slow down long before either.
 */
export function createInvalidRequestGuard(): InvalidRequestGuard {
  let refusals: number[] = [];
  let inARow = 0;
  const suspects = new Set<string>();

  function count(now: number): number {
    if (refusals.length === 0) return 0;
    const first = refusals.findIndex((at) => at > now - WINDOW_MS);
    if (first !== 0) refusals = first === -1 ? [] : refusals.slice(first);
    return refusals.length;
  }

  function note(route: string, refused: boolean, now: number): void {
    if (refused) {
      refusals.push(now);
      inARow += 1;
      suspects.add(route);
    } else {
      inARow = 0;
      suspects.delete(route);
    }
  }

  function opensAt(route: string, inFlight: number, now: number): number {
    const counted = count(now);
    const last = refusals.at(-1) ?? 0;
    const pause = inARow < STORM ? 0 : Math.min(PROBE_EVERY_MS, 1000 * 2 ** (inARow - STORM));
    const probe = counted >= PROBE_AT ? PROBE_EVERY_MS : pause;
    if (probe > 0) return inFlight > 0 ? Number.POSITIVE_INFINITY : last + probe;
    if (counted < PAUSE_AT || !suspects.has(route)) return now;
    return (refusals[counted - PAUSE_AT] ?? now) + WINDOW_MS;
  }

  return { countAnswer: note, opensAt, count, paused: (now) => (count(now) >= PAUSE_AT ? [...suspects] : []) };
}

/*
 * The queue of waiting requests, in three priorities. A request with a key takes the place of an older one with the
 * same key, so the queue never holds more requests than there are different things to do.
 */

/** Which requests go first when Discord allows only so many; the most urgent first. */
export const priorities = ["decision", "result", "cosmetic"] as const;
export type Priority = (typeof priorities)[number];

/** When a request is sent, and how often it is tried. */
export interface SendTerms {
  priority: Priority;
  /** A newer request with the same key replaces one that has not been sent, which rejects as `superseded`. */
  key?: string;
  /** Withdraws the request (`superseded`) while it waits; one in flight may finish. */
  signal?: AbortSignal;
  /**
   * After this many 429s it rejects (`limited`, or `unavailable` if it may have been done), because somebody waits;
   * without it, each is waited out.
   */
  limitTries?: number;
  /** When such a try may have been sent before, by the monotonic clock: by its turn it may be too late to repeat it. */
  doubtSince?: number;
  /** Called each time it is sent. */
  onSend?: () => void;
  /** Called when Discord lets it be sent only after so many milliseconds. */
  onDelayed?: (ms: number) => void;
}

export interface QueuedRequest extends OutgoingRequest, SendTerms {
  /**
   * How long after a try without an answer it may be tried again, in milliseconds; then it rejects as `unavailable`.
   */
  repeatMs: number;
  /** Counts toward the fifty a second; interactions do not. */
  counted: boolean;
}

/** A request in the queue or in flight. Times are by the monotonic clock. */
export interface Item {
  queued: QueuedRequest;
  route: Route;
  /** The route and the id it is counted by, for people. */
  name: string;
  settle: PromiseWithResolvers<unknown>;
  /** Stops listening to its signal. */
  unsubscribe(): void;
  notBefore: number;
  /** When it was sent for the first time without learning whether it was done. */
  doubtSince: number | null;
  tries: number;
  /** How often Discord asked to wait. */
  limited: number;
}

export class RequestQueue {
  readonly #waiting: Record<Priority, Item[]> = { decision: [], result: [], cosmetic: [] };

  get length(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].length, 0);
  }

  /** All waiting requests, the most urgent first. */
  items(): Item[] {
    const { decision, result, cosmetic } = this.#waiting;
    return [...decision, ...result, ...cosmetic];
  }

  /** Queues it, in the place of an older one with its key if there is one. */
  enter(item: Item): void {
    this.#listen(item);
    if (!this.#replace(item)) this.#waiting[item.queued.priority].push(item);
  }

  /** Removes one; false if it was not in the queue. */
  removeItem(item: Item): boolean {
    const waiting = this.#waiting[item.queued.priority];
    const index = waiting.indexOf(item);
    if (index >= 0) waiting.splice(index, 1);
    return index >= 0;
  }

  /** Back into the queue: in front after a 429, behind the others after a failure that this request may have caused. */
  comeBack(item: Item, inFront: boolean): void {
    const { key, priority, signal } = item.queued;
    const newer = key !== undefined && this.items().some((other) => other.queued.key === key);
    if (newer || signal?.aborted) return void refuse(item, "superseded");
    if (inFront) this.#waiting[priority].unshift(item);
    else this.#waiting[priority].push(item);
  }

  /** Rejects all waiting requests that match. */
  clear(kind: FailureKind, leaves: (item: Item) => boolean = () => true): void {
    for (const item of this.items().filter(leaves)) if (this.removeItem(item)) void refuse(item, kind);
  }

  #listen(item: Item): void {
    const { signal } = item.queued;
    if (!signal) return;
    const onAbort = (): void => void (this.removeItem(item) && refuse(item, "superseded"));
    signal.addEventListener("abort", onAbort, { once: true });
    item.unsubscribe = () => signal.removeEventListener("abort", onAbort);
  }

  /** The newer one takes the older one's place, unless its own priority is higher. */
  #replace(item: Item): boolean {
    const { key } = item.queued;
    const older = key === undefined ? undefined : this.items().find((other) => other.queued.key === key);
    if (!older) return false;
    const waiting = this.#waiting[older.queued.priority];
    const better = priorities.indexOf(item.queued.priority) < priorities.indexOf(older.queued.priority);
    item.notBefore = older.notBefore;
    if (better) this.removeItem(older);
    else {
      item.queued = { ...item.queued, priority: older.queued.priority };
      waiting[waiting.indexOf(older)] = item;
    }
    void refuse(older, "superseded");
    return !better;
  }
}

export function newItem(queued: QueuedRequest): Item {
  const route = routeOf(queued.method, queued.path);
  return {
    queued,
    route,
    name: `${route.name} ${route.major}`.trimEnd(),
    settle: Promise.withResolvers<unknown>(),
    unsubscribe: () => undefined,
    notBefore: 0,
    doubtSince: queued.doubtSince ?? null,
    tries: 0,
    limited: 0,
  };
}

/** Rejects it with a failure of this kind; returns its promise. */
export function refuse(item: Item, kind: FailureKind): Promise<unknown> {
  item.unsubscribe();
  item.settle.reject(new RestFailure(kind, { route: item.name }));
  return item.settle.promise;
}
