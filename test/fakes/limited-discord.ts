/**
 * Discord's limits as a model on a fake clock: fixed windows per bucket, fifty a second, networks that delay, and
 * storms in which everything is a 429. It keeps its own books, so a test asks it, not the priorities, what was sent
 * early.
 */
import { createHash } from "node:crypto";
import {
  RestFailure,
  routeOf,
  type RequestOutcome,
  type OutgoingRequest,
  type Transport,
} from "../../src/discord/api/transport.ts";
import type { FakeClock } from "./fake-clock.ts";

export interface Seen {
  at: number;
  method: string;
  path: string;
  body: unknown;
  outcome: RequestOutcome["kind"];
  scope: string | null;
}

export interface LimitsModel {
  clock: FakeClock;
  /** Requests a window allows on a route, and the window's length. */
  limitOf(route: string): { limit: number; windowMs: number };
  latency(): number;
}

interface Window {
  used: number;
  endsAt: number;
  /** As the bot has been told. */
  toldUntil: number;
}

export class LimitedDiscord implements Transport {
  readonly seen: Seen[] = [];
  /** Requests that left although a 429 of their bucket, or of all, had named a later time. */
  readonly early: Seen[] = [];
  /** 429s outside a storm: all of our own making. */
  readonly ownMaking: Seen[] = [];
  /** Bodies stored by a create, by path. */
  readonly stored: { path: string; body: unknown }[] = [];
  /** Answers everything with what this gives, until it is null again. */
  storm: (() => RequestOutcome) | null = null;
  readonly #model: LimitsModel;
  readonly #windows = new Map<string, Window>();
  #everythingToldUntil = 0;
  #lastSecond: number[] = [];

  constructor(model: LimitsModel) {
    this.#model = model;
  }

  /** Answers of 429 in the last `ms` that Discord counts against a bot: those it shares with no other. */
  refusedIn(ms: number): number {
    const since = this.#model.clock.monotonic() - ms;
    return this.seen.filter(({ outcome, scope, at }) => outcome === "limited" && scope !== "shared" && at > since)
      .length;
  }

  async send(request: OutgoingRequest, _signal: AbortSignal): Promise<RequestOutcome> {
    const { clock, latency } = this.#model;
    const window = this.#windowOf(request);
    const left = clock.monotonic();
    const early = left < window.toldUntil || left < this.#everythingToldUntil;
    await this.#later(latency());
    const { seen, outcome } = this.#arrive(request, window);
    if (early) this.early.push(seen);
    await this.#later(latency());
    this.#tell(outcome, window, seen.at);
    return outcome;
  }

  #windowOf(request: OutgoingRequest): Window {
    const { name, major } = routeOf(request.method, request.path);
    const window = this.#windows.get(`${name} ${major}`) ?? { used: 0, endsAt: 0, toldUntil: 0 };
    this.#windows.set(`${name} ${major}`, window);
    return window;
  }

  #arrive(request: OutgoingRequest, window: Window): { seen: Seen; outcome: RequestOutcome } {
    const at = this.#model.clock.monotonic();
    const outcome = this.storm ? this.storm() : this.#answer(request, window, at);
    const { method, path, body } = request;
    const scope = outcome.kind === "limited" ? outcome.scope : null;
    const seen: Seen = { at, method, path, body, outcome: outcome.kind, scope };
    this.seen.push(seen);
    if (outcome.kind === "limited" && !this.storm) this.ownMaking.push(seen);
    if (outcome.kind === "ok" && method === "POST") this.stored.push({ path, body });
    return { seen, outcome };
  }

  #tell(outcome: RequestOutcome, window: Window, at: number): void {
    if (outcome.kind !== "limited") return;
    const until = at + outcome.retryAfterMs;
    if (outcome.scope === "global") this.#everythingToldUntil = Math.max(this.#everythingToldUntil, until);
    else window.toldUntil = Math.max(window.toldUntil, until);
  }

  #answer(request: OutgoingRequest, window: Window, now: number): RequestOutcome {
    const route = routeOf(request.method, request.path).name;
    const { limit, windowMs } = this.#model.limitOf(route);
    if (now >= window.endsAt) Object.assign(window, { used: 0, endsAt: now + windowMs });
    this.#lastSecond = this.#lastSecond.filter((at) => at > now - 1000);
    if (this.#lastSecond.length >= 50)
      return { kind: "limited", status: 429, scope: "global", retryAfterMs: 1000, limits: null };
    this.#lastSecond.push(now);
    const over = window.used >= limit;
    if (!over) window.used += 1;
    const resetAfterMs = Math.ceil(window.endsAt - now);
    // As Discord's: a name that nobody can know before the first answer.
    const limits = {
      bucket: createHash("md5").update(route).digest("hex"),
      limit,
      remaining: limit - window.used,
      resetAfterMs,
      reset: window.endsAt,
    };
    if (over) return { kind: "limited", status: 429, scope: "user", retryAfterMs: resetAfterMs, limits };
    if (request.path.includes("forbidden")) {
      return {
        kind: "refused",
        status: 403,
        limits,
        failure: new RestFailure("no_access", { route, status: 403, code: 50013 }),
      };
    }
    return { kind: "ok", status: 200, limits, value: { path: request.path, body: request.body } };
  }

  #later(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => this.#model.clock.after(ms, resolve));
  }
}
