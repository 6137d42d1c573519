/**
 * What rings: of each new message, whether its owner's client notifies of it, and whether it mentions him by name. What
 * settled by itself is edited where it stands, and Discord notifies of no edit.
 */
import { MessageFlags } from "discord-api-types/v10";
import { instantOf, shownAt } from "../../base/local-time.ts";
import type { Config } from "../../config/config-file.ts";
import type { BotContext } from "../api/bot-context.ts";
import type { Body, News } from "./message.ts";

interface Rule {
  rings: boolean;
  /** Which of the setting `mention` has it mention its owner; null: it never does. */
  mention: Config["mention"][number] | null;
}

/** In quiet hours nothing rings. */
const rules: Readonly<Record<News["kind"], Rule>> = {
  asks: { rings: true, mention: "waiting" },
  // He sits in front of it, and is reminded later if he does not answer there.
  asks_at_terminal: { rings: false, mention: null },
  waits: { rings: true, mention: "waiting" },
  // The mention of these stands in their words.
  reminds: { rings: true, mention: null },
  ends: { rings: true, mention: "ends" },
  told: { rings: true, mention: null },
};

export interface Called {
  rings: boolean;
  /** Who is mentioned; null: nobody. */
  mention: string | null;
}

/** @param news undefined: it is none, such as a card or what the owner did himself */
export function calledFor({ ownerId, clock, config }: BotContext, news: News | undefined): Called {
  const { mention, mention_after_s, quiet_hours, time_zone } = config();
  const quiet = (at: number): boolean => quietUntil(at, quiet_hours, time_zone) !== null;
  if (news === undefined || quiet(news.at ?? clock.now()) || (news.kind === "asks" && isBesideRinging(news, quiet)))
    return { rings: false, mention: null };
  const rule = rules[news.kind];
  const isLong = news.kind !== "ends" || news.workedMs >= mention_after_s * 1000;
  const isNamed = rule.mention !== null && mention.includes(rule.mention) && isLong;
  return { rings: rule.rings, mention: isNamed ? ownerId : null };
}

/** What an agent asks so soon after a prompt that rang is found beside it; reminders call for each. */
const BESIDE_MS = 10_000;

function isBesideRinging(
  { at, before }: { at: number; before: readonly number[] },
  quiet: (at: number) => boolean,
): boolean {
  const isBeside = (time: number, rang: number | null): boolean => rang !== null && Math.abs(time - rang) <= BESIDE_MS;
  const rings = (time: number, rang: number | null): boolean => !quiet(time) && !isBeside(time, rang);
  return isBeside(
    at,
    before.reduce<number | null>((rang, time) => (rings(time, rang) ? time : rang), null),
  );
}

/** The message's flags, by which Discord notifies nobody of what does not ring. */
export function flagsOf({ flags }: Body, { rings }: Called): number {
  return rings ? flags : flags | MessageFlags.SuppressNotifications;
}

/** The body with a mention of the owner, at the end of its text. */
export function withMention(body: Body, { mention }: Pick<Called, "mention">): Body {
  if (mention === null) return body;
  const content = body.content === "" ? `<@${mention}>` : `${body.content} <@${mention}>`;
  return { ...body, content, allowed_mentions: { parse: [], users: [mention], replied_user: false } };
}

/*
 * The hours in which nothing calls the owner: whether it is one now, and when they end.
 */

/**
 * When the current quiet hours end; null if it is not quiet now. Milliseconds since the epoch.
 * @param hours such as `22:00-08:00`, as in the setting; undefined: never
 * @param zone undefined: the machine's
 */
export function quietUntil(now: number, hours: string | undefined, zone?: string): number | null {
  if (hours === undefined) return null;
  const [beginHour = 0, beginMinute = 0, endHour = 0, endMinute = 0] = hours.split(/[:-]/).map(Number);
  const begin = beginHour * 60 + beginMinute;
  const end = endHour * 60 + endMinute;
  const local = new Date(shownAt(now, zone));
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  const overnight = begin > end;
  const isQuiet = overnight ? minute >= begin || minute < end : minute >= begin && minute < end;
  if (!isQuiet) return null;
  const tomorrow = overnight && minute >= begin ? 1 : 0;
  const day = local.getUTCDate() + tomorrow;
  const over = instantOf(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), day, endHour, endMinute), zone);
  // On the night of a clock change, the end may be a time that does not exist.
  return over > now ? over : now + 60_000;
}
