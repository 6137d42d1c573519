/**
 * Whether a new message calls the owner: whether the client notifies of it, and whether it mentions the owner by name.
 * The owner's settings decide what does; in quiet hours nothing does.
 */
import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/config-file.ts";
import type { Body } from "./message.ts";

/** `waiting`: it waits for the owner's answer; `ends`: one of the owner's jobs has ended. */
type Why = Config["mention"][number];

interface MentionChoice {
  rings: boolean;
  /** Who is mentioned; null: nobody. */
  mention: string | null;
}

/** @param at since when, milliseconds since the epoch; null: now. @param workedMs how long the job took; for `ends` */
export type Calls = (why: Why, at: number | null, workedMs?: number) => MentionChoice;

interface CallsOptions {
  ownerId: string;
  clock: Pick<Clock, "now">;
  mentionConfig(): Pick<Config, "mention" | "mention_after_s" | "quiet_hours">;
}

export function openCalls({ ownerId, clock, mentionConfig: config }: CallsOptions): Calls {
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
export function withMention(body: Body, { mention }: MentionChoice): Body {
  return mention === null
    ? body
    : { ...body, content: `<@${mention}>`, allowed_mentions: { parse: [], users: [mention], replied_user: false } };
}

/*
 * The hours in which nothing calls the owner, in the machine's own time zone: whether it is one now, and when they end.
 */

/**
 * When the current quiet hours end; null if it is not quiet now. Milliseconds since the epoch.
 * @param hours such as `22:00-08:00`, as in the setting; undefined: never
 */
export function quietUntil(now: number, hours: string | undefined): number | null {
  if (hours === undefined) return null;
  const [beginHour = 0, beginMinute = 0, endHour = 0, endMinute = 0] = hours.split(/[:-]/).map(Number);
  const begin = beginHour * 60 + beginMinute;
  const end = endHour * 60 + endMinute;
  const local = new Date(now);
  const minute = local.getHours() * 60 + local.getMinutes();
  const overnight = begin > end;
  const isQuiet = overnight ? minute >= begin || minute < end : minute >= begin && minute < end;
  if (!isQuiet) return null;
  const tomorrow = overnight && minute >= begin ? 1 : 0;
  const over = new Date(
    local.getFullYear(),
    local.getMonth(),
    local.getDate() + tomorrow,
    endHour,
    endMinute,
  ).getTime();
  // On the night of a clock change, the end may be a time that does not exist.
  return over > now ? over : now + 60_000;
}
