/**
 * What is said while reading back takes longer than a moment, and of threads that cannot be read although something
 * waits in them: one message in the owner's channel, edited as it changes and taken away when there is nothing left.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import { colours, told } from "./body.ts";
import type { Left } from "./catch-up.ts";
import type { Owed } from "./owed.ts";

const PART = "left";
const NAMED = 10;

/** The channel of such a notice: the owner's, else the one in which the first session was opened. */
export function noticeChannel(state: State, channelId: string | undefined): string | undefined {
  return channelId ?? Object.values(state.threads)[0]?.channel_id;
}

/** What is owed to that channel; nothing where nothing is left and nothing was said. `since`: ms since the epoch. */
export function catchUpNotice(state: State, left: Left, { locale, channelId, since }: { locale: Locale; channelId: string; since: number }): Owed[] {
  const subject = `left:${channelId}`;
  const lines = [
    ...(left.waiting.length > 0 ? [say(locale, "catch_up_left", { count: left.waiting.length, threads: named(left.waiting) })] : []),
    ...(left.unreadable.length > 0 ? [say(locale, "catch_up_unreadable", { threads: named(left.unreadable) })] : []),
  ];
  if (lines.length === 0 && !state.posts[subject]?.[PART]?.message_id) return [];
  const body = told({ color: colours.waits, title: say(locale, "catch_up_title"), description: lines.join("\n") });
  const want: Owed["want"] = lines.length === 0 ? { kind: "remove" } : { kind: "show", body };
  return [{ subject, part: PART, thread_id: channelId, lane: "result", want, reply_to: null, since, live: false }];
}

function named(threads: readonly string[]): string {
  const shown = threads.slice(0, NAMED).map((id) => `<#${id}>`);
  return threads.length > NAMED ? `${shown.join(" ")} …` : shown.join(" ");
}
