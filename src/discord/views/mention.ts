/**
 * Whether a new message calls the owner: whether the client notifies of it, and whether it mentions the owner by name.
 * The owner's settings decide what does; in quiet hours nothing does.
 */
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/config-file.ts";
import { quietUntil } from "./quiet-hours.ts";
import type { Body } from "./desired-posts.ts";

/** `waiting`: it waits for the owner's answer; `ends`: one of the owner's jobs has ended. */
export type Why = Config["mention"][number];

export interface Call {
  rings: boolean;
  /** Who is mentioned; null: nobody. */
  mention: string | null;
}

/** @param at since when, milliseconds since the epoch; null: now. @param workedMs how long the job took; for `ends` */
export type Calls = (why: Why, at: number | null, workedMs?: number) => Call;

export interface CallsOptions {
  ownerId: string;
  clock: Pick<Clock, "now">;
  config(): Pick<Config, "mention" | "mention_after_s" | "quiet_hours">;
}

export function openCalls({ ownerId, clock, config }: CallsOptions): Calls {
  return (why, at, workedMs = 0) => {
    const { mention, mention_after_s, quiet_hours } = config();
    if (quietUntil(at ?? clock.now(), quiet_hours) !== null) return { rings: false, mention: null };
    const named = mention.includes(why) && (why === "waiting" || workedMs >= mention_after_s * 1000);
    return { rings: true, mention: named ? ownerId : null };
  };
}

/** For where nothing is configured. */
export const CALLS_NOBODY: Calls = () => ({ rings: true, mention: null });

/** The body with a mention of the owner above it. */
export function calling(body: Body, { mention }: Call): Body {
  return mention === null
    ? body
    : { ...body, content: `<@${mention}>`, allowed_mentions: { parse: [], users: [mention], replied_user: false } };
}
