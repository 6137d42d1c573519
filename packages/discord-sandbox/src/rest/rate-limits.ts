/**
 * Rate limits: one bucket per kind of route and channel with true headers, fifty requests a second in all, the
 * rename limit that headers do not show, and the count of invalid requests. Only bots are held to them: the
 * people here are tests and one person at a page.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

interface Rule {
  limit: number;
  perMs: number;
}

const fallback: Rule = { limit: 50, perMs: 1000 };
const rules: Record<string, Rule> = {
  create_message: { limit: 5, perMs: 5000 },
  update_message: { limit: 5, perMs: 5000 },
  delete_message: { limit: 5, perMs: 1000 },
  list_messages: { limit: 5, perMs: 5000 },
  bulk_delete_messages: { limit: 1, perMs: 1000 },
  add_my_message_reaction: { limit: 1, perMs: 250 },
  trigger_typing_indicator: { limit: 5, perMs: 5000 },
  update_channel: { limit: 5, perMs: 15_000 },
  create_thread: { limit: 50, perMs: 300_000 },
  create_dm: { limit: 10, perMs: 10_000 },
  bulk_set_guild_application_commands: { limit: 2, perMs: 60_000 },
  execute_webhook: { limit: 5, perMs: 2000 },
  update_webhook_message: { limit: 5, perMs: 5000 },
};

/** Routes that share a bucket with another. */
const shared: Record<string, string> = {
  delete_my_message_reaction: "add_my_message_reaction",
  delete_user_message_reaction: "add_my_message_reaction",
  create_thread_from_message: "create_thread",
  update_original_webhook_message: "update_webhook_message",
};

/** Routes that answer an interaction: outside the fifty a second. */
const interactionRoutes = new Set([
  "create_interaction_response",
  "execute_webhook",
  "get_original_webhook_message",
  "update_original_webhook_message",
  "delete_original_webhook_message",
  "get_webhook_message",
  "update_webhook_message",
  "delete_webhook_message",
]);

const RENAME: Rule = { limit: 2, perMs: 600_000 };

export interface Limited {
  retryAfterMs: number;
  global: boolean;
  scope: "user" | "global" | "shared";
}

export interface Verdict {
  headers: Record<string, string>;
  /** Set where the request is refused with 429. */
  limited?: Limited;
}

interface Bucket {
  used: number;
  resetAt: number;
}

export class Buckets {
  readonly #clock: Clock;
  readonly #overrides: Record<string, Rule>;
  readonly #buckets = new Map<string, Bucket>();
  readonly #invalid: number[] = [];

  constructor(clock: Clock, overrides: Record<string, Rule> = {}) {
    this.#clock = clock;
    this.#overrides = overrides;
  }

  /** Counts one request. `major`: the channel or webhook it is for; `renames`: whether it changes a channel's name. */
  take(callerId: string, operationId: string, major: string, renames: boolean): Verdict {
    const name = shared[operationId] ?? operationId;
    const rule = this.#overrides[name] ?? rules[name] ?? fallback;
    const hash = createHash("md5").update(name).digest("hex");
    if (!interactionRoutes.has(operationId)) {
      const over = this.#spend(`global:${callerId}`, { limit: limits.globalPerSecond, perMs: 1000 });
      if (over.overMs > 0)
        return { headers: {}, limited: { retryAfterMs: over.overMs, global: true, scope: "global" } };
    }
    const spent = this.#spend(`${callerId}:${name}:${major}`, rule);
    const headers = this.#headers(rule, spent.bucket, hash);
    if (spent.overMs > 0) return { headers, limited: { retryAfterMs: spent.overMs, global: false, scope: "user" } };
    if (!renames) return { headers };
    const rename = this.#spend(`rename:${major}`, RENAME);
    return rename.overMs > 0
      ? { headers, limited: { retryAfterMs: rename.overMs, global: false, scope: "user" } }
      : { headers };
  }

  /** Counts a 401, 403 or 429 (not a shared one). */
  countInvalid(): void {
    this.#invalid.push(this.#clock.monotonic());
  }

  /** How many of the last ten minutes. */
  get invalidRequests(): number {
    const since = this.#clock.monotonic() - limits.invalidRequestsMs;
    while ((this.#invalid[0] ?? Number.POSITIVE_INFINITY) <= since) this.#invalid.shift();
    return this.#invalid.length;
  }

  #spend(key: string, rule: Rule): { bucket: Bucket; overMs: number } {
    const now = this.#clock.monotonic();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined || bucket.resetAt <= now) {
      bucket = { used: 0, resetAt: now + rule.perMs };
      this.#buckets.set(key, bucket);
    }
    if (bucket.used >= rule.limit) return { bucket, overMs: bucket.resetAt - now };
    bucket.used += 1;
    return { bucket, overMs: 0 };
  }

  #headers(rule: Rule, bucket: Bucket, hash: string): Record<string, string> {
    const leftMs = Math.max(0, bucket.resetAt - this.#clock.monotonic());
    return {
      "x-ratelimit-limit": String(rule.limit),
      "x-ratelimit-remaining": String(Math.max(0, rule.limit - bucket.used)),
      "x-ratelimit-reset": ((this.#clock.now() + leftMs) / 1000).toFixed(3),
      "x-ratelimit-reset-after": (leftMs / 1000).toFixed(3),
      "x-ratelimit-bucket": hash.slice(0, 32),
    };
  }
}
