/**
 * Discord's limits as a model on a fake clock: fixed windows per bucket, fifty a second, networks that delay, and
 * storms in which everything is a 429. It keeps its own books, so a test asks it, not the lanes, what was sent early.
 */
import { RestFailure } from "../../src/discord/rest-failure.ts";
import { routeOf } from "../../src/discord/route.ts";
import type { Outcome, Sendable, Transport } from "../../src/discord/transport.ts";
import type { FakeClock } from "./fake-clock.ts";

export interface Seen {
  at: number;
  method: string;
  path: string;
  body: unknown;
  outcome: Outcome["kind"];
  scope: string | null;
}

export interface LimitedDiscord extends Transport {
  readonly seen: Seen[];
  /** Requests that left although a 429 of their bucket, or of all, had named a later time. */
  readonly early: Seen[];
  /** 429s outside a storm: all of our own making. */
  readonly ownMaking: Seen[];
  /** Bodies stored by a create, by path. */
  readonly stored: { path: string; body: unknown }[];
  /** Answers everything with what this gives, until it is null again. */
  storm: (() => Outcome) | null;
  /** Answers of 429 in the last `ms` that Discord counts against a bot: those it shares with no other. */
  refusedIn(ms: number): number;
}

interface Window {
  used: number;
  endsAt: number;
  /** As the bot has been told. */
  toldUntil: number;
}

export interface LimitsModel {
  clock: FakeClock;
  /** Requests a window allows on a route, and the window's length. */
  limitOf(route: string): { limit: number; windowMs: number };
  latency(): number;
}

export function createLimitedDiscord(model: LimitsModel): LimitedDiscord {
  const { clock } = model;
  const windows = new Map<string, Window>();
  let everythingToldUntil = 0;
  let lastSecond: number[] = [];

  const discord: LimitedDiscord = {
    seen: [],
    early: [],
    ownMaking: [],
    stored: [],
    storm: null,
    refusedIn: (ms) => discord.seen.filter((seen) => seen.outcome === "limited" && seen.scope !== "shared" && seen.at > clock.monotonic() - ms).length,
    async send(request) {
      const window = windowOf(request);
      const left = clock.monotonic();
      const early = left < window.toldUntil || left < everythingToldUntil;
      await later(model.latency());
      const seen = arrive(request, window);
      if (early) discord.early.push(seen.seen);
      await later(model.latency());
      tell(seen.outcome, window, seen.seen.at);
      return seen.outcome;
    },
  };

  function windowOf(request: Sendable): Window {
    const { name, major } = routeOf(request.method, request.path);
    const window = windows.get(`${name} ${major}`) ?? { used: 0, endsAt: 0, toldUntil: 0 };
    windows.set(`${name} ${major}`, window);
    return window;
  }

  function arrive(request: Sendable, window: Window): { seen: Seen; outcome: Outcome } {
    const now = clock.monotonic();
    const outcome = answer(request, window, now);
    const { method, path, body } = request;
    const scope = outcome.kind === "limited" ? outcome.scope : null;
    const seen: Seen = { at: now, method, path, body, outcome: outcome.kind, scope };
    discord.seen.push(seen);
    if (outcome.kind === "limited" && !discord.storm) discord.ownMaking.push(seen);
    if (outcome.kind === "ok" && request.method === "POST") discord.stored.push({ path: request.path, body: request.body });
    return { seen, outcome };
  }

  function tell(outcome: Outcome, window: Window, at: number): void {
    if (outcome.kind !== "limited") return;
    const until = at + outcome.retryAfterMs;
    if (outcome.scope === "global") everythingToldUntil = Math.max(everythingToldUntil, until);
    else window.toldUntil = Math.max(window.toldUntil, until);
  }

  function answer(request: Sendable, window: Window, now: number): Outcome {
    if (discord.storm) return discord.storm();
    const route = routeOf(request.method, request.path).name;
    const { limit, windowMs } = model.limitOf(route);
    if (now >= window.endsAt) {
      window.used = 0;
      window.endsAt = now + windowMs;
    }
    const resetAfterMs = Math.ceil(window.endsAt - now);
    lastSecond = lastSecond.filter((at) => at > now - 1000);
    if (lastSecond.length >= 50) return { kind: "limited", status: 429, scope: "global", retryAfterMs: 1000, limits: null };
    lastSecond.push(now);
    if (window.used >= limit) {
      const limits = { bucket: route, limit, remaining: 0, resetAfterMs, reset: window.endsAt };
      return { kind: "limited", status: 429, scope: "user", retryAfterMs: resetAfterMs, limits };
    }
    window.used += 1;
    const limits = { bucket: route, limit, remaining: limit - window.used, resetAfterMs, reset: window.endsAt };
    if (request.path.includes("forbidden")) {
      return { kind: "refused", status: 403, limits, failure: new RestFailure("no_access", { route, status: 403, code: 50013 }) };
    }
    return { kind: "ok", status: 200, limits, value: { path: request.path, body: request.body } };
  }

  function later(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : new Promise((resolve) => clock.after(ms, resolve));
  }

  return discord;
}
