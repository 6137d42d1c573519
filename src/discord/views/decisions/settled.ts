/**
 * A settled decision: the outcome, who settled it, when and how, and no controls except the one that takes a press
 * back. Pure, and made from the state alone: no file is read for what cannot change any more.
 */
import { groupDigits } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import { workOf } from "../../../core/decisions/asker.ts";
import {
  type AnsweredDecision,
  type Decision,
  type OpenDecision,
  type Question,
  type SettledDecision,
  type VoidDecision,
  nextQuestion,
  isOpen,
} from "../../../core/decisions/decision.ts";
import type { Excess, TerminalOutcome } from "../../../core/decisions/voided.ts";
import { PERMISSION, PLAN } from "../../../core/decisions/may-answer.ts";
import { jobOrTurn } from "../../../core/jobs/job-or-turn.ts";
import { shownLine } from "../../../base/hidden-characters.ts";
import type { State } from "../../../core/state.ts";
import {
  code,
  colours,
  plainLine,
  smallPrint,
  systemBody,
  type Body,
  button,
  type Button,
  type DesiredPost,
  sentence,
  pastBody,
} from "../message.ts";
import {
  settledControls,
  answerText,
  askerOf,
  clock,
  framedBody,
  quoteLines,
  promptLink,
  keptControls,
} from "./controls.ts";
import { ButtonStyle } from "discord-api-types/v10";
import { entryOf } from "../../../base/entry.ts";
import { isLeft, isUntold } from "../../../core/decisions/settlement.ts";
import { isHeld } from "../../../core/decisions/answering.ts";
import { type Notice, type Pointed, type PointedMessage, noticesIn } from "../../../core/sessions/thread.ts";
import { customId } from "../custom-id.ts";
import { REMOVED } from "../../../core/posts/post.ts";
import { OVER, SAID } from "../../../core/jobs/post-state.ts";

const WORDS_CHARS = 1000;
const QUESTION_CHARS = 250;
/** Questions and answers listed of one decision. */
const NAMED = 10;

/** Replaces the prompt. `ownerId`: the owner, named and not pinged. */
export function settledBody(
  state: State,
  decision: SettledDecision,
  locale: Locale,
  ownerId: string | undefined,
): Body {
  if (isUnasked(decision)) return unasked(decision, locale);
  const { sign, word, color } = { ...outcomeSign(decision), ...(isUntold(decision) && NOT_TOLD) };
  const lines = [
    `**${sign} ${say(locale, word)}**`,
    ...what(decision),
    ...why(state, decision, locale),
    ...who(decision, locale, ownerId),
  ];
  const body = framedBody(state, decision, locale, { color, description: lines.join("\n") });
  return { ...body, components: settledControls(decision, locale) };
}

/** Whether an earlier answer of the owner's settled it, or a rule of his. */
export function isUnasked(decision: Decision): decision is AnsweredDecision {
  return decision.state === "answered" && (decision.settled_by === "grant" || decision.settled_by === "rule");
}

/** One line of small print, because nobody was asked anything. */
function unasked({ subject, settled_at, settled_by }: AnsweredDecision, locale: Locale): Body {
  const isRule = settled_by === "rule";
  const line = say(locale, isRule ? "done_by_rule" : "done_by_grant", {
    tool: plainLine(subject?.tool ?? "?", 60),
    title: code(shownLine(subject?.title ?? ""), 120),
    at: clock(settled_at, "f"),
  });
  return { ...systemBody({}), embeds: [], content: smallPrint(`${isRule ? "⛔" : "🔓"} ${line}`) };
}

interface OutcomeLook {
  sign: string;
  word: WordKey;
  color: number;
}

const NOT_TOLD = { sign: "⏳", color: colours.waits };

const AT_THE_TERMINAL: Record<TerminalOutcome, OutcomeLook> = {
  allowed: { sign: "✅", word: "done_terminal_allowed", color: colours.good },
  denied: { sign: "⛔", word: "done_terminal_denied", color: colours.bad },
  answered: { sign: "✅", word: "done_terminal_answered", color: colours.good },
};

