/**
 * Turns an agent's request into a decision for the owner, and its outcome into the agent's reply. What may run is read
 * back from the very bytes that were shown, with their secrets restored; nothing else of the request is used. Anything
 * but the owner's explicit yes is a no.
 */
import { oneLine } from "../../process/fields.ts";
import type { Reply } from "../../contract/driver.ts";
import type { DecisionRequest, PermissionAsked, PlanApprovalAsked, QuestionAsked } from "../../contract/updates.ts";
import { say, type Locale } from "../../../base/words/say.ts";
import { lapseSeconds } from "../../../config/session-settings.ts";
import {
  isOpen,
  type Answer,
  type AskCommand,
  type DecisionKind,
  type Question,
  type SettledDecision,
} from "../../../core/decisions/decision.ts";
import type { Excess } from "../../../core/decisions/voided.ts";
import { allows } from "../../../core/decisions/may-answer.ts";
import type { Act } from "../../../core/decisions/shapes.ts";
import { wantsTo, type Subject } from "../../../core/decisions/subject.ts";
import { mixedWords, namingTexts } from "../../../core/decisions/look-alikes.ts";
import { excessIn, MOST_BYTES, tooManyPages } from "../../../core/decisions/request-size.ts";
import { actIn, bytesOf, fieldsText, layOut, MOST_PAGES } from "../../../core/decisions/review-text.ts";
import { usualDirectory } from "../../../core/jobs/side-by-side.ts";
import type { State } from "../../../core/state.ts";
import { isoTime } from "../../../base/clock.ts";
import { inSlices } from "../../../base/slices.ts";
import { isCoverable, rulesFor } from "../../../core/rules/owner-rules.ts";
import { GRANT_MS } from "../../../core/decisions/grant.ts";
import { digestOf } from "../../../host/files/kept-files.ts";
import type { RunContext } from "../run-context.ts";

/** The names, language and redaction used in the question. */
export interface Manner {
  locale: Locale;
  /** The agent's name. */
  agent: string;
  /** Removes the owner's secrets. */
  redactor: RunContext["redactor"];
  /** The thread whose agent asks. */
  thread_id: string;
}

/** A longer question does not fit into any number of prompts. */
const QUESTION_CHARS = 64_000;

/** The exact bytes that a yes would allow; null for a question, which allows nothing. */
export function bytesFor(request: DecisionRequest): string | null {
  if (request.kind === "question") return null;
  if (request.kind === "plan_approval") return bytesOf({ plan: request.input });
  const { tool, input } = request;
  return bytesOf(request.shown === "call" ? { tool, call: input } : { tool, input });
}

/** The digest of what is shown of it. */
export function digestFor({ redactor }: RunContext, request: DecisionRequest): string {
  return digestOf(bytesFor(redactor.value(request)) ?? "");
}

/**
 * Asks the owner or, where a rule of his settles it, nobody. What the machine knows of it is found out only if he has
 * made rules that could.
 * @param shown the text that is kept of it
 */
export async function askOwner(
  { engine, clock, log, ruleFacts }: RunContext,
  ask: AskCommand,
  shown: string | null,
): Promise<void> {
  const { thread_id, kind, subject, decision_id } = ask;
  if (kind !== "permission" || shown === null || rulesFor(engine.state, ask, isoTime(clock.now())).length === 0)
    return void (await engine.submit(ask));
  const facts = await ruleFacts({ ...ask, bytes: shown });
  await engine.submit({ type: "ask_by_rules", ask, bytes: shown, facts });
  const decision = engine.state.decisions[decision_id];
  if (decision?.state === "answered" && decision.settled_by === "rule")
    log.info("a rule of the owner's settled a request", {
      ...{ thread_id, decision_id, rule_id: decision.rule_id, tool: subject?.tool },
    });
}

