/**
 * What the owner is told in his direct messages of a message that settled nothing there: why, and what is open, with
 * links. Owed like every other post, so a crash neither loses nor doubles it.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import type { Notice, Pointed } from "../core/thread.ts";
import { colours, told } from "./body.ts";
import { promptLink } from "./decision-frame.ts";
import type { Owed } from "./owed.ts";
import { sentence } from "./sentence.ts";

const NAMED = 10;
const says = {
  nothing: "direct_nothing",
  which: "direct_which",
  unseen: "direct_unseen",
  open: "direct_open",
  settled: "direct_settled",
} as const satisfies Record<Pointed, string>;

/** Nothing for a channel that is not the direct messages of the bot and its owner. */
export function directNotices(state: State, channelId: string, locale: Locale): Owed[] {
  if (state.channels[channelId]?.kind !== "direct") return [];
  return Object.values(state.notices).flatMap((notice) => (notice.thread_id === channelId ? notices(state, notice, locale) : []));
}

function notices(state: State, notice: Notice, locale: Locale): Owed[] {
  const { subject, thread_id, discord_message_id: reply_to, at } = notice;
  const description = wordsOf(state, notice, locale);
  if (description === null) return [];
  const body = told({ color: colours.waits, description });
  return [{ subject, part: "refused", thread_id, lane: "result", want: { kind: "show", body }, reply_to, since: Date.parse(at), live: false }];
}

/** Null for what only a job's message can come to. */
function wordsOf(state: State, { change, code, details }: Notice, locale: Locale): string | null {
  if (code !== null) return `${sentence(locale, code, details)} \`${code}\``;
  if (change === null || change === "edited" || change === "deleted") return null;
  return say(locale, says[change], { decisions: linksTo(state, String(details["decisions"] ?? "")) });
}

function linksTo(state: State, ids: string): string {
  const links = ids.split(",").flatMap((id) => {
    const decision = state.decisions[id];
    return decision === undefined ? [] : (promptLink(state, decision) ?? `<#${decision.thread_id}>`);
  });
  return links.length > NAMED ? `${links.slice(0, NAMED).join(" ")} …` : links.join(" ");
}
