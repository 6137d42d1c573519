/**
 * A decision that is over: what became of it, who settled it, when and how, and nothing left to press. Pure, and from
 * the state alone: no file is read for what cannot change any more.
 */
import { say, type Locale, type WordKey } from "../base/words/say.ts";
import { PERMISSION, PLAN, type Decision, type Question } from "../core/decision.ts";
import { shownLine } from "../core/hidden.ts";
import type { State } from "../core/house.ts";
import { code, colours, inert, smallPrint, told } from "./body.ts";
import { answerText, clock, frame, headline, quoted } from "./decision-frame.ts";
import type { Body } from "./owed.ts";

const WORDS_CHARS = 1000;
const QUESTION_CHARS = 250;
/** Questions and answers that are named of one decision. */
const NAMED = 10;

/** In the place of its prompt. `ownerId`: who is obeyed, named and not pinged. */
export function settledBody(state: State, decision: Decision, locale: Locale, ownerId: string | undefined): Body {
  if (decision.settled_by === "grant") return granted(decision, locale);
  const { sign, word, color } = outcome(decision);
  const lines = [`**${sign} ${say(locale, word)}**`, ...what(decision), ...why(state, decision, locale), ...who(decision, locale, ownerId)];
  return told({ ...frame(decision, locale, { title: headline(state, decision, locale), description: lines.join("\n") }, state), color });
}

/** One quiet line: nobody was asked anything. */
function granted({ subject, settled_at }: Decision, locale: Locale): Body {
  const line = say(locale, "done_by_grant", { tool: inert(subject?.tool ?? "?", 60), title: code(shownLine(subject?.title ?? ""), 120), at: clock(settled_at ?? "", "f") });
  return { ...told({}), embeds: [], content: smallPrint(`🔓 ${line}`) };
}

interface Outcome {
  sign: string;
  word: WordKey;
  color: number;
}

function outcome({ kind, state, answers }: Decision): Outcome {
  if (state === "lapsed") return { sign: "⌛", word: "done_lapsed", color: colours.quiet };
  if (state === "aborted") return { sign: "⚠️", word: "done_aborted", color: colours.waits };
  if (state !== "answered") return { sign: "▫️", word: "done_void", color: colours.quiet };
  const place = answers[0]?.places[0];
  const no = { sign: "⛔", color: colours.bad };
  const yes = { sign: "✅", color: colours.good };
  if (kind === "plan") return place === PLAN.approve ? { ...yes, word: "done_approved" } : { ...no, word: "done_rejected" };
  if (kind === "question") return { ...yes, word: "done_answered" };
  if (place === PERMISSION.once) return { ...yes, word: "done_allowed_once" };
  return place === PERMISSION.session ? { ...yes, word: "done_allowed_session" } : { ...no, word: "done_denied" };
}

/** What it was about, and the answers. */
function what({ kind, subject, questions, answers }: Decision): string[] {
  if (kind !== "question") return subject === null || kind === "plan" ? [] : [code(shownLine(subject.title), 300)];
  const lines = questions.slice(0, NAMED).flatMap((question: Question, place) => {
    const answer = answers[place];
    const given = answer ? answer.words === null ? `→ ${answerText(question, answer, 300)}` : quoted(answer.words, questions.length === 1 ? WORDS_CHARS : 200).text : null;
    return [inert(question.question, QUESTION_CHARS), ...(given === null ? [] : [given])];
  });
  return [...lines, ...(questions.length > NAMED ? ["…"] : [])];
}

/** How it came to its end, where that is not said by what it is; and the owner's reason. */
function why(state: State, decision: Decision, locale: Locale): string[] {
  const { kind, state: end, voided, asker, answers } = decision;
  if (end === "lapsed") return [say(locale, "done_lapsed_says")];
  if (end === "aborted") return [say(locale, "done_aborted_says")];
  if (end === "void") return [say(locale, voided === "withdrawn" ? "done_void_withdrawn" : voided === "no_place" ? "done_void_place" : asker.by === "job" && isRetryable(state, asker.job_id) ? "done_void_job" : "done_void_gone")];
  const words = answers[0]?.words;
  return kind === "question" || !words ? [] : [say(locale, "done_why"), quoted(words, WORDS_CHARS).text];
}

/** Where Retry stands below. */
function isRetryable({ jobs }: Pick<State, "jobs">, jobId: string): boolean {
  const { state } = jobs[jobId] ?? {};
  return state === "failed" || state === "unknown_after_crash";
}

function who({ kind, state, subject, settled_by, settled_at, answers }: Decision, locale: Locale, ownerId: string | undefined): string[] {
  const at = clock(settled_at ?? "", "f");
  if (state !== "answered" || ownerId === undefined) return [`-# ${say(locale, "done_at", { at })}`];
  const by = say(locale, settled_by === "words" ? "done_by_words" : "done_by_press", { owner: `<@${ownerId}>`, at });
  const revocable = kind === "permission" && answers[0]?.places[0] === PERMISSION.session ? [`-# ${say(locale, "done_revocable")}`] : [];
  const digest = kind === "permission" && subject !== null ? [`-# ${say(locale, "done_digest", { digest: `\`${subject.sha256.slice(0, 16)}…\`` })}`] : [];
  return [by, ...revocable, ...digest];
}
