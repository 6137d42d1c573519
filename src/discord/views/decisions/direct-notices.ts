/**
 * Notices in the owner's direct messages about a message that settled nothing there: the reason, and what is open,
 * with links. They are owed like every other post, so a crash neither loses nor duplicates them.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import type { State } from "../../../core/state.ts";
import { SAID } from "../../../core/posts/post-state.ts";
import { noticesIn, type Notice, type Pointed } from "../../../core/sessions/thread.ts";
import { colours, systemBody } from "../body.ts";
import { promptLink } from "./frame.ts";
import type { DesiredPost } from "../desired-posts.ts";
import { sentence } from "../error-sentence.ts";

const NAMED = 10;
const says = {
  nothing: "direct_nothing",
  which: "direct_which",
  unseen: "direct_unseen",
  no_yes: "direct_no_yes",
  open: "direct_open",
  settled: "direct_settled",
} as const satisfies Record<Pointed, string>;

/** Empty unless the channel is the direct messages between the bot and its owner. */
export function directNotices(state: State, channelId: string, locale: Locale): DesiredPost[] {
  if (state.channels[channelId]?.kind !== "direct") return [];
  return noticesIn(state, channelId).flatMap((notice) => notices(state, notice, locale));
}

function notices(state: State, notice: Notice, locale: Locale): DesiredPost[] {
  const { subject, thread_id, discord_message_id: reply_to, at } = notice;
  const description = wordsOf(state, notice, locale);
  if (description === null) return [];
  const body = systemBody({ color: colours.waits, description });
  return [{ subject, part: "refused", thread_id, priority: "result", want: { kind: "show", body }, is: SAID, rings: true, reply_to, since: Date.parse(at), live: false }];
}

/** Null for changes that only a job's message can have. */
function wordsOf(state: State, { change, code, details }: Notice, locale: Locale): string | null {
  if (code !== null) return `${sentence(locale, code, details)} \`${code}\``;
  if (change === null || change === "edited" || change === "deleted" || change === "unsent") return null;
  return say(locale, says[change], { decisions: linksTo(state, String(details["decisions"] ?? "")) });
}

function linksTo(state: State, ids: string): string {
  const links = ids.split(",").flatMap((id) => {
    const decision = state.decisions[id];
    return decision === undefined ? [] : (promptLink(state, decision) ?? `<#${decision.thread_id}>`);
  });
  return links.length > NAMED ? `${links.slice(0, NAMED).join(" ")} …` : links.join(" ");
}
