/**
 * The message below an agent's question whose time ran out. It is a message of its own because an edit of the prompt
 * is not noticed.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import { decisionsIn } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { PROMPT_PART } from "../../../core/posts/post.ts";
import { SAID } from "../../../core/posts/post-state.ts";
import { colours, systemBody } from "../body.ts";
import type { DesiredPost } from "../desired-posts.ts";

const PART = "lapsed";

export function questionNotices(state: State, threadId: string, locale: Locale): DesiredPost[] {
  const lapsed = decisionsIn(state, threadId).filter(({ state: is, asker }) => is === "lapsed" && asker.by === "mcp");
  return lapsed.map(({ decision_id, settled_at }) => ({
    subject: decision_id,
    part: PART,
    thread_id: threadId,
    priority: "result",
    // The question expired by itself.
    is: SAID,
    rings: false,
    want: { kind: "show", body: systemBody({ color: colours.quiet, description: `⌛ ${say(locale, "question_lapsed")}` }) },
    reply_to: state.posts[decision_id]?.[PROMPT_PART]?.message_id ?? null,
    since: Date.parse(settled_at ?? ""),
    live: false,
  }));
}
