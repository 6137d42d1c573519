/**
 * The notice of a catch-up that takes longer than a moment, and of threads that cannot be read although something waits
 * in them: one message in the owner's channel, edited as it changes and deleted when nothing is left.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { REMOVED } from "../../../core/posts/post.ts";
import { firstThread } from "../../../core/sessions/thread.ts";
import { colours, systemBody } from "../../views/body.ts";
import type { Left } from "./catch-up.ts";
import type { DesiredPost } from "../../views/desired-posts.ts";
import { nameOf } from "../../views/post-request.ts";

const PART = "left";
const NAMED = 10;

/** The channel for that notice: the owner's, else the one in which this bot's first session was opened. */
export function noticeChannel(state: State, channelId: string | undefined, botId: string): string | undefined {
  return channelId ?? firstThread(state, botId)?.channel_id;
}

/** The posts due in that channel; none if nothing is left and nothing was posted. `since`: ms since the epoch. */
export function catchUpNotice(
  state: State,
  left: Left,
  { locale, channelId, since }: { locale: Locale; channelId: string; since: number },
): DesiredPost[] {
  const subject = `left:${channelId}`;
  const lines = [
    ...(left.waiting.length > 0
      ? [say(locale, "catch_up_left", { count: left.waiting.length, threads: named(left.waiting) })]
      : []),
    ...(left.unreadable.length > 0 ? [say(locale, "catch_up_unreadable", { threads: named(left.unreadable) })] : []),
  ];
  if (lines.length === 0 && !state.posts[subject]?.[PART]?.message_id) return [];
  const body = systemBody({
    color: colours.waits,
    title: say(locale, "catch_up_title"),
    description: lines.join("\n"),
  });
  const want: DesiredPost["want"] = lines.length === 0 ? { kind: "remove" } : { kind: "show", body };
  return [
    {
      subject,
      part: PART,
      thread_id: channelId,
      priority: "result",
      want,
      is: lines.length === 0 ? REMOVED : nameOf(left),
      rings: false,
      since,
    },
  ];
}

function named(threads: readonly string[]): string {
  const shown = threads.slice(0, NAMED).map((id) => `<#${id}>`);
  return threads.length > NAMED ? `${shown.join(" ")} …` : shown.join(" ");
}
