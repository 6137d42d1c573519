/**
 * The reply to a message that keeps a question open, posted below that message: the question still waits, when it may
 * be asked again, and, for a question back to the agent, how its words reach the agent. It is removed once it no
 * longer applies.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import { isOpen, nextQuestion, type Decision } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { REMOVED } from "../../../core/posts/post.ts";
import { colours, systemBody } from "../body.ts";
import { keptControls } from "./controls.ts";
import { clock, promptLink } from "./frame.ts";
import type { Body, DesiredPost } from "../desired-posts.ts";

const PART = "kept:";

export function keptPosts(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id, kept } = decision;
  const posts = state.posts[subject] ?? {};
  const now = isOpen(decision) && kept ? `${PART}${kept.discord_message_id}` : null;
  const gone = Object.keys(posts).filter((part) => part.startsWith(PART) && part !== now);
  // The owner has just written and needs no ping.
  const desired = { subject, thread_id: thread_id ?? "", priority: "decision", rings: false, live: false } as const;
  const removed = gone.map((part): DesiredPost => ({ ...desired, part, want: { kind: "remove" }, is: REMOVED, reply_to: null, since: Date.parse(decision.asked_at) }));
  if (now === null || !kept) return removed;
  const direct = kept.channel_id !== thread_id;
  const notice: DesiredPost = {
    ...desired,
    part: now,
    want: { kind: "show", body: body(state, decision, locale) },
    is: decision.snooze ? `${kept.why} snoozed ${decision.snooze.until}` : kept.why,
    reply_to: direct ? null : kept.discord_message_id,
    since: Date.parse(kept.at),
    ...(direct && { to: "owner" as const }),
  };
  return [...removed, notice];
}

function body(state: State, decision: Decision, locale: Locale): Body {
  const { kept, snooze } = decision;
  const url = promptLink(state, decision);
  const name = say(locale, "again_link");
  const link = url === null ? name : `[${name}](${url})`;
  const isQuestion = kept?.why === "question";
  const sends = isQuestion && (decision.questions[nextQuestion(decision)]?.words ?? false);
  const lines = [
    ...(snooze === undefined || isQuestion ? [say(locale, isQuestion ? "kept_question" : "kept_later", { link })] : []),
    ...(sends ? [say(locale, "kept_send")] : []),
    ...(snooze === undefined ? [] : [`💤 ${say(locale, "ask_snoozed", { at: clock(snooze.until, "f") })}`]),
  ];
  return { ...systemBody({ color: colours.asks, title: say(locale, "kept_title"), description: lines.join("\n") }), components: keptControls(decision, locale, sends) };
}
