/**
 * A settled decision: the outcome, who settled it, when and how, and no controls except the one that takes a press
 * back. Pure, and made from the state alone: no file is read for what cannot change any more.
 */
import { grouped } from "../../../base/text.ts";
import { say, type Locale, type WordKey } from "../../../base/words/say.ts";
import { workOf } from "../../../core/decisions/asker.ts";
import type { Decision, Question } from "../../../core/decisions/decision.ts";
import type { Excess } from "../../../core/decisions/voided.ts";
import { PERMISSION, PLAN } from "../../../core/decisions/may-answer.ts";
import { jobOrTurn } from "../../../core/jobs/job-or-turn.ts";
import { shownLine } from "../../../core/decisions/hidden-characters.ts";
import type { State } from "../../../core/state.ts";
import { code, colours, inert, smallPrint, systemBody } from "../body.ts";
import { settledControls } from "./controls.ts";
import { answerText, askerOf, clock, frame, headline, quoted } from "./frame.ts";
import type { Body } from "../desired-posts.ts";

const WORDS_CHARS = 1000;
const QUESTION_CHARS = 250;
/** Questions and answers listed of one decision. */
const NAMED = 10;

/** Replaces the prompt. `ownerId`: the owner, named and not pinged. */
export function settledBody(state: State, decision: Decision, locale: Locale, ownerId: string | undefined): Body {
  if (decision.settled_by === "grant") return granted(decision, locale);
  const { sign, word, color } = { ...outcome(decision), ...(decision.untold && NOT_TOLD) };
  const lines = [
    `**${sign} ${say(locale, word)}**`,
    ...what(decision),
    ...why(state, decision, locale),
    ...who(decision, locale, ownerId),
  ];
  const embed = frame(
    decision,
    locale,
    { title: headline(state, decision, locale), description: lines.join("\n") },
    state,
  );
  return { ...systemBody({ ...embed, color }), components: settledControls(decision, locale) };
}

/** One line of small print, because nobody was asked anything. */
function granted({ subject, settled_at }: Decision, locale: Locale): Body {
  const line = say(locale, "done_by_grant", {
    tool: inert(subject?.tool ?? "?", 60),
    title: code(shownLine(subject?.title ?? ""), 120),
    at: clock(settled_at ?? "", "f"),
  });
  return { ...systemBody({}), embeds: [], content: smallPrint(`🔓 ${line}`) };
}

interface Outcome {
  sign: string;
  word: WordKey;
  color: number;
}

const NOT_TOLD = { sign: "⏳", color: colours.waits };

const AT_THE_TERMINAL: Record<NonNullable<Decision["outcome"]>, Outcome> = {
  allowed: { sign: "✅", word: "done_terminal_allowed", color: colours.good },
  denied: { sign: "⛔", word: "done_terminal_denied", color: colours.bad },
  answered: { sign: "✅", word: "done_terminal_answered", color: colours.good },
};

/** How it ended: a sign, a word and a colour. */
export function outcome({ kind, state, answers, declined, voided, outcome: there }: Decision): Outcome {
  if (voided === "terminal")
    return there === undefined ? { sign: "▫️", word: "done_terminal", color: colours.quiet } : AT_THE_TERMINAL[there];
  if (state === "lapsed") return { sign: "⌛", word: "done_lapsed", color: colours.quiet };
  if (state === "aborted") return { sign: "⚠️", word: "done_aborted", color: colours.waits };
  if (voided === "too_long") return { sign: "⛔", word: "done_too_long", color: colours.bad };
  if (state !== "answered") return { sign: "▫️", word: "done_void", color: colours.quiet };
  const place = answers[0]?.places[0];
  const no = { sign: "⛔", color: colours.bad };
  const yes = { sign: "✅", color: colours.good };
  if (declined !== undefined)
    return { ...no, word: declined === "decline" ? "done_form_declined" : "done_form_cancelled" };
  if (kind === "plan")
    return place === PLAN.approve ? { ...yes, word: "done_approved" } : { ...no, word: "done_rejected" };
  if (kind === "question") return { ...yes, word: "done_answered" };
  if (place === PERMISSION.once) return { ...yes, word: "done_allowed_once" };
  return place === PERMISSION.session ? { ...yes, word: "done_allowed_session" } : { ...no, word: "done_denied" };
}