/** The tool, and one line for people that describes the bytes. */
function titleFor(request: PermissionAsked | PlanApprovalAsked, { redactor }: Manner): { tool: string; title: string } {
  const { tool, title } =
    request.kind === "permission"
      ? request
      : { tool: "plan", title: oneLine(String(request.input["plan"] ?? "").trim()) };
  return { tool: redactor.redactText(oneLine(tool)).toWellFormed(), title: redactor.redactText(title).toWellFormed() };
}

function questionsFor(request: DecisionRequest, manner: Manner, act?: Act): Question[] {
  const { locale, agent } = manner;
  const labelled = (...labels: string[]): Question["options"] => labels.map((label) => ({ label, description: "" }));
  switch (request.kind) {
    case "permission": {
      const { tool } = titleFor(request, manner);
      const question = wantsTo(locale, agent, act === undefined ? { tool } : { tool, act });
      const options = labelled(
        say(locale, "decision_allow_once"),
        say(locale, "decision_allow_session"),
        say(locale, "decision_deny"),
      );
      return [{ question, header: "", options, many: false, words: true }];
    }
    case "plan_approval": {
      const options = labelled(say(locale, "decision_approve"), say(locale, "decision_reject"));
      return [{ question: say(locale, "decision_plan", { agent }), header: "", options, many: false, words: true }];
    }
    case "question":
      return [...request.questions.map((one) => put(one, manner)), ...(isReviewed(request) ? [review(locale)] : [])];
  }
}

/** The text above a question: what its agent says of its form, or the other fields of its request. */
export function contextFor(request: DecisionRequest, { redactor }: Manner): string {
  if (request.kind === "question" && request.form === true)
    return redactor.redactText(String(request.more?.["message"] ?? "")).toWellFormed();
  return request.kind === "question" && request.more !== undefined
    ? redactor.redactText(fieldsText(request.more)).toWellFormed()
    : "";
}

/**
 * What the agent is told of a settled decision.
 * @param bytes the result of `bytesFor` for the request, which the decision's digest covers
 */
export function replyTo(request: DecisionRequest, bytes: string | null, settled: SettledDecision | NeverAsked): Reply {
  if (settled.state !== "answered") return no(request, UNANSWERED[settled.state]);
  const { answers, declined } = settled;
  const [first] = answers;
  if (!first) return no(request, UNANSWERED.void);
  const { words } = first;
  if (declined !== undefined) return { kind: "declined", how: declined };
  if (isReviewed(request) && answers.at(-1)?.places[0] === REVIEW.again) return { kind: "again" };
  if (request.kind === "question") return { kind: "answers", answers: answersTo(request, answers) };
  const allowed = allows({ kind: kindOf(request) }, first);
  if (request.kind === "plan_approval") {
    return allowed && bytes !== null
      ? { kind: "approve", input: partOf(bytes, "plan") }
      : no(request, because(REJECTED, words));
  }
  return allowed && bytes !== null
    ? { kind: "allow", input: partOf(bytes, request.shown ?? "input") }
    : no(request, settled.settled_by === "rule" ? NEVER : because(DENIED, words));
}

/** It never came into the journal, or has left the live state. */
interface NeverAsked {
  state: "void";
  subject: null;
  voided: "asker_gone";
}

/** How it was settled. Null: it is open. */
export function settledOf({ decisions }: State, decision_id: string): SettledDecision | NeverAsked | null {
  const decision = decisions[decision_id];
  if (!decision) return { state: "void", subject: null, voided: "asker_gone" };
  return isOpen(decision) ? null : decision;
}

/**
 * Whether it was settled for what was shown: presses are checked against the digest of these bytes, and only they may
 * run.
 */
export function isFor({ subject }: { subject: Subject | null }, shown: string | null): boolean {
  return subject === null || subject.sha256 === digestOf(shown ?? "");
}

export function kindOf({ kind }: DecisionRequest): DecisionKind {
  return kind === "plan_approval" ? "plan" : kind;
}

