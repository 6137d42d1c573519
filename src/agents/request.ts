/**
 * What an agent asks, put as a decision of its owner, and what he settled, put as the agent is to hear it. What may
 * run is read back from the very bytes that were shown: nothing else of the request ever leaves here. Every way but the
 * owner's own yes is a no.
 */
import { oneLine } from "./excerpts.ts";
import type { Reply } from "./driver.ts";
import type { PermissionAsked, PlanApprovalAsked, QuestionAsked } from "./updates.ts";
import { say, type Locale } from "../base/words/say.ts";
import { PERMISSION, PLAN, type Decision, type Question } from "../core/decision.ts";
import { bytesOf } from "../core/exhibit.ts";

export type Request = QuestionAsked | PermissionAsked | PlanApprovalAsked;

/** Whose words and names are in what is asked. */
export interface Manner {
  locale: Locale;
  /** The agent's name. */
  agent: string;
  /** Takes the owner's secrets out. */
  redact(text: string): string;
}

/** More than fits into any number of prompts is no question. */
const QUESTION_CHARS = 64_000;

/** The exact bytes that a yes would allow; null for a question, which allows nothing. */
export function bytesFor(request: Request): string | null {
  if (request.kind === "question") return null;
  return bytesOf(request.kind === "permission" ? { tool: request.tool, input: request.input } : { plan: request.plan });
}

/** The tool and one line for people, of what the bytes are. */
export function titleFor(request: PermissionAsked | PlanApprovalAsked, { redact }: Manner): { tool: string; title: string } {
  const { tool, title } = request.kind === "permission" ? request : { tool: "plan", title: oneLine(request.plan.trim()) };
  return { tool: redact(oneLine(tool)).toWellFormed(), title: redact(title).toWellFormed() };
}

/** Null where it is too long to be asked of anybody. */
export function questionsFor(request: Request, manner: Manner): Question[] | null {
  const { locale, agent } = manner;
  const labelled = (...labels: string[]): Question["options"] => labels.map((label) => ({ label, description: "" }));
  switch (request.kind) {
    case "permission": {
      const question = say(locale, "decision_permission", { agent, tool: manner.redact(oneLine(request.tool)).toWellFormed() });
      const options = labelled(say(locale, "decision_allow_once"), say(locale, "decision_allow_session"), say(locale, "decision_deny"));
      return [{ question, header: "", options, many: false, words: true }];
    }
    case "plan_approval": {
      const options = labelled(say(locale, "decision_approve"), say(locale, "decision_reject"));
      return [{ question: say(locale, "decision_plan", { agent }), header: "", options, many: false, words: true }];
    }
    case "question":
      return JSON.stringify(request).length > QUESTION_CHARS ? null : request.questions.map((one) => put(one, manner));
  }
}

/**
 * What the agent is told of a decision that was settled.
 * @param bytes what `bytesFor` gave for the request, and the decision's digest is of
 */
export function replyTo(request: Request, bytes: string | null, { state, answers }: Pick<Decision, "state" | "answers">): Reply {
  const [first] = answers;
  if (state !== "answered" || !first) return no(request, UNANSWERED[state] ?? UNANSWERED.void);
  const { places, words } = first;
  if (request.kind === "question") return { kind: "answers", answers: answersTo(request, answers) };
  if (request.kind === "plan_approval") return places[0] === PLAN.approve ? { kind: "approve" } : no(request, because(REJECTED, words));
  const allowed = places[0] === PERMISSION.once || places[0] === PERMISSION.session;
  return allowed && bytes !== null ? { kind: "allow", input: inputIn(bytes) } : no(request, because(DENIED, words));
}

/** A no that nobody said, for a reason that the agent is told. */
export function no({ kind }: Request, message: string): Reply {
  return kind === "plan_approval" ? { kind: "reject", message } : { kind: "deny", message };
}

export const TOO_LONG = "Not asked: this is too long to be put before the owner. Ask again in fewer words.";
export const NOT_SHOWN = "Not allowed: this holds a secret of the owner's machine, which is shown nowhere, so nobody could allow what is in it. Go on without it.";
export const NOT_KEPT = "Not allowed: what this asks for could not be put before the owner, because of a fault of the machine. Go on without it.";

const DENIED = "The owner did not allow this. Do not try the same by other means; go on without it, or say what you would have done.";
const REJECTED = "The owner did not approve this plan. Do not act on it; change it, or ask what is wanted.";
const UNANSWERED: Partial<Record<Decision["state"], string>> & { void: string } = {
  lapsed: "The owner did not answer in the time that was set. That is neither a yes nor an answer: go on without it, or say what you would have done.",
  aborted: "The owner's answer could not be understood, so there is none. Go on without it, or ask once more in a simpler way.",
  void: "Nobody could be asked. That is neither a yes nor an answer: go on without it, or say what you would have done.",
};

function because(said: string, words: string | null): string {
  return words === null ? said : `${said} The owner says: ${words}`;
}

function put({ question, header, multiple, words, options }: QuestionAsked["questions"][number], { redact }: Manner): Question {
  const clean = (text: string): string => redact(text).toWellFormed();
  return {
    question: clean(question),
    header: clean(header),
    options: options.map(({ label, description }) => ({ label: clean(label), description: clean(description) })),
    many: multiple,
    words,
  };
}

/** By the question's own text, with the labels as the agent wrote them. */
function answersTo({ questions }: QuestionAsked, answers: Decision["answers"]): Record<string, string> {
  return Object.fromEntries(
    questions.map(({ question, options }, at) => {
      const { places = [], words = null } = answers[at] ?? {};
      return [question, words ?? places.map((place) => options[place]?.label ?? "").join(", ")];
    }),
  );
}

function inputIn(bytes: string): Record<string, unknown> {
  return (JSON.parse(bytes) as { input: Record<string, unknown> }).input;
}
