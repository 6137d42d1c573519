/**
 * The one line in which every request to Discord waits: decisions, then results, then cosmetics, and none leaves
 * before its bucket, the global limit and the back-off let it. What got no answer stays in line and goes again;
 * of two requests with one key only the newer leaves, and never while the older is under way.
 */
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { createAllowance } from "./allowance.ts";
import { createBuckets, opensAt, type Bucket } from "./bucket.ts";
import { createConduct } from "./conduct.ts";
import type { Lane } from "./owed.ts";
import { RestFailure, type FailureKind } from "./rest-failure.ts";
import { routeOf, type Route } from "./route.ts";
import type { Outcome, Sendable, Transport } from "./transport.ts";

export interface Errand extends Sendable {
  lane: Lane;
  /** A newer request with the same key replaces one that has not left, which rejects as `superseded`. */
  key?: string;
  /** Takes the request back (`superseded`) while it waits; one that is under way is let finish. */
  signal?: AbortSignal;
  /** How long after a try without an answer it may be tried again, in milliseconds; then it rejects as `unavailable`. */
  repeatMs: number;
  /** When such a try may have left before, by the monotonic clock. */
  doubtSince?: number;
  /** Called each time it leaves. */
  onLeave?: () => void;
  /** Counts toward the fifty a second; interactions do not. */
  counted: boolean;
}

export interface LanesStatus {
  /** Null until the first answer. */
  connected: boolean | null;
  /** Answers of 401, 403 and 429 in the last ten minutes. */
  invalidRequests: number;
  pausedRoutes: string[];
  waiting: number;
}

export interface Lanes {
  /** Resolves with the answer's JSON (undefined where it has none); rejects with a `RestFailure`. */
  enqueue(errand: Errand): Promise<unknown>;
  readonly status: LanesStatus;
  /** What waits is dropped (`closed`); what is under way has two seconds to finish. */
  close(): Promise<void>;
}

export interface LanesOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  /** Discord refused the token. Called once; nothing is sent any more. */
  onUnauthorized(): void;
  random(): number;
}

interface Item {
  errand: Errand;
  route: Route;
  name: string;
  settle: PromiseWithResolvers<unknown>;
  forget(): void;
  notBefore: number;
  /** When it was sent for the first time without learning whether it was done. */
  doubtSince: number | null;
  tries: number;
}

const order: readonly Lane[] = ["decision", "result", "cosmetic"];
const LONGEST_WAIT_MS = 60_000;
const CLOSING_MS = 2000;
/** A 429 or two is how one learns; from the third in a row its own figure is not believed to be enough. */
const PATIENT_LIMITS = 2;