/** An automatic no, with a reason for the agent. */
export function no({ kind }: DecisionRequest, message: string): Reply {
  return kind === "plan_approval" ? { kind: "reject", message } : { kind: "deny", message };
}

export const TOO_MANY = "Not asked: too many of your requests are waiting for the owner. Wait for their answers first.";
export const NOT_KEPT =
  "Not allowed: this request could not be shown to the owner because of a fault on the machine. Go on without it.";

const DENIED =
  "The owner did not allow this. Do not try the same in another way; go on without it, or say what you would have " +
  "done.";
const NEVER =
  "The owner has a rule that this is never allowed, so he was not asked. Do not try the same in another way; go on " +
  "without it.";
const REJECTED = "The owner did not approve this plan. Do not act on it; change it, or ask what is wanted.";
const UNANSWERED = {
  lapsed:
    "The owner did not answer in time. That is neither a yes nor an answer: go on without it, or say what you would " +
    "have done.",
  aborted:
    "The owner's answer could not be understood, so there is none. Go on without it, or ask once more in a simpler " +
    "way.",
  void: "Nobody could be asked. That is neither a yes nor an answer: go on without it, or say what you would have done.",
};

function because(said: string, words: string | null): string {
  return words === null ? said : `${said} The owner says: ${words}`;
}

/** Whether all answers are shown before they are sent: those to a form's fields, of which a page has none. */
function isReviewed(request: DecisionRequest): boolean {
  return (
    request.kind === "question" && request.form === true && request.questions.every(({ url }) => url === undefined)
  );
}

/** Indexes of the options of a form's last question. */
const REVIEW = { send: 0, again: 1 } as const;

function review(locale: Locale): Question {
  const options = [say(locale, "form_send"), say(locale, "form_again")].map((label) => ({ label, description: "" }));
  return { question: say(locale, "form_review"), header: "", options, many: false, words: false };
}

/** The options that have no words of their own. */
const LABELS = { boolean: ["form_yes", "form_no"], page: ["form_done"] } as const;

function put(
  {
    question,
    header,
    multiple,
    words,
    options,
    optional,
    type,
    url,
    wanted,
    preset,
  }: QuestionAsked["questions"][number],
  { redactor, locale }: Manner,
): Question {
  const clean = (text: string): string => redactor.redactText(text).toWellFormed();
  const ours = type === undefined ? [] : LABELS[type].map((key) => say(locale, key));
  return {
    question: clean(question),
    header: clean(header),
    options: options.map(({ label, description }, place) => ({
      label: ours[place] ?? clean(label),
      description: clean(description),
    })),
    many: multiple,
    words,
    ...(optional && { optional }),
    ...(url !== undefined && { url: clean(url) }),
    ...(wanted !== undefined && { wanted }),
    // With a mark in it, it would not be what the agent offers.
    ...(preset !== undefined && clean(preset.words ?? "") === (preset.words ?? "") && { preset }),
  };
}

/** Keyed by the question's own text, with the labels as the agent wrote them. */
function answersTo({ questions }: QuestionAsked, answers: readonly (Answer | null)[]): Record<string, string> {
  return Object.fromEntries(
    questions.map(({ question, options }, at) => {
      const { places = [], words = null } = answers[at] ?? {};
      return [question, words ?? places.map((place) => options[place]?.label ?? "").join(", ")];
    }),
  );
}

function partOf(bytes: string, name: string): Record<string, unknown> {
  return (JSON.parse(bytes) as Record<string, Record<string, unknown>>)[name] ?? {};
}

export interface RequestView {
  /** What would run, to the byte; kept in memory only. Null for a question, and for what cannot be shown. */
  bytes: string | null;
  /** The same with marks in place of secrets: this is stored and shown. */
  shown: string | null;
  questions: Question[];
  subject: Subject | null;
  /** Why it cannot be shown; absent: it can. */
  excess?: Excess;
}

