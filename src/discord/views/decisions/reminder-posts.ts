/**
 * Reminders of the owner: a message below the prompt that mentions the owner, or a direct message with a link to the
 * prompt. A snoozed question is repeated whole, with its controls. Once the decision is settled, an existing mention
 * is removed, a direct message says that it is settled, and no more reminders are posted.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import { isOnScreen } from "../../../core/decisions/asker.ts";
import { isOpen, nextQuestion, type Decision, type Reminder } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { PROMPT_PART, REMOVED } from "../../../core/posts/post.ts";
import { code, colours, systemBody } from "../body.ts";
import { controls } from "./controls.ts";
import { clock, headline, promptLink, quoted } from "./frame.ts";
import { optionLines } from "./question.ts";
import type { Body, DesiredPost } from "../desired-posts.ts";

const QUESTION_CHARS = 600;

interface ReminderOptions {
  locale: Locale;
  ownerId: string;
}

/** In the order in which they were due. */
export function reminderPosts(state: State, decision: Decision, options: ReminderOptions): DesiredPost[] {
  const { decision_id: subject, thread_id, reminders } = decision;
  const posts = state.posts[subject] ?? {};
  return reminders.flatMap((reminder, at): DesiredPost[] => {
    const part = `reminder:${at + 1}`;
    const posted = posts[part]?.message_id != null;
    // A reminder overtaken by the next one before it was posted would only be a second mention at once.
    if (!posted && (!isOpen(decision) || at + 1 < reminders.length)) return [];
    const want = wanted(state, decision, reminder, options);
    const desired = {
      subject,
      part,
      thread_id: thread_id ?? "",
      priority: "decision",
      rings: true,
      since: Date.parse(reminder.at),
    } as const;
    if (want === null) return [{ ...desired, want: { kind: "remove" }, is: REMOVED }];
    const reply_to = reminder.by === "mention" ? (posts[PROMPT_PART]?.message_id ?? null) : null;
    return [
      {
        ...desired,
        want: { kind: "show", body: want },
        is: isOpen(decision) ? `waits ${nextQuestion(decision)} ${posts[PROMPT_PART]?.message_id ?? ""}` : "settled",
        reply_to,
        ...(reminder.by === "direct" && { to: "owner" }),
      },
    ];
  });
}

/** Null: nothing should be posted there any more. */
function wanted(
  state: State,
  decision: Decision,
  { by, after_snooze }: Reminder,
  { locale, ownerId }: ReminderOptions,
): Body | null {
  const link = promptLink(state, decision) ?? `<#${decision.thread_id}>`;
  if (!isOpen(decision))
    return by === "direct"
      ? systemBody({ color: colours.quiet, description: say(locale, "reminder_settled", { link }) })
      : null;
  const waits = say(locale, "reminder_waits", { since: clock(decision.asked_at, "f"), link });
  const about = [
    ...what(decision),
    ...(decision.asker.by === "hook" && !isOnScreen(decision.asker) ? [say(locale, "ask_there_too")] : []),
  ];
  const title = headline(state, decision, locale);
  const calls = { content: `<@${ownerId}>`, allowed_mentions: { parse: [], users: [ownerId], replied_user: false } };
  // What can be answered in a few words or by a press can be answered from the reminder.
  const components = decision.kind === "question" ? controls(decision, locale, true) : [];
  if (after_snooze)
    return {
      ...systemBody({
        color: colours.asks,
        title,
        description: [...about, say(locale, "snooze_over", { link })].join("\n"),
      }),
      ...calls,
      components,
    };
  if (by === "direct")
    return {
      ...systemBody({
        color: colours.asks,
        title,
        description: [
          ...about,
          waits,
          say(locale, decision.kind === "question" ? "reminder_reply" : "reminder_look"),
        ].join("\n"),
      }),
      components,
    };
  return {
    ...systemBody({ color: colours.asks, title, description: [...about, waits].join("\n") }),
    ...calls,
    components,
  };
}

/**
 * Enough to answer a question, with its options named as in the prompt; for other decisions only the title, because
 * all of what would be done is shown in the prompt.
 */
function what(decision: Decision): string[] {
  if (decision.kind !== "question") return decision.subject === null ? [] : [code(decision.subject.title, 300)];
  const question = decision.questions[nextQuestion(decision)];
  if (!question) return [];
  return [quoted(question.question, QUESTION_CHARS), ...optionLines(question).lines];
}