export function createLanes(options: LanesOptions): Lanes {
  const { clock, log } = options;
  const buckets = createBuckets();
  const conduct = createConduct();
  const allowance = createAllowance();
  const waiting: Record<Lane, Item[]> = { decision: [], result: [], cosmetic: [] };
  const underWay = new Map<Item, Bucket>();
  const ending = new AbortController();
  let ended: FailureKind | null = null;
  let connected: boolean | null = null;
  let lostInARow = 0;
  let lostAt = Number.NEGATIVE_INFINITY;
  let closedUntil = 0;
  let forgetTimer: () => void = () => undefined;
  let emptied: (() => void) | null = null;

  function enqueue(errand: Errand): Promise<unknown> {
    const route = routeOf(errand.method, errand.path);
    const name = `${route.name} ${route.major}`.trimEnd();
    const settle = Promise.withResolvers<unknown>();
    const item: Item = { errand, route, name, settle, forget: () => undefined, notBefore: 0, doubtSince: errand.doubtSince ?? null, tries: 0 };
    if (ended) return refuse(item, ended);
    if (errand.signal?.aborted) return refuse(item, "superseded");
    listen(item);
    if (!replaceOlder(item)) waiting[errand.lane].push(item);
    pump();
    return settle.promise;
  }

  function listen(item: Item): void {
    const { signal } = item.errand;
    if (!signal) return;
    const onAbort = (): void => {
      const line = waiting[item.errand.lane];
      const index = line.indexOf(item);
      if (index < 0) return;
      line.splice(index, 1);
      void refuse(item, "superseded");
    };
    signal.addEventListener("abort", onAbort, { once: true });
    item.forget = () => signal.removeEventListener("abort", onAbort);
  }

  /** The newer one takes the older one's place in line, and its lane where that is the better one. */
  function replaceOlder(item: Item): boolean {
    const { key } = item.errand;
    if (key === undefined) return false;
    for (const lane of order) {
      const index = waiting[lane].findIndex((other) => other.errand.key === key);
      const older = waiting[lane][index];
      if (!older) continue;
      void refuse(older, "superseded");
      item.notBefore = older.notBefore;
      if (order.indexOf(item.errand.lane) < order.indexOf(lane)) {
        waiting[lane].splice(index, 1);
        return false;
      }
      item.errand = { ...item.errand, lane };
      waiting[lane][index] = item;
      return true;
    }
    return false;
  }

  function pump(): void {
    forgetTimer();
    if (ended) return;
    const now = clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const lane of order) {
      // Of a copy: whoever leaves is taken out of the line meanwhile.
      for (const item of waiting[lane].slice()) {
        const at = mayGoAt(item, now);
        if (at <= now) leave(item, now);
        else next = Math.min(next, at);
      }
    }
    if (next < Number.POSITIVE_INFINITY) forgetTimer = clock.after(Math.ceil(next - now), pump);
  }

  function mayGoAt(item: Item, now: number): number {
    const { key, lane, counted } = item.errand;
    // While nothing gets through, one request at a time finds out when it does again.
    if (lostInARow > 0 && underWay.size > 0) return Number.POSITIVE_INFINITY;
    if (key !== undefined && [...underWay.keys()].some((other) => other.errand.key === key)) return Number.POSITIVE_INFINITY;
    return Math.max(
      item.notBefore,
      closedUntil,
      counted ? allowance.opensAt(lane, now) : now,
      conduct.opensAt(item.name, underWay.size, now),
      opensAt(buckets.of(item.route), lane, now),
    );
  }

  function leave(item: Item, now: number): void {
    const line = waiting[item.errand.lane];
    line.splice(line.indexOf(item), 1);
    if (item.doubtSince !== null && now - item.doubtSince > item.errand.repeatMs) {
      void refuse(item, "unavailable");
      return;
    }
    const bucket = buckets.of(item.route);
    bucket.inFlight += 1;
    underWay.set(item, bucket);
    if (item.errand.counted) allowance.take();
    item.errand.onLeave?.();
    void options.transport.send(item.errand, ending.signal).then((outcome) => back(item, bucket, now, outcome));
  }

  function back(item: Item, sentIn: Bucket, sentAt: number, outcome: Outcome): void {
    const now = clock.monotonic();
    underWay.delete(item);
    sentIn.inFlight -= 1;
    if (item.errand.counted) allowance.giveBack(now);
    const bucket = outcome.limits ? buckets.learn(item.route, sentIn, outcome.limits, now) : sentIn;
    if (outcome.kind !== "lost" || outcome.where === "route") reached();
    count(item, outcome, now);
    switch (outcome.kind) {
      case "ok":
        bucket.limitedInARow = bucket.lostInARow = 0;
        item.forget();
        item.settle.resolve(outcome.value);
        break;
      case "refused":
        bucket.limitedInARow = bucket.lostInARow = 0;
        item.forget();
        item.settle.reject(outcome.failure);
        if (outcome.failure.kind === "unauthorized") unauthorized();
        break;
      case "limited":
        limited(item, bucket, outcome, sentAt, now);
        break;
      case "lost":
        item.doubtSince ??= sentAt;
        lost(item, bucket, outcome, sentAt, now);
    }
    if (underWay.size === 0) emptied?.();
    pump();
  }

  function limited(item: Item, bucket: Bucket, outcome: Outcome & { kind: "limited" }, sentAt: number, now: number): void {
    const { scope, retryAfterMs } = outcome;
    // What left before the last one was known is no further sign.
    if (sentAt >= bucket.limitedAt) bucket.limitedInARow += 1;
    bucket.limitedAt = now;
    const more = bucket.limitedInARow <= PATIENT_LIMITS ? 0 : 1000 * 2 ** (bucket.limitedInARow - PATIENT_LIMITS - 1);
    const until = now + Math.max(retryAfterMs, Math.min(more, LONGEST_WAIT_MS));
    if (scope === "global") closedUntil = Math.max(closedUntil, until);
    bucket.blockedUntil = Math.max(bucket.blockedUntil, until);
    log.warn("Discord asks us to wait", { error_code: "E_DISCORD_RATE_LIMIT", route: item.name, scope, wait_ms: Math.round(until - now) });
    again(item, true);
  }

  function lost(item: Item, bucket: Bucket, outcome: Outcome & { kind: "lost" }, sentAt: number, now: number): void {
    const { where, reason } = outcome;
    item.tries += 1;
    item.notBefore = now + jitter(item.tries);
    if (where === "network") {
      connected = false;
      if (sentAt >= lostAt) lostInARow += 1;
      lostAt = now;
      closedUntil = Math.max(closedUntil, now + jitter(lostInARow));
    } else {
      if (sentAt >= bucket.lostAt) bucket.lostInARow += 1;
      bucket.lostAt = now;
      bucket.blockedUntil = Math.max(bucket.blockedUntil, now + jitter(bucket.lostInARow));
    }
    log.info("no answer from Discord", { route: item.name, reason, tries: item.tries });
    again(item, false);
  }

  /** Back in line: in front after a 429, behind the others after a trouble that may be this request's own. */
  function again(item: Item, inFront: boolean): void {
    const { errand } = item;
    if (ended) return void refuse(item, ended);
    if (errand.repeatMs <= 0 && item.doubtSince !== null) return void refuse(item, "unavailable");
    const newer = errand.key !== undefined && order.some((lane) => waiting[lane].some((other) => other.errand.key === errand.key));
    if (newer || errand.signal?.aborted) return void refuse(item, "superseded");
    if (inFront) waiting[errand.lane].unshift(item);
    else waiting[errand.lane].push(item);
  }

  function reached(): void {
    connected = true;
    lostInARow = 0;
  }

  function count(item: Item, outcome: Outcome, now: number): void {
    const { kind, status } = outcome;
    const refused = [401, 403, 429].includes(status) || kind === "limited";
    // A limit shared with others is not held against us, and says nothing for us either.
    const counts = kind === "limited" ? outcome.scope !== "shared" : kind !== "lost" || refused;
    if (counts) conduct.note(item.name, refused, now);
  }

  function jitter(times: number): number {
    return options.random() * Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (times - 1));
  }

  function unauthorized(): void {
    if (ended) return;
    end("unauthorized");
    log.warn("Discord refused the token; nothing more is sent", { error_code: "E_TOKEN_REFUSED" });
    options.onUnauthorized();
  }

  function end(kind: FailureKind): void {
    ended = kind;
    forgetTimer();
    for (const lane of order) for (const item of waiting[lane].splice(0)) void refuse(item, kind);
  }

  async function close(): Promise<void> {
    if (ended !== "closed") end("closed");
    if (underWay.size === 0) return;
    const forget = clock.after(CLOSING_MS, () => ending.abort());
    await new Promise<void>((resolve) => (emptied = resolve));
    forget();
  }

  return {
    enqueue,
    close,
    get status() {
      const now = clock.monotonic();
      const all = order.reduce((sum, lane) => sum + waiting[lane].length, 0);
      return { connected, invalidRequests: conduct.count(now), pausedRoutes: conduct.paused(now), waiting: all };
    },
  };
}

function refuse(item: Item, kind: FailureKind): Promise<unknown> {
  item.forget();
  item.settle.reject(new RestFailure(kind, { route: item.name }));
  return item.settle.promise;
}
