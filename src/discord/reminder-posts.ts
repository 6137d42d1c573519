/**
 * What the owner is reminded by: a message that calls him by name below the prompt, or one in his direct messages with
 * a link to it. Once the decision is settled, a call that stands is taken away, a direct message says that it is
 * settled, and none is posted any more.
 */
import { say, type Locale } from "../base/words/say.ts";
import { isOpen, nextQuestion, type Decision, type Reminder } from "../core/decision.ts";
import type { State } from "../core/house.ts";
import { PROMPT_PART } from "../core/post.ts";
import { code, colours, told } from "./body.ts";
import { clock, headline, promptLink, quoted } from "./decision-frame.ts";
import type { Body, Owed } from "./owed.ts";

const QUESTION_CHARS = 600;
const OPTIONS_NAMED = 20;

/** In the order in which they were due. */
export function reminderPosts(state: State, threadId: string, { locale, ownerId }: { locale: Locale; ownerId: string }): Owed[] {
  return Object.values(state.decisions).flatMap((decision) => (decision.thread_id === threadId ? postsOf(state, decision, locale, ownerId) : []));
}

function postsOf(state: State, decision: Decision, locale: Locale, ownerId: string): Owed[] {
  const { decision_id: subject, thread_id, reminders } = decision;
  const posts = state.posts[subject] ?? {};
  return reminders.flatMap((reminder, at): Owed[] => {
    const part = `reminder:${at + 1}`;
    const posted = posts[part]?.message_id != null;
    // One that the next has overtaken before it could be posted would only be a second call at once.
    if (!posted && (!isOpen(decision) || at + 1 < reminders.length)) return [];
    const want = wanted(state, decision, reminder, locale, ownerId);
    const owed = { subject, part, thread_id: thread_id ?? "", lane: "decision", since: Date.parse(reminder.at), live: false } as const;
    if (want === null) return [{ ...owed, want: { kind: "remove" }, reply_to: null }];
    const reply_to = reminder.by === "mention" ? (posts[PROMPT_PART]?.message_id ?? null) : null;
    return [{ ...owed, want: { kind: "show", body: want }, reply_to, ...(reminder.by === "direct" && { to: "owner" }) }];
  });
}

/** Null: nothing is to stand there any more. */
function wanted(state: State, decision: Decision, { by }: Reminder, locale: Locale, ownerId: string): Body | null {
  const link = promptLink(state, decision) ?? `<#${decision.thread_id}>`;
  if (!isOpen(decision)) return by === "direct" ? told({ color: colours.quiet, description: say(locale, "reminder_settled", { link }) }) : null;
  const waits = say(locale, "reminder_waits", { since: clock(decision.asked_at, "f"), link });
  const title = headline(state, decision, locale);
  if (by === "direct") return told({ color: colours.asks, title, description: [...what(decision), waits, say(locale, decision.kind === "question" ? "reminder_reply" : "reminder_look")].join("\n") });
  const body = told({ color: colours.asks, title, description: waits });
  return { ...body, content: `<@${ownerId}>`, allowed_mentions: { parse: [], users: [ownerId], replied_user: false } };
}

/** Enough to answer a question; of what would be done only its name, for the whole of it is shown where it was asked. */
function what(decision: Decision): string[] {
  if (decision.kind !== "question") return decision.subject === null ? [] : [code(decision.subject.title, 300)];
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  const options = question.options.slice(0, OPTIONS_NAMED).map(({ label }, place) => quoted(`${place + 1}. ${label}`, 200).text);
  return [quoted(question.question, QUESTION_CHARS).text, ...options];
}
