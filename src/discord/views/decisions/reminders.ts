/**
 * Reminders of the owner: a message below the prompt that mentions the owner, or a direct message with a link to the
 * prompt. A snoozed question is repeated whole, with its controls. Once the decision is settled, an existing one
 * says so, and no more reminders are posted.
 */
import { say, type Locale } from "../../../base/words/say.ts";
import { isOnScreen } from "../../../core/decisions/asker.ts";
import {
  isOpen,
  nextQuestion,
  type Decision,
  type Reminder,
  type SettledDecision,
} from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { PROMPT_PART } from "../../../core/posts/post.ts";
import {
  code,
  colours,
  systemBody,
  withHeadline,
  type Body,
  type DesiredPost,
  plainLine,
  smallPrint,
} from "../message.ts";
import { withMention } from "../rings.ts";
import { controls, clock, headline, promptLink, quoteLines, settledControls, answerText } from "./controls.ts";
import { optionLines } from "./question.ts";
import { MessageFlags } from "discord-api-types/v10";
import { settledName, SAID } from "../../../core/jobs/post-state.ts";
import type { Place } from "../../../core/sessions/thread.ts";
import { outcomeSign } from "./settled.ts";

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
      ...(isOpen(decision) && { news: { kind: "reminds" } as const }),
      since: Date.parse(reminder.at),
    } as const;
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

function wanted(
  state: State,
  decision: Decision,
  { by, after_snooze }: Reminder,
  { locale, ownerId }: ReminderOptions,
): Body {
  const link = promptLink(state, decision) ?? `<#${decision.thread_id}>`;
  if (!isOpen(decision))
    return systemBody({ color: colours.quiet, description: say(locale, "reminder_settled", { link }) });
  const waits = say(locale, "reminder_waits", { since: clock(decision.asked_at, "f"), link });
  const about = [
    ...what(decision),
    ...(decision.asker.by === "hook" && !isOnScreen(decision.asker) ? [say(locale, "ask_there_too")] : []),
  ];
  const title = headline(state, decision, locale);
  const calling = (body: Body): Body => withMention(withHeadline(body), { mention: ownerId });
  // What can be answered in a few words or by a press can be answered from the reminder.
  const components = decision.kind === "question" ? controls(decision, locale, true) : [];
  if (after_snooze)
    return {
      ...calling(
        systemBody({
          color: colours.asks,
          title,
          description: [...about, say(locale, "snooze_over", { link })].join("\n"),
        }),
      ),
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
    ...calling(systemBody({ color: colours.asks, title, description: [...about, waits].join("\n") })),
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
  return [quoteLines(question.question, QUESTION_CHARS), ...optionLines(question).lines];
}

/*
 * The announcement of an agent's question: the message in its channel that the question's thread is attached to. It has
 * the same buttons as the prompt in the thread, a reply to it is an answer, and it shows how the question ended. And
 * the message in the thread that says that the question's time ran out.
 */

export const ANNOUNCEMENT_PART = "announcement";

const PROJECT_CHARS = 100;
const ANNOUNCED_CHARS = 300;
const ANSWER_CHARS = 300;

/** Its last line identifies it in a search, whatever else it says. `place`: where its thread's posts go now. */
export function announcementBody(decision: Decision, locale: Locale, place: Place = "thread"): Body {
  const { asker, decision_id, questions } = decision;
  const project = asker.by === "mcp" ? plainLine(asker.project, PROJECT_CHARS) : "";
  const sentence = say(locale, "question_starter", {
    project,
    question: plainLine(questions[0]?.question ?? "", ANNOUNCED_CHARS),
  });
  const lines = [
    sentence,
    ...(isOpen(decision)
      ? [say(locale, place === "thread" ? "announce_how" : "announce_how_here")]
      : [became(decision, locale)]),
    smallPrint(decision_id),
  ];
  return {
    content: lines.join("\n"),
    embeds: [],
    components: isOpen(decision) ? controls(decision, locale, true) : settledControls(decision, locale),
    flags: MessageFlags.SuppressEmbeds,
    allowed_mentions: { parse: [], replied_user: false },
  };
}

/** The name of what it says: that the question is open and where to answer it, or how it ended. */
export function announcementName(decision: Decision, place: Place = "thread"): string {
  if (!isOpen(decision)) return settledName(decision);
  return place === "thread" ? "asked" : "asked here";
}

function became(decision: SettledDecision, locale: Locale): string {
  const { sign, word } = outcomeSign(decision);
  const [question] = decision.questions;
  const [answer] = decision.answers;
  const given =
    question && answer && decision.state === "answered" ? `: ${answerText(question, answer, ANSWER_CHARS)}` : "";
  return `**${sign} ${say(locale, word)}**${given}`;
}

/** Empty if it was not announced. */
export function announcement(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id, asked_at } = decision;
  if (thread_id === null || state.posts[subject]?.[ANNOUNCEMENT_PART] === undefined) return [];
  const place = state.threads[thread_id]?.place;
  const want = { kind: "show", body: announcementBody(decision, locale, place) } as const;
  return [
    {
      subject,
      part: ANNOUNCEMENT_PART,
      thread_id,
      to: "parent",
      priority: "cosmetic",
      want,
      is: announcementName(decision, place),
      since: Date.parse(asked_at),
    },
  ];
}

const LAPSED_PART = "lapsed";

/**
 * The message below an agent's question whose time ran out. It is a message of its own because an edit of the prompt
 * is not noticed.
 */
export function lapsedNotice(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id, asker } = decision;
  if (thread_id === null || decision.state !== "lapsed" || asker.by !== "mcp") return [];
  const want = {
    kind: "show",
    body: systemBody({ color: colours.quiet, description: `⌛ ${say(locale, "question_lapsed")}` }),
  } as const;
  const reply_to = state.posts[subject]?.[PROMPT_PART]?.message_id ?? null;
  // The question expired by itself.
  return [
    {
      subject,
      part: LAPSED_PART,
      thread_id,
      priority: "result",
      want,
      is: SAID,
      reply_to,
      since: Date.parse(decision.settled_at),
    },
  ];
}
