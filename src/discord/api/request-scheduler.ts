/**
 * The one queue in which every request to Discord waits: decisions, then results, then cosmetics, and none is sent
 * before its bucket, the global limit and the back-off allow it. A request without an answer stays queued and is sent
 * again; of two requests with one key only the newer is sent, and never while the older is in flight.
 */
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import {
  createBuckets,
  opensAt,
  type Bucket,
  createGlobalRateLimit,
  createInvalidRequestGuard,
  RequestQueue,
  newItem,
  refuse,
  type QueuedRequest,
  type Item,
} from "./rate-limits.ts";
import type { FailureKind, RequestOutcome, Transport } from "./transport.ts";

export interface SchedulerStatus {
  /** Null until the first answer. */
  connected: boolean | null;
  /** Answers of 401, 403 and 429 in the last ten minutes. */
  invalidRequests: number;
  pausedRoutes: string[];
  waiting: number;
}

export interface SchedulerOptions {
  transport: Transport;
  clock: Clock;
  log: Log;
  /** Discord refused the token. Called once; nothing is sent any more. */
  onUnauthorized(): void;
  random(): number;
}

type OutcomeOf<Kind extends RequestOutcome["kind"]> = Extract<RequestOutcome, { kind: Kind }>;

const LONGEST_WAIT_MS = 60_000;
const CLOSING_MS = 2000;

