/**
 * The kinds of id the house passes round, as branded strings, so that a message id cannot be handed
 * where a thread id is wanted. Snowflakes come from Discord (decimal, up to 20 digits); the ids of jobs and
 * decisions are ours.
 */
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

/** Orders snowflakes by age; their lengths differ only by age, so length goes before digits. */
export function compareSnowflakes(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `job_YYYYMMDD_NNNN`, counted within a day (UTC); beyond 9999 the number simply grows. */
export function jobId(day: string, number: number): JobId {
  return `job_${day}_${String(number).padStart(4, "0")}` as JobId;
}

const DECISION_ID = /^dec_[0-9]{8}_[0-9a-f]{32}$/;

/** A fresh `dec_YYYYMMDD_<32 hex digits>`, of the day (UTC) of `now`, milliseconds since the epoch: nobody can guess it. */
export function newDecisionId(now: number): string {
  const chance = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"));
  return `dec_${new Date(now).toISOString().slice(0, 10).replaceAll("-", "")}_${chance.join("")}`;
}

export function isDecisionId(text: string): boolean {
  return DECISION_ID.test(text);
}
