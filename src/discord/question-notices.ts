/**
 * What is said below an agent's question that ran out of time (seed A 8.2): a message of its own, because an edit of
 * the prompt tells nobody.
 */
import { say, type Locale } from "../base/words/say.ts";
import type { State } from "../core/house.ts";
import { PROMPT_PART } from "../core/post.ts";
import { colours, told } from "./body.ts";
import type { Owed } from "./owed.ts";

const PART = "lapsed";

export function questionNotices(state: State, threadId: string, locale: Locale): Owed[] {
  const lapsed = Object.values(state.decisions).filter(({ thread_id, state: is, asker }) => thread_id === threadId && is === "lapsed" && asker.by === "mcp");
  return lapsed.map(({ decision_id, settled_at }) => ({
    subject: decision_id,
    part: PART,
    thread_id: threadId,
    lane: "result",
    want: { kind: "show", body: told({ color: colours.quiet, description: `⌛ ${say(locale, "question_lapsed")}` }) },
    reply_to: state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? null,
    since: Date.parse(settled_at ?? ""),
    live: false,
  }));
}