export class RequestScheduler {
  readonly #options: SchedulerOptions;
  readonly #buckets = createBuckets();
  readonly #invalidRequests = createInvalidRequestGuard();
  readonly #globalLimit = createGlobalRateLimit();
  readonly #queue = new RequestQueue();
  readonly #underWay = new Map<Item, Bucket>();
  /** Of two requests with one key only one is in flight. */
  readonly #keysUnderWay = new Set<string>();
  readonly #ending = new AbortController();
  #ended: FailureKind | null = null;
  #silent = false;
  #connected: boolean | null = null;
  #lostInARow = 0;
  #lostAt = Number.NEGATIVE_INFINITY;
  /** Nothing at all is sent before this. */
  #closedUntil = 0;
  /** Nothing that Discord counts is sent before this: the global limit does not apply to interactions. */
  #limitedUntil = 0;
  /** When the timer looks at what waits; Infinity: only an answer can let one of them go. */
  #nextAt = Number.POSITIVE_INFINITY;
  #forgetTimer: () => void = () => undefined;
  #emptied: (() => void) | null = null;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Resolves with the answer's JSON (undefined if it has none); rejects with a `RestFailure`. */
  enqueue(queued: QueuedRequest): Promise<unknown> {
    const item = newItem(queued);
    if (this.#ended) return refuse(item, this.#ended);
    if (this.#silent && queued.counted) return refuse(item, "closed");
    if (queued.signal?.aborted) return refuse(item, "superseded");
    this.#queue.enter(item);
    this.#consider(item);
    return item.settle.promise;
  }

  get status(): SchedulerStatus {
    const now = this.#options.clock.monotonic();
    return {
      connected: this.#connected,
      invalidRequests: this.#invalidRequests.count(now),
      pausedRoutes: this.#invalidRequests.paused(now),
      waiting: this.#queue.length,
    };
  }

  /** From now on only what follows an interaction is sent; the rest, waiting or new, is dropped (`closed`). */
  fallSilent(): void {
    this.#silent = true;
    this.#queue.clear("closed", ({ queued }) => queued.counted);
  }

  /** What waits is dropped (`closed`); what is in flight has two seconds to finish. */
  async close(): Promise<void> {
    this.#end("closed");
    if (this.#underWay.size === 0) return;
    const forget = this.#options.clock.after(CLOSING_MS, () => this.#ending.abort());
    await new Promise<void>((resolve) => (this.#emptied = resolve));
    forget();
  }

  /** A new request changes nothing for those that wait, so only itself is looked at, unless one of them is due. */
  #consider(item: Item): void {
    const now = this.#options.clock.monotonic();
    if (this.#nextAt <= now) return this.#pump();
    const at = this.#mayGoAt(item, now);
    if (at <= now) return this.#send(item, now);
    if (at < Number.POSITIVE_INFINITY) item.queued.onDelayed?.(at - now);
    if (at < this.#nextAt) this.#pumpAt(at, now);
  }

  /** Sends what may be sent now, and runs again when the next one may be. */
  #pump(): void {
    if (this.#ended) return;
    const now = this.#options.clock.monotonic();
    let next = Number.POSITIVE_INFINITY;
    for (const item of this.#queue.items()) {
      const at = this.#mayGoAt(item, now);
      if (at <= now) this.#send(item, now);
      else next = Math.min(next, at);
    }
    this.#pumpAt(next, now);
  }

  #pumpAt(at: number, now: number): void {
    this.#forgetTimer();
    this.#nextAt = at;
    if (at < Number.POSITIVE_INFINITY)
      this.#forgetTimer = this.#options.clock.after(Math.ceil(at - now), () => this.#pump());
  }

  #mayGoAt(item: Item, now: number): number {
    const { key, priority, counted } = item.queued;
    // While nothing gets through, one request at a time tests whether it does again.
    if (this.#lostInARow > 0 && this.#underWay.size > 0) return Number.POSITIVE_INFINITY;
    if (key !== undefined && this.#keysUnderWay.has(key)) return Number.POSITIVE_INFINITY;
    const free = Math.max(
      item.notBefore,
      this.#closedUntil,
      counted ? Math.max(this.#limitedUntil, this.#globalLimit.opensAt(priority, now)) : now,
    );
    // The rest is asked when it may matter.
    if (free > now) return free;
    return Math.max(
      free,
      this.#invalidRequests.opensAt(item.name, this.#underWay.size, now),
      opensAt(this.#buckets.of(item.route), priority, now),
    );
  }

  #send(item: Item, now: number): void {
    const { queued } = item;
    this.#queue.removeItem(item);
    if (item.doubtSince !== null && now - item.doubtSince > queued.repeatMs) return void refuse(item, "unavailable");
    const bucket = this.#buckets.of(item.route);
    bucket.inFlight += 1;
    this.#underWay.set(item, bucket);
    if (queued.key !== undefined) this.#keysUnderWay.add(queued.key);
    if (queued.counted) this.#globalLimit.takeSlot();
    queued.onSend?.();
    void this.#options.transport
      .send(queued, this.#ending.signal)
      .then((outcome) => this.#onOutcome(item, bucket, now, outcome));
  }

  #onOutcome(item: Item, sentIn: Bucket, sentAt: number, outcome: RequestOutcome): void {
    const now = this.#options.clock.monotonic();
    this.#underWay.delete(item);
    if (item.queued.key !== undefined) this.#keysUnderWay.delete(item.queued.key);
    sentIn.inFlight -= 1;
    if (item.queued.counted) this.#globalLimit.giveBack(now);
    const bucket = outcome.limits ? this.#buckets.applyLimits(item.route, outcome.limits, now) : sentIn;
    if (outcome.kind !== "lost" || outcome.where === "route") this.#clearSilence();
    this.#count(item, outcome, now);
    if (outcome.kind === "limited") this.#limited(item, bucket, outcome);
    else if (outcome.kind === "lost") this.#onLost(item, bucket, outcome, sentAt);
    else this.#onAnswer(item, bucket, outcome);
    if (this.#underWay.size === 0) this.#emptied?.();
    this.#pump();
  }

  #onAnswer(item: Item, bucket: Bucket, outcome: OutcomeOf<"ok" | "refused">): void {
    bucket.lostInARow = 0;
    item.unsubscribe();
    if (outcome.kind === "ok") return item.settle.resolve(outcome.value);
    item.settle.reject(outcome.failure);
    if (outcome.failure.kind === "unauthorized") this.#unauthorized();
  }

  #limited(item: Item, bucket: Bucket, outcome: OutcomeOf<"limited">): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    const { scope, retryAfterMs } = outcome;
    // Discord's own figure applies; if only refusals come back, the guard slows all requests down.
    const until = now + retryAfterMs;
    if (scope === "address") this.#closedUntil = Math.max(this.#closedUntil, until);
    if (scope === "global") this.#limitedUntil = Math.max(this.#limitedUntil, until);
    bucket.blockedUntil = Math.max(bucket.blockedUntil, until);
    log.warn("Discord asks us to wait", {
      error_code: "E_DISCORD_RATE_LIMIT",
      route: item.name,
      scope,
      wait_ms: Math.round(until - now),
    });
    item.limited += 1;
    item.queued.onDelayed?.(retryAfterMs);
    // Refused each time it was not done, unless the answer to an earlier try was lost.
    if (item.limited >= (item.queued.limitTries ?? Number.POSITIVE_INFINITY))
      return void refuse(item, item.doubtSince === null ? "limited" : "unavailable");
    this.#requeue(item, true);
  }

  #onLost(item: Item, bucket: Bucket, outcome: OutcomeOf<"lost">, sentAt: number): void {
    const now = this.#options.clock.monotonic();
    const { where, reason } = outcome;
    item.doubtSince ??= sentAt;
    item.tries += 1;
    item.notBefore = now + this.#jitter(item.tries);
    if (where === "network") {
      this.#connected = false;
      if (sentAt >= this.#lostAt) this.#lostInARow += 1;
      this.#lostAt = now;
      this.#closedUntil = Math.max(this.#closedUntil, now + this.#jitter(this.#lostInARow));
    } else {
      if (sentAt >= bucket.lostAt) bucket.lostInARow += 1;
      bucket.lostAt = now;
      bucket.blockedUntil = Math.max(bucket.blockedUntil, now + this.#jitter(bucket.lostInARow));
    }
    this.#options.log.info("no answer from Discord", { route: item.name, reason, tries: item.tries });
    this.#requeue(item, false);
  }

  #requeue(item: Item, inFront: boolean): void {
    if (this.#ended) return void refuse(item, this.#ended);
    if (this.#silent && item.queued.counted) return void refuse(item, "closed");
    if (item.queued.repeatMs <= 0 && item.doubtSince !== null) return void refuse(item, "unavailable");
    this.#queue.comeBack(item, inFront);
  }

  #clearSilence(): void {
    this.#connected = true;
    this.#lostInARow = 0;
  }

  #count(item: Item, outcome: RequestOutcome, now: number): void {
    const { kind, status } = outcome;
    const refused = [401, 403, 429].includes(status) || kind === "limited";
    // A limit shared with others counts neither against us nor for us.
    const counts = kind === "limited" ? outcome.scope !== "shared" : kind !== "lost" || refused;
    if (counts) this.#invalidRequests.countAnswer(item.name, refused, now);
  }

  #jitter(times: number): number {
    return this.#options.random() * Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (times - 1));
  }

  #unauthorized(): void {
    if (this.#ended) return;
    this.#end("unauthorized");
    this.#options.log.warn("Discord refused the token; nothing more is sent", { error_code: "E_TOKEN_REFUSED" });
    this.#options.onUnauthorized();
  }

  #end(kind: FailureKind): void {
    this.#ended = kind;
    this.#pumpAt(Number.POSITIVE_INFINITY, 0);
    this.#queue.clear(kind);
  }
}
