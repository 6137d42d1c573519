/**
 * The announcement of an agent's question: the message in its channel that the question's thread is attached to. It has
 * the same buttons as the prompt in the thread, a reply to it is an answer, and it shows how the question ended. And
 * the message in the thread that says that the question's time ran out.
 */
import { MessageFlags } from "discord-api-types/v10";
import { say, type Locale } from "../../../base/words/say.ts";
import { isOpen, type Decision } from "../../../core/decisions/decision.ts";
import type { State } from "../../../core/state.ts";
import { settledName, SAID } from "../../../core/posts/post-state.ts";
import type { Place } from "../../../core/sessions/thread.ts";
import { inert, smallPrint, colours, systemBody } from "../body.ts";
import { controls, settledControls } from "./controls.ts";
import { answerText } from "./frame.ts";
import { outcome } from "./settled.ts";
import type { Body, DesiredPost } from "../desired-posts.ts";
import { PROMPT_PART } from "../../../core/posts/post.ts";

export const ANNOUNCEMENT_PART = "announcement";

const PROJECT_CHARS = 100;
const QUESTION_CHARS = 300;
const ANSWER_CHARS = 300;

/** Its last line identifies it in a search, whatever else it says. `place`: where its thread's posts go now. */
export function announcementBody(decision: Decision, locale: Locale, place: Place = "thread"): Body {
  const { asker, decision_id, questions } = decision;
  const project = asker.by === "mcp" ? inert(asker.project, PROJECT_CHARS) : "";
  const sentence = say(locale, "question_starter", {
    project,
    question: inert(questions[0]?.question ?? "", QUESTION_CHARS),
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

function became(decision: Decision, locale: Locale): string {
  const { sign, word } = outcome(decision);
  const [question] = decision.questions;
  const [answer] = decision.answers;
  const given =
    question && answer && decision.state === "answered" ? `: ${answerText(question, answer, ANSWER_CHARS)}` : "";
  return `**${sign} ${say(locale, word)}**${given}`;
}

/** Empty if it was not announced with buttons; announcements of earlier releases stay as they are. */
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
      rings: false,
      since: Date.parse(asked_at),
    },
  ];
}

const LAPSED_PART = "lapsed";

/**
 * The message below an agent's question whose time ran out. It is a message of its own because an edit of the prompt
 * is not noticed.
 */
export function lapsedNotice(
  state: State,
  { decision_id: subject, thread_id, state: became, asker, settled_at }: Decision,
  locale: Locale,
): DesiredPost[] {
  if (thread_id === null || became !== "lapsed" || asker.by !== "mcp") return [];
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
      rings: false,
      reply_to,
      since: Date.parse(settled_at ?? ""),
    },
  ];
}