/** What the owner is shown of an agent's request, and until when he can answer it. Long ones are made in slices. */
export function shownOf(context: RunContext, manner: Manner, request: DecisionRequest): Promise<RequestView> {
  return inSlices(making(context, manner, request));
}

function* making(context: RunContext, manner: Manner, request: DecisionRequest): Generator<null | void, RequestView> {
  const excess = yield* excessOf(request);
  if (excess !== null) return refused(context, manner, request, excess);
  const bytes = bytesFor(request);
  yield;
  const safe = context.redactor.value(request);
  const shown = bytesFor(safe);
  if (bytes === null || shown === null || request.kind === "question")
    return { bytes, shown, questions: questionsFor(request, manner), subject: null };
  yield;
  const act = actIn(shown, usualDirectory(context.engine.state, manner.thread_id)) ?? undefined;
  yield;
  const pages = yield* layOut(shown);
  if (pages === null) return refused(context, manner, request, tooManyPages(MOST_PAGES + 1));
  const described = {
    ...(request.shown === "call" && { described: true as const }),
    ...(request.noYes && { no_yes: true as const }),
  };
  const mixed =
    "input" in safe
      ? mixedWords([manner.redactor.redactText("tool" in request ? request.tool : ""), ...namingTexts(safe.input)])
      : [];
  const questions = questionsFor(request, manner, act);
  const subject = {
    ...titleFor(request, manner),
    ...(act !== undefined && { act }),
    sha256: digestOf(shown),
    pages: pages.length,
    grant_until: grantUntil(context),
    ...described,
    ...(mixed.length > 0 && { mixed }),
    ...("cwd" in safe && safe.cwd !== undefined && { cwd: safe.cwd }),
  };
  const exact = shown === bytes ? {} : { exact: context.redactor.fingerprint(bytes) };
  const rules = isCoverable({ ...subject, ...exact }, shown) && { rules: true as const };
  return { bytes, shown, questions, subject: { ...subject, ...rules, ...exact } };
}

/** Whether it is too long to be shown, counted before anything is made of it. */
function* excessOf(request: DecisionRequest): Generator<null, Excess | null> {
  if (request.cut !== undefined) return { of: "bytes", count: request.cut, most: MOST_BYTES };
  if (request.kind !== "question") return yield* excessIn(request.input);
  return (yield* excessIn(request)) ?? tooManyCharacters(JSON.stringify(request).length);
}

function tooManyCharacters(count: number): Excess | null {
  return count > QUESTION_CHARS ? { of: "characters", count, most: QUESTION_CHARS } : null;
}

/** Nothing of it is kept but what it is about, in one line. */
function refused(context: RunContext, manner: Manner, request: DecisionRequest, excess: Excess | null): RequestView {
  const none = { bytes: null, shown: null, ...(excess !== null && { excess }) };
  if (request.kind !== "question") {
    const described = request.shown === "call" && { described: true as const };
    return {
      ...none,
      questions: questionsFor(request, manner),
      subject: {
        ...titleFor(request, manner),
        sha256: digestOf(""),
        pages: 0,
        grant_until: grantUntil(context),
        ...described,
      },
    };
  }
  const [first] = request.questions;
  return {
    ...none,
    questions: [
      {
        question: manner.redactor.redactText(oneLine(first?.question ?? "")).toWellFormed(),
        header: "",
        options: [],
        many: false,
        words: true,
      },
    ],
    subject: null,
  };
}

function grantUntil({ clock }: RunContext): string {
  return isoTime(clock.now() + GRANT_MS);
}

/** @param waited milliseconds for which it has already been asked; null: it never expires */
export function lapsesAt({ time, config }: RunContext, kind: DecisionKind, tool: string, waited = 0): string | null {
  const seconds = lapseSeconds(config(), kind, tool);
  return seconds === undefined ? null : isoTime(Math.ceil(time.now() - waited + seconds * 1000));
}
