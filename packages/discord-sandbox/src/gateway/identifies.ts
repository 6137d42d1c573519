/**
 * IDENTIFY's rules and budget: valid shard and intents, so many at once per concurrency key in five seconds, so
 * many a day. Spending the day's budget costs a bot its token, as it does at Discord.
 */
import { GatewayCloseCodes as Close } from "discord-api-types/v10";
import { disallowedIntents, validIntents } from "./audience.ts";
import type { Json } from "../rest/form.ts";
import { limits } from "../limits.ts";
import type { Context } from "../context.ts";
import { newToken } from "../state/world.ts";

export class Identifies {
  readonly #context: () => Context;
  readonly #total: number;
  readonly #spent = new Map<string, { count: number; since: number }>();
  readonly #window = new Map<string, number>();
  readonly maxConcurrency: number;

  constructor(context: () => Context, options: { maxConcurrency: number; total?: number }) {
    this.#context = context;
    this.#total = options.total ?? limits.identifyTotal;
    this.maxConcurrency = options.maxConcurrency;
  }

  /** The close code for an IDENTIFY that cannot be accepted at all. */
  wrong(userId: string, d: Json): { code: number; reason: string } | undefined {
    const { world } = this.#context();
    const shard = d["shard"];
    if (shard !== undefined && !validShard(shard)) return { code: Close.InvalidShard, reason: "Invalid shard" };
    const intents = d["intents"];
    if (typeof intents !== "number" || !validIntents(intents))
      return { code: Close.InvalidIntents, reason: "Invalid intents" };
    if (disallowedIntents(world, userId, intents))
      return { code: Close.DisallowedIntents, reason: "Disallowed intents" };
    return undefined;
  }

  /**
   * Counts one IDENTIFY. `soon`: it came too quickly after another of the same key, and op 9 is the answer.
   * `spent`: it was one too many for a day; the bot has lost its token.
   */
  spend(userId: string, shardId: number): "fine" | "soon" | "spent" {
    const context = this.#context();
    const now = context.clock.monotonic();
    const key = `${userId}:${shardId % this.maxConcurrency}`;
    const last = this.#window.get(key);
    // Identifying the same shard again within five seconds is only refused where one at a time is allowed.
    if (last !== undefined && now - last < limits.identifyWindowMs && this.maxConcurrency === 1) return "soon";
    this.#window.set(key, now);
    const budget = this.#budget(userId);
    budget.count += 1;
    if (budget.count <= this.#total) return "fine";
    this.#resetToken(userId);
    return "spent";
  }

  /** `session_start_limit` of `GET /gateway/bot`. */
  limit(userId: string): Json {
    const budget = this.#budget(userId);
    const since = this.#context().clock.monotonic() - budget.since;
    return {
      total: this.#total,
      remaining: Math.max(0, this.#total - budget.count),
      reset_after: budget.count === 0 ? 0 : Math.max(0, Math.round(limits.identifyResetMs - since)),
      max_concurrency: this.maxConcurrency,
    };
  }

  #budget(userId: string): { count: number; since: number } {
    const now = this.#context().clock.monotonic();
    const standing = this.#spent.get(userId);
    if (standing !== undefined && now - standing.since < limits.identifyResetMs) return standing;
    const fresh = { count: 0, since: now };
    this.#spent.set(userId, fresh);
    return fresh;
  }

  #resetToken(userId: string): void {
    const context = this.#context();
    const user = context.world.users[userId];
    if (user !== undefined) user.token = newToken(userId);
    context.violation(
      "identify_budget",
      Close.AuthenticationFailed,
      "The day's IDENTIFY budget is spent; the token was reset",
    );
    context.changed();
  }
}

function validShard(shard: unknown): boolean {
  if (!Array.isArray(shard) || shard.length !== 2) return false;
  const [id, count] = shard as unknown[];
  return (
    Number.isInteger(id) &&
    Number.isInteger(count) &&
    Number(id) >= 0 &&
    Number(count) > 0 &&
    Number(id) < Number(count)
  );
}
