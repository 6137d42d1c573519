/**
 * What an answer to a decision may do, checked in one place for buttons, selects, modals, typed words and replies:
 * these bytes, this option, shown to the owner in full where it allows something. Whether a button can be pressed and
 * what an agent may run is read from here too.
 */
import type { AnswerRules } from "./answers/read-answer.ts";
import { fitsConstraint } from "./answers/wanted.ts";
import {
  isOpen,
  nextQuestion,
  refOf,
  type Answer,
  type Asked,
  type Decision,
  type DecisionEvent,
  type DecisionKind,
  type From,
  type Matter,
  type Question,
} from "./decision.ts";

/** Indexes of a permission's options. */
export const PERMISSION = { once: 0, session: 1, deny: 2 } as const;
/** Indexes of a plan's options. */
export const PLAN = { approve: 0, reject: 1 } as const;

/** A yes in words: only once. */
export function yesTo({ kind }: { kind: DecisionKind }): Answer {
  return { places: [kind === "plan" ? PLAN.approve : PERMISSION.once], words: null };
}

export function noTo({ kind }: { kind: DecisionKind }): Answer {
  return { places: [kind === "plan" ? PLAN.reject : PERMISSION.deny], words: null };
}

/** Whether the whole subject was shown; always for a question, never for another decision without a subject. */
export function isSeen({ kind, subject, shown }: Decision): boolean {
  return kind === "question" || (subject !== null && shown.pages >= subject.pages);
}

/** Whether these words may answer the question; none skip it. */
function mayBeWords({ words: own, options, optional }: Question, words: string | null): boolean {
  return words === null ? optional === true : (own || options.length === 0) && words.trim() !== "";
}

/** Whether its agent takes a yes. */
export function mayBeAllowed({ subject }: Matter): boolean {
  return subject?.no_yes !== true;
}

/** Whether it is a plan whose text Claude did not send through its hook. */
export function lacksPlan(asked: Asked): boolean {
  return asked.kind === "plan" && asked.asker.by === "hook" && !mayBeAllowed(asked);
}

/** Whether this answer permits something. */
export function allows({ kind }: { kind: DecisionKind }, { places }: Answer): boolean {
  if (kind === "permission") return places[0] === PERMISSION.once || places[0] === PERMISSION.session;
  return kind === "plan" && places[0] === PLAN.approve;
}

/** How to read a typed answer to the current question of a question. */
export function askedOf(decision: Decision): AnswerRules {
  return rulesOf(decision.questions[nextQuestion(decision)]);
}

/** The same for one question; for none, nothing is an answer. */
export function rulesOf(question: Question | undefined): AnswerRules {
  const { options = [], many = false, words = false, wanted } = question ?? {};
  return { options: options.map(({ label }) => label), many, words, ...(wanted !== undefined && { wanted }) };
}

/**
 * What the owner saw when he answered: for a press the digest of what was shown with the button (null: nothing that can
 * be done), for words whether everything that a yes would allow stands where they were written.
 */
export type Saw = { sha256: string | null } | { all: boolean };

/**
 * The event for an answer that counts: to one of several questions, or with the last one to the whole decision. Null:
 * the decision is settled, this question was answered, there is no such option, or it would allow something that was
 * not shown.
 */
export function answerEvent(
  decision: Decision,
  { question, answer, saw }: { question: number; answer: Answer; saw: Saw },
  from: From,
): DecisionEvent | null {
  if (!isOpen(decision) || decision.answers[question] !== null || !isPossible(decision, question, answer)) return null;
  if (!isShown(decision, answer, saw)) return null;
  const ref = refOf(decision);
  const answers = decision.answers.with(question, answer);
  const whole = answers.filter((one) => one !== null);
  if (whole.length < answers.length)
    return { type: "QuestionAnswered", payload: { ...ref, ...from, question, answer } };
  const by = "sha256" in saw ? "press" : "words";
  const unheard = by === "press" && decision.asker.by === "mcp" && decision.state === "disconnected";
  return {
    type: "DecisionAnswered",
    payload: { ...ref, ...from, answers: whole, by, ...(unheard && { revocable: true }) },
  };
}

/**
 * A press counts only for the bytes that were shown with it; a yes only after all of them were shown, and where one is
 * taken.
 */
function isShown(decision: Decision, answer: Answer, saw: Saw): boolean {
  if ("sha256" in saw && saw.sha256 !== (decision.subject?.sha256 ?? null)) return false;
  return !allows(decision, answer) || (mayBeAllowed(decision) && isSeen(decision) && ("sha256" in saw || saw.all));
}

function isPossible({ kind, questions }: Decision, place: number, { places, words }: Answer): boolean {
  const question = questions[place];
  if (!question || !places.every((one) => one in question.options) || (places.length > 1 && !question.many))
    return false;
  if (kind === "question")
    return (
      fitsConstraint(question.wanted, { places, words }) &&
      (places.length > 0 ? words === null : mayBeWords(question, words))
    );
  return places.length === 1 && (words === null || places[0] === noTo({ kind }).places[0]);
}