/** How it ended: a sign, a word and a colour. */
export function outcomeSign(decision: SettledDecision): OutcomeLook {
  switch (decision.state) {
    case "answered":
      return answeredSign(decision);
    case "lapsed":
      return { sign: "⌛", word: "done_lapsed", color: colours.quiet };
    case "aborted":
      return { sign: "⚠️", word: "done_aborted", color: colours.waits };
    case "void":
      if (decision.voided === "too_long") return { sign: "⛔", word: "done_too_long", color: colours.bad };
      if (decision.voided !== "terminal") return { sign: "▫️", word: "done_void", color: colours.quiet };
      return decision.outcome === undefined
        ? { sign: "▫️", word: "done_terminal", color: colours.quiet }
        : AT_THE_TERMINAL[decision.outcome];
  }
}

function answeredSign({ kind, answers, declined, rule_id }: AnsweredDecision): OutcomeLook {
  const place = answers[0]?.places[0];
  const no = { sign: "⛔", color: colours.bad };
  const yes = { sign: "✅", color: colours.good };
  if (declined !== undefined)
    return { ...no, word: declined === "decline" ? "done_form_declined" : "done_form_cancelled" };
  if (kind === "plan")
    return place === PLAN.approve ? { ...yes, word: "done_approved" } : { ...no, word: "done_rejected" };
  if (kind === "question") return { ...yes, word: "done_answered" };
  if (rule_id !== undefined)
    return place === PERMISSION.once ? { ...yes, word: "done_allowed_rule" } : { ...no, word: "done_denied_rule" };
  if (place === PERMISSION.once) return { ...yes, word: "done_allowed_once" };
  return place === PERMISSION.session ? { ...yes, word: "done_allowed_session" } : { ...no, word: "done_denied" };
}

/** What it was about, and the answers. */
function what(decision: SettledDecision): string[] {
  const { kind, subject, form, ...asked } = decision;
  if (kind !== "question") return subject === null || kind === "plan" ? [] : [code(shownLine(subject.title), 300)];
  // The last question of a form with several is ours: whether to send the answers.
  const questions = form && asked.questions.length > 1 ? asked.questions.slice(0, -1) : asked.questions;
  const answers = decision.state === "answered" && decision.declined !== undefined ? [] : asked.answers;
  const said = decision.state === "void" ? decision.said : undefined;
  const lines = questions.slice(0, NAMED).flatMap((question: Question, place) => {
    const answer = answers[place];
    const there = said?.[place];
    const given =
      there != null
        ? quoteLines(there, questions.length === 1 ? WORDS_CHARS : 200)
        : answer
          ? answer.words === null
            ? `→ ${answerText(question, answer, 300)}`
            : quoteLines(answer.words, questions.length === 1 ? WORDS_CHARS : 200)
          : null;
    return [plainLine(question.question, QUESTION_CHARS), ...(given === null ? [] : [given])];
  });
  return [...lines, ...(questions.length > NAMED ? ["…"] : [])];
}

/** How it ended, if it was not answered; else the owner's reason. */
function why(state: State, decision: SettledDecision, locale: Locale): string[] {
  const { kind, asker, answers } = decision;
  const reason = (words: string | null | undefined): string[] =>
    kind === "question" || words == null ? [] : [say(locale, "done_why"), quoteLines(words, WORDS_CHARS)];
  switch (decision.state) {
    case "answered":
      return isUntold(decision) ? [say(locale, "done_untold")] : reason(answers[0]?.words || null);
    case "lapsed":
      return [say(locale, asker.by === "hook" && asker.before !== true ? "done_lapsed_terminal" : "done_lapsed_says")];
    case "aborted":
      return [say(locale, "done_aborted_says")];
    case "void":
      if (decision.voided === "terminal") return reason(decision.said?.[0]);
      if (decision.excess !== undefined) return [tooLong(state, decision, locale, decision.excess)];
      return [say(locale, voidWord(state, decision))];
  }
}

