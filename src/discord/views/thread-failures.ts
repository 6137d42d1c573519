/**
 * What is said in a thread of what failed there without a job: settings that config.json could not take, which hold all the
 * same, and a window that could not be opened.
 */
import { say, type Locale } from "../../base/words/say.ts";
import { SAID } from "../../core/posts/post-state.ts";
import type { Thread } from "../../core/sessions/thread.ts";
import type { State } from "../../core/state.ts";
import { colours, systemBody } from "./body.ts";
import type { DesiredPost } from "./desired-posts.ts";
import { sentence } from "./error-sentence.ts";

/** Each once, until it succeeds and fails again. */
export function threadFailures({ threads }: Pick<State, "threads">, threadId: string, locale: Locale): DesiredPost[] {
  const { unwritten, unopened } = threads[threadId] ?? {};
  const why = ({ code, details }: NonNullable<Thread["unopened"]>): string => `${sentence(locale, code, details)} \`${code}\``;
  const post = ({ at }: NonNullable<Thread["unopened"]>, part: string, description: string): DesiredPost => {
    const body = systemBody({ color: colours.waits, description });
    const since = Date.parse(at);
    return { subject: threadId, part: `${part}:${since}`, thread_id: threadId, priority: "result", want: { kind: "show", body }, is: SAID, rings: true, reply_to: null, since, live: false };
  };
  return [
    ...(unwritten ? [post(unwritten, "settings", why(unwritten))] : []),
    ...(unopened ? [post(unopened, "window", say(locale, "window_unopened", { why: why(unopened) }))] : []),
  ];
}
