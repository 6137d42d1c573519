/**
 * The ids Bellhop uses, as branded strings, so that a message id cannot be passed as a thread id. Snowflakes come from
 * Discord (decimal, up to 20 digits); the ids of jobs and decisions are Bellhop's own.
 */
import { randomBytes } from "node:crypto";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type ChannelId = Branded<"ChannelId">;
export type UserId = Branded<"UserId">;
export type GuildId = Branded<"GuildId">;
export type JobId = Branded<"JobId">;

const SNOWFLAKE = /^[1-9][0-9]{16,19}$/;

/** Whether the text is a Discord snowflake: 17 to 20 decimal digits, nothing before or after. */
export function isSnowflake(text: unknown): text is string {
  return typeof text === "string" && SNOWFLAKE.test(text);
}

/** Orders snowflakes by age; only newer ones are longer, so length is compared before digits. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first millisecond that a snowflake can tell (https://discord.com/developers/docs/reference#snowflakes). */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** When Discord made a snowflake, in milliseconds since the epoch. */
export function snowflakeTime(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** Whether it was made before this time (ISO 8601), by Discord's clock. */
export function isOlderThan(id: string, at: string): boolean {
  return snowflakeTime(id) < Date.parse(at);
}

/** The first snowflake of a time in milliseconds since the epoch; of one before Discord's, the first of all. */
export function firstSnowflake(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms - DISCORD_EPOCH_MS))) << 22n);
}

/** `job_YYYYMMDD_NNNN`, counted per day (UTC); above 9999 the number gets more digits. */
export function jobId(day: string, number: number): JobId {
  return `job_${day}_${String(number).padStart(4, "0")}` as JobId;
}

const DECISION_ID = /^dec_[0-9]{8}_[0-9a-f]{32}$/;

/**
 * A new `dec_YYYYMMDD_<32 hex digits>` for the day (UTC) of `now`, milliseconds since the epoch. It cannot be guessed.
 */
export function newDecisionId(now: number): string {
  return `dec_${dated(now)}`;
}

/** The same for a rule of the owner's: `rule_YYYYMMDD_<32 hex digits>`. */
export function newRuleId(now: number): string {
  return `rule_${dated(now)}`;
}

/** The same for an outside turn: `turn_YYYYMMDD_<32 hex digits>`. */
export function newTurnId(now: number): string {
  return `turn_${dated(now)}`;
}

function dated(now: number): string {
  return `${new Date(now).toISOString().slice(0, 10).replaceAll("-", "")}_${randomBytes(16).toString("hex")}`;
}

export function isDecisionId(text: string): boolean {
  return DECISION_ID.test(text);
}