/** What it was about, and the answers. */
function what({ kind, subject, form, declined, said, ...asked }: Decision): string[] {
  if (kind !== "question") return subject === null || kind === "plan" ? [] : [code(shownLine(subject.title), 300)];
  // The last question of a form with several is ours: whether to send the answers.
  const questions = form && asked.questions.length > 1 ? asked.questions.slice(0, -1) : asked.questions;
  const answers = declined === undefined ? asked.answers : [];
  const lines = questions.slice(0, NAMED).flatMap((question: Question, place) => {
    const answer = answers[place];
    const there = said?.[place];
    const given =
      there != null
        ? quoted(there, questions.length === 1 ? WORDS_CHARS : 200)
        : answer
          ? answer.words === null
            ? `→ ${answerText(question, answer, 300)}`
            : quoted(answer.words, questions.length === 1 ? WORDS_CHARS : 200)
          : null;
    return [inert(question.question, QUESTION_CHARS), ...(given === null ? [] : [given])];
  });
  return [...lines, ...(questions.length > NAMED ? ["…"] : [])];
}

/** How it ended, if it was not answered; else the owner's reason. */
function why(state: State, decision: Decision, locale: Locale): string[] {
  const { kind, state: end, voided, excess, asker, answers, said } = decision;
  if (decision.untold) return [say(locale, "done_untold")];
  if (end === "lapsed")
    return [say(locale, asker.by === "hook" && asker.before !== true ? "done_lapsed_terminal" : "done_lapsed_says")];
  if (end === "aborted") return [say(locale, "done_aborted_says")];
  if (voided === "terminal")
    return kind !== "question" && said?.[0] != null ? [say(locale, "done_why"), quoted(said[0], WORDS_CHARS)] : [];
  if (excess !== undefined) return [tooLong(state, decision, locale, excess)];
  if (end === "void") return [say(locale, voidWord(state, voided, asker))];
  const words = answers[0]?.words;
  return kind === "question" || !words ? [] : [say(locale, "done_why"), quoted(words, WORDS_CHARS)];
}

function tooLong(state: State, decision: Decision, locale: Locale, { of, count, most }: Excess): string {
  const size = say(locale, `excess_${of}` satisfies WordKey, { count: grouped(count), most: grouped(most) });
  return say(locale, decision.kind === "question" ? "done_too_long_question" : "done_too_long_says", {
    agent: askerOf(state, decision),
    size,
  });
}

function voidWord(
  state: Pick<State, "jobs" | "turns" | "runs">,
  voided: Decision["voided"],
  asker: Decision["asker"],
): WordKey {
  if (voided === "withdrawn") return "done_void_withdrawn";
  if (voided === "no_place") return "done_void_place";
  if (voided === "untold") return "done_void_untold";
  const work = workOf(asker);
  const end = work === null ? undefined : jobOrTurn(state, work)?.state;
  if (end === "unknown_after_crash") return "done_void_restart";
  // Its agent may live on. What is void while the turn is being stopped is drawn before the end of the turn.
  if (end === "cancelled" || end === "success" || (work !== null && state.runs[work]?.cancelling))
    return "done_void_over";
  // The job's closing message below offers Retry.
  return end === "failed" && asker.by === "job" ? "done_void_job" : "done_void_gone";
}

function who(
  { kind, state, subject, settled_by, settled_at, answers }: Decision,
  locale: Locale,
  ownerId: string | undefined,
): string[] {
  const at = clock(settled_at ?? "", "f");
  if (state !== "answered" || ownerId === undefined) return [`-# ${say(locale, "done_at", { at })}`];
  const by = say(locale, settled_by === "words" ? "done_by_words" : "done_by_press", { owner: `<@${ownerId}>`, at });
  const revocable =
    kind === "permission" && answers[0]?.places[0] === PERMISSION.session
      ? [`-# ${say(locale, "done_revocable")}`]
      : [];
  const digest =
    kind === "permission" && subject !== null
      ? [`-# ${say(locale, "done_digest", { digest: `\`${subject.sha256.slice(0, 16)}…\`` })}`]
      : [];
  return [by, ...revocable, ...digest];
}
