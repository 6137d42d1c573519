/** What is said in a thread whose settings config.json could not take: that they hold all the same, and what to do. */
import type { Locale } from "../../base/words/say.ts";
import { SAID } from "../../core/posts/post-state.ts";
import type { State } from "../../core/state.ts";
import { colours, systemBody } from "./body.ts";
import type { DesiredPost } from "./desired-posts.ts";
import { sentence } from "./error-sentence.ts";

/** Once each time that it cannot be written. */
export function unwrittenSettings({ threads }: Pick<State, "threads">, threadId: string, locale: Locale): DesiredPost[] {
  const unwritten = threads[threadId]?.unwritten;
  if (!unwritten) return [];
  const { code, details, at } = unwritten;
  const body = systemBody({ color: colours.waits, description: `${sentence(locale, code, details)} \`${code}\`` });
  const since = Date.parse(at);
  return [{ subject: threadId, part: `settings:${since}`, thread_id: threadId, priority: "result", want: { kind: "show", body }, is: SAID, rings: true, reply_to: null, since, live: false }];
}