function tooLong(state: State, decision: Decision, locale: Locale, { of, count, most }: Excess): string {
  const size = say(locale, `excess_${of}` satisfies WordKey, { count: groupDigits(count), most: groupDigits(most) });
  return say(locale, decision.kind === "question" ? "done_too_long_question" : "done_too_long_says", {
    agent: askerOf(state, decision),
    size,
  });
}

function voidWord(state: State, { voided, asker }: VoidDecision): WordKey {
  if (voided === "withdrawn") return "done_void_withdrawn";
  if (voided === "no_place") return "done_void_place";
  if (voided === "untold") return "done_void_untold";
  if (voided === "locked") return "done_void_locked";
  const work = workOf(asker);
  const end = work === null ? undefined : jobOrTurn(state, work)?.state;
  if (end === "unknown_after_crash") return "done_void_restart";
  // Its agent may live on. What is void while the turn is being stopped is drawn before the end of the turn.
  if (end === "cancelled" || end === "success" || (work !== null && state.runs[work]?.cancelling))
    return "done_void_over";
  // The job's closing message below offers Retry.
  return end === "failed" && asker.by === "job" ? "done_void_job" : "done_void_gone";
}

function who(decision: SettledDecision, locale: Locale, ownerId: string | undefined): string[] {
  const { kind, subject, settled_at, answers } = decision;
  const at = clock(settled_at, "f");
  if (decision.state !== "answered" || ownerId === undefined) return [`-# ${say(locale, "done_at", { at })}`];
  const by = say(locale, decision.settled_by === "words" ? "done_by_words" : "done_by_press", {
    owner: `<@${ownerId}>`,
    at,
  });
  const revocable =
    decision.rule_id !== undefined
      ? [`-# ${say(locale, "rules_remove_how")}`]
      : kind === "permission" && answers[0]?.places[0] === PERMISSION.session
        ? [`-# ${say(locale, "done_revocable")}`]
        : [];
  const digest =
    kind === "permission" && subject !== null
      ? [`-# ${say(locale, "done_digest", { digest: `\`${subject.sha256.slice(0, 16)}…\`` })}`]
      : [];
  return [by, ...revocable, ...digest];
}

/*
 * What is said of a message that settled no decision: in its thread or in the owner's direct messages, why not and
 * where the decisions are, in one pointer that changes with each further message; and below a message that keeps a
 * question open, that it still waits.
 */

/** Most links in one sentence. */
const LINKED = 5;

const WORDS: Readonly<Record<Pointed, WordKey>> = {
  bare: "pointed_bare",
  stop: "pointed_stop",
  which: "pointed_which",
  unseen: "pointed_unseen",
  no_yes: "pointed_no_yes",
  open: "pointed_open",
  settled: "pointed_settled",
  nothing: "pointed_nothing",
  sent: "pointed_sent",
};

/** Null for a notice of another kind. */
export function pointedText(state: State, { change, details }: Notice, locale: Locale): string | null {
  if (change === null || !(change in WORDS)) return null;
  const ids = String(details["decisions"] ?? "").split(",");
  return say(locale, WORDS[change as Pointed], { links: named(state, ids, locale), words: "" }).replace(/: $/, ".");
}

/** Names each of these decisions, with a link to its prompt. */
function named(state: State, ids: readonly string[], locale: Locale): string {
  const links = ids
    .flatMap((id) => entryOf(state.decisions, id) ?? [])
    .map((decision) => {
      const link = promptLink(state, decision);
      const name = `${say(locale, `pending_${decision.kind}`)}: ${about(state, decision)}`;
      return link === null ? name : `[${name}](${link})`;
    });
  return [...links.slice(0, LINKED), ...(links.length > LINKED ? ["…"] : [])].join(" · ");
}

const POINTER_PART = "pointer:";

/** The one pointer for messages that settled nothing of what is open, where the last of them was written. */
export function pointerPosts(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id } = decision;
  const { pointed } = decision.typed;
  const desired = { subject, thread_id: thread_id ?? "", priority: "decision" } as const;
  if (pointed === undefined) {
    const gone = Object.keys(state.posts[subject] ?? {}).filter((part) => part.startsWith(POINTER_PART));
    return gone.map((part) => ({
      ...desired,
      part,
      want: { kind: "remove" },
      is: REMOVED,
      since: Date.parse(decision.asked_at),
    }));
  }
  const { why, discord_message_id, channel_id, at } = pointed;
  const direct = state.channels[channel_id]?.kind === "direct";
  const isOver = !pointed.decisions.flatMap((id) => entryOf(state.decisions, id) ?? []).some(isOpen);
  const body = systemBody(
    { color: colours.waits, description: pointerText(state, pointed, locale, { direct, isOver }) },
    pointerButtons(state, decision, pointed, locale),
  );
  return [
    {
      ...desired,
      part: `${POINTER_PART}${channel_id}`,
      want: { kind: "show", body },
      is: `${why} ${discord_message_id} ${isOver ? "over" : standing(state, pointed)}`,
      news: { kind: "told" },
      reply_to: discord_message_id,
      since: Date.parse(at),
      ...(direct && { to: "owner" as const }),
    },
  ];
}

/** What is asked next in each of these, by which it is named. */
function standing(state: State, { decisions }: PointedMessage): string {
  const known = decisions.map((id) => entryOf(state.decisions, id));
  return known.map((one) => (one === undefined ? -1 : nextQuestion(one))).join(",");
}

/** `isOver`: nothing of what it points to is open any more. */
function pointerText(
  state: State,
  { why, decisions, words }: PointedMessage,
  locale: Locale,
  { direct, isOver }: { direct: boolean; isOver: boolean },
): string {
  const isStanding = decisions.map((id) => entryOf(state.decisions, id)).every((one) => one && isLeft(one));
  if (!isOver && direct && why !== "bare" && why !== "stop" && why !== "sent")
    return say(locale, says[why], { decisions: linksTo(state, decisions.join(",")) });
  return say(locale, isOver ? overWords(why, isStanding, direct) : WORDS[why], {
    links: named(state, decisions, locale),
    words: code(words ?? "…"),
  }).replace(/: $/, ".");
}

/** What is written in direct messages never becomes a job. */
function overWords(why: PointedMessage["why"], isStanding: boolean, direct: boolean): WordKey {
  if (why === "open" && !direct) return "pointed_open_over";
  if (why === "sent" || why === "settled") return WORDS[why];
  return isStanding ? "pointed_terminal" : "pointed_over";
}

function pointerButtons(state: State, { asker }: Decision, pointed: PointedMessage, locale: Locale): Button[] {
  const { channel_id, discord_message_id, why } = pointed;
  if (!isHeld(pointed) || state.sessions[channel_id] === undefined) return [];
  const work = workOf(asker);
  const stop =
    why === "stop" && work !== null
      ? [button(customId("stop_job", { job: work }), say(locale, "pointer_stop"), ButtonStyle.Danger)]
      : [];
  return [
    ...stop,
    button(customId("send_held", { thread: channel_id, message: discord_message_id }), say(locale, "pointer_send")),
  ];
}

function about(state: State, decision: Decision): string {
  const { kind, subject, questions } = decision;
  if (kind === "plan") return askerOf(state, decision);
  return kind === "permission"
    ? plainLine(`${subject?.tool ?? ""} ${subject?.title ?? ""}`, 60)
    : plainLine(questions[nextQuestion(decision)]?.question ?? "", 60);
}

const KEPT_PART = "kept:";

/**
 * The reply to a message that keeps a question open, posted below that message: the question still waits, when it may
 * be asked again, and, for a question back to the agent, how its words reach the agent. Then it says that it no
 * longer applies.
 */
export function keptPosts(state: State, decision: Decision, locale: Locale): DesiredPost[] {
  const { decision_id: subject, thread_id } = decision;
  const posts = state.posts[subject] ?? {};
  const kept = isOpen(decision) ? decision.typed.kept : undefined;
  const now = kept ? `${KEPT_PART}${kept.discord_message_id}` : null;
  const gone = Object.keys(posts).filter((part) => part.startsWith(KEPT_PART) && part !== now);
  // The owner has just written and needs no ping.
  const desired = { subject, thread_id: thread_id ?? "", priority: "decision" } as const;
  const past = gone.map((part): DesiredPost => ({
    ...desired,
    part,
    want: { kind: "show", body: pastBody(locale) },
    is: OVER,
    since: Date.parse(decision.asked_at),
  }));
  if (now === null || !kept || !isOpen(decision)) return past;
  const { snooze } = decision.meanwhile;
  const direct = kept.channel_id !== thread_id;
  const notice: DesiredPost = {
    ...desired,
    part: now,
    want: { kind: "show", body: body(state, decision, locale) },
    is: snooze ? `${kept.why} snoozed ${snooze.until}` : kept.why,
    reply_to: direct ? null : kept.discord_message_id,
    since: Date.parse(kept.at),
    ...(direct && { to: "owner" as const }),
  };
  return [...past, notice];
}

function body(state: State, decision: OpenDecision, locale: Locale): Body {
  const { kept } = decision.typed;
  const { snooze } = decision.meanwhile;
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
  return {
    ...systemBody({ color: colours.asks, title: say(locale, "kept_title"), description: lines.join("\n") }),
    components: keptControls(decision, locale, sends),
  };
}

const NAMED_DIRECTLY = 10;
const says = {
  nothing: "direct_nothing",
  which: "direct_which",
  unseen: "direct_unseen",
  no_yes: "direct_no_yes",
  open: "direct_open",
  settled: "direct_settled",
} as const satisfies Record<Exclude<Pointed, "bare" | "stop" | "sent">, string>;

/**
 * Notices in the owner's direct messages about a message that settled nothing there. They are owed like every other
 * post, so a crash neither loses nor duplicates them. Empty unless the channel is the direct messages between the bot
 * and its owner.
 */
export function directNotices(state: State, channelId: string, locale: Locale): DesiredPost[] {
  if (state.channels[channelId]?.kind !== "direct") return [];
  return noticesIn(state, channelId).flatMap((notice) => notices(state, notice, locale));
}

function notices(state: State, notice: Notice, locale: Locale): DesiredPost[] {
  const { subject, thread_id, discord_message_id: reply_to, at } = notice;
  const description = wordsOf(state, notice, locale);
  if (description === null) return [];
  const body = systemBody({ color: colours.waits, description });
  return [
    {
      subject,
      part: "refused",
      thread_id,
      priority: "result",
      want: { kind: "show", body },
      is: SAID,
      news: { kind: "told" },
      reply_to,
      since: Date.parse(at),
    },
  ];
}

/** Null for changes that only a job's message can have. */
function wordsOf(state: State, { change, code, details }: Notice, locale: Locale): string | null {
  if (code !== null) return `${sentence(locale, code, details)} \`${code}\``;
  if (change === null || !(change in says)) return null;
  return say(locale, says[change as keyof typeof says], {
    decisions: linksTo(state, String(details["decisions"] ?? "")),
  });
}

function linksTo(state: State, ids: string): string {
  const links = ids.split(",").flatMap((id) => {
    const decision = state.decisions[id];
    return decision === undefined ? [] : (promptLink(state, decision) ?? `<#${decision.thread_id}>`);
  });
  return links.length > NAMED_DIRECTLY ? `${links.slice(0, NAMED_DIRECTLY).join(" ")} …` : links.join(" ");
}
