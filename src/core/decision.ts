/**
 * A decision: something only the owner may settle, a question, a permission or a plan, from whoever asked it to the
 * answer's delivery. It is asked once, answered once, and what nobody can hear any more is void and says so. Silence
 * settles nothing: a lapse, where one is set, is an end of its own that allows nothing and answers nothing.
 */
import type { Asked, Unclear } from "./answer.ts";
import type { Grants } from "./grant.ts";
import type { Notice, Thread } from "./thread.ts";

export type DecisionKind = "question" | "permission" | "plan";

/**
 * `open`: to be answered. `disconnected`: as well, but whoever asked is not there to hear it now. The others are ends:
 * `answered`; `lapsed`, its time ran out; `aborted`, it was asked again in vain; `void`, nobody can hear it any more.
 */
export type DecisionState = "open" | "disconnected" | "answered" | "lapsed" | "aborted" | "void";

/** In its own thread by name, or in direct messages. */
export type RemindedBy = "mention" | "direct";

export interface Reminder {
  by: RemindedBy;
  /** ISO 8601. */
  at: string;
}

export interface Option {
  label: string;
  description: string;
}

export interface Question {
  question: string;
  header: string;
  options: Option[];
  /** Several may be chosen. */
  many: boolean;
  /** The owner may answer in his own words. */
  words: boolean;
}

export interface Answer {
  /** Places among the options, ascending. */
  places: number[];
  /** In the owner's own words: instead of an option of a question, or the reason beside a no. */
  words: string | null;
}

/** Who waits for the answer. */
export type Asker =
  /** A job's agent; `request_id` is the agent's own name for what it asked. */
  | { by: "job"; job_id: string; request_id: string }
  /** An agent through `bellhop mcp`: what its face brought in its own variables, and the thread it named, if any. */
  | {
      by: "mcp";
      project: string;
      /** Absolute: where seed A's mirror of it is written. */
      pending_dir: string;
      timeout_seconds: number | null;
      wanted_thread: string | null;
      /** Where a thread for it is opened. */
      channel_id: string | null;
      bot_id: string;
    }
  /** A hook of a Claude that the owner can also answer where it runs. */
  | { by: "hook"; request_id: string };

/** What would be done: its exact bytes are in `STATE_DIR/decisions/<decision_id>.json`, and this is their digest. */
export interface Subject {
  tool: string;
  /** One line for people. */
  title: string;
  /** Hex. */
  sha256: string;
  /** As many as it takes to show all of it (`exhibit.ts`); a yes counts only once the last was shown. */
  pages: number;
  /** ISO 8601: until when a yes for the session would hold if it came at once; it holds as long from when it comes. */
  grant_until: string;
}

/** `asker_gone`: the process that asked has ended; `withdrawn`: its agent no longer wants it; `no_place`: nowhere to ask. */
export type VoidedWhy = "asker_gone" | "withdrawn" | "no_place";

export interface Decision {
  decision_id: string;
  kind: DecisionKind;
  /** Null until there is a thread for it. */
  thread_id: string | null;
  asker: Asker;
  context: string;
  /** One for a permission or a plan. */
  questions: Question[];
  /** Null for a question. */
  subject: Subject | null;
  state: DecisionState;
  /** One a question, null while it is open. */
  answers: (Answer | null)[];
  /** How often what was typed was not understood, and why the last time. */
  reasked: number;
  unclear: Unclear | null;
  /** Pages of the subject that were shown, from the first on. */
  seen: number;
  /** The first message by which it was put before the owner; what was written above it cannot mean it. Null: not yet. */
  shown: string | null;
  /** How the owner was reminded, the first first. */
  reminders: Reminder[];
  /** When a daemon began again under it: what was pressed before, while none was there, was lost. */
  refreshed_at: string | null;
  /** ISO 8601; null: it waits for ever. */
  lapses_at: string | null;
  asked_at: string;
  settled_at: string | null;
  /** `grant`: by an earlier word of the owner; null while it is open, and for an end without an answer. */
  settled_by: SettledBy | null;
  voided: VoidedWhy | null;
  /** The answer, or the end without one, has reached whoever asked. */
  delivered: boolean;
}

/** By which way the answer came. */
export type SettledBy = "press" | "words" | "grant";

export type DecisionRef = { decision_id: string; thread_id: string | null };
/** The message that brought it, or null; with one the event also stands for its having been handled. */
export type From = { discord_message_id: string | null; /** Where that was written. */ channel_id: string | null };

export type DecisionEvent =
  | {
      type: "DecisionAsked";
      payload: DecisionRef & Pick<Decision, "kind" | "asker" | "context" | "questions" | "subject" | "lapses_at">;
    }
  /** There is a thread for it; `since`: nothing older than this id can be an answer. */
  | { type: "DecisionPlaced"; payload: { decision_id: string; thread_id: string; channel_id: string; guild_id: string; bot_id: string; since: string } }
  | { type: "DecisionPageSeen"; payload: DecisionRef & { page: number } }
  | { type: "QuestionAnswered"; payload: DecisionRef & From & { question: number; answer: Answer } }
  | { type: "DecisionAnswered"; payload: DecisionRef & From & { answers: Answer[]; by: SettledBy } }
  | { type: "DecisionReasked"; payload: DecisionRef & From & { why: Unclear } }
  | { type: "DecisionAborted"; payload: DecisionRef & From & { why: Unclear } }
  | { type: "DecisionReminded"; payload: DecisionRef & { step: number; by: RemindedBy } }
  | { type: "DecisionRefreshed"; payload: DecisionRef }
  | { type: "DecisionLapsed"; payload: DecisionRef }
  | { type: "DecisionDisconnected"; payload: DecisionRef }
  /** `lapses_at`: whoever asks again waits anew; absent: as before. */
  | { type: "DecisionReconnected"; payload: DecisionRef & { lapses_at?: string | null } }
  | { type: "DecisionVoided"; payload: DecisionRef & { why: VoidedWhy } }
  | { type: "AnswerDelivered"; payload: DecisionRef };

export type AskCommand = { type: "ask" } & Extract<DecisionEvent, { type: "DecisionAsked" }>["payload"];

export type DecisionCommand =
  | AskCommand
  | ({ type: "place_decision" } & Extract<DecisionEvent, { type: "DecisionPlaced" }>["payload"])
  /** The page, from 1, was put before the owner; they come one after the other. */
  | { type: "see_page"; decision_id: string; page: number }
  /** `sha256`: of what was shown with what was pressed; for a question null. */
  | { type: "answer"; decision_id: string; question: number; answer: Answer; sha256: string | null }
  /** `step`: from 1, each once. */
  | { type: "remind"; decision_id: string; step: number; by: RemindedBy }
  /** Its time has passed; `lapses_at` is which time that was. */
  | { type: "lapse"; decision_id: string; lapses_at: string }
  /** Whoever asked is gone and may come back; or is back. */
  | { type: "disconnect" | "reconnect"; decision_id: string }
  /** Nobody will ever hear the answer. */
  | { type: "void"; decision_id: string; why: VoidedWhy }
  | { type: "answer_delivered"; decision_id: string };

export interface Decisions extends Grants {
  jobs: Record<string, { state: string }>;
  runs: Record<string, { cancelling: boolean }>;
  sessions: Record<string, unknown>;
  channels: Record<string, unknown>;
  threads: Record<string, Thread>;
  notices: Record<string, Notice>;
  watermarks: Record<string, string>;
  dedupe: Record<string, string | null>;
  decisions: Record<string, Decision>;
  posts: Record<string, unknown>;
}

/** So often it is asked again what was not understood; then it is aborted (seed A 3.4.2). */
export const REASKED_AT_MOST = 2;
/** Places of a permission's options. */
export const PERMISSION = { once: 0, session: 1, deny: 2 } as const;
/** Places of a plan's options. */
export const PLAN = { approve: 0, reject: 1 } as const;

/** What the end of a job's process leaves without anybody to hear it. */
export function voidedWith(state: Decisions, jobId: string): DecisionEvent[] {
  return openOf(state, jobId).map((decision) => ({ type: "DecisionVoided", payload: { ...refOf(decision), why: "asker_gone" } }));
}

/** The open decisions of a job; while there is one it holds no slot. */
export function openOf(state: Pick<Decisions, "decisions">, jobId: string): Decision[] {
  return Object.values(state.decisions).filter((one) => isOpen(one) && one.asker.by === "job" && one.asker.job_id === jobId);
}

/** Whether an answer to it still counts. */
export function isOpen({ state }: Pick<Decision, "state">): boolean {
  return state === "open" || state === "disconnected";
}

/** The first question that has no answer yet; -1: none. */
export function nextQuestion({ answers }: Pick<Decision, "answers">): number {
  return answers.indexOf(null);
}

/** Whether all of what would be done was shown; of what has nothing to show, never. */
export function isSeen({ kind, subject, seen }: Pick<Decision, "kind" | "subject" | "seen">): boolean {
  return kind === "question" || (subject !== null && seen >= subject.pages);
}

/** Whether this answer lets something be done. */
export function allows({ kind }: Pick<Decision, "kind">, { places }: Answer): boolean {
  if (kind === "permission") return places[0] === PERMISSION.once || places[0] === PERMISSION.session;
  return kind === "plan" && places[0] === PLAN.approve;
}

/** How a typed answer to the question that is due is to be read. */
export function askedOf(decision: Pick<Decision, "kind" | "questions" | "answers">): Asked {
  const { options = [], many = false, words = false } = decision.questions[nextQuestion(decision)] ?? {};
  const labels = options.map(({ label }) => label);
  if (decision.kind === "question") return { options: labels, many, words };
  return { options: labels, yes: 0, no: decision.kind === "permission" ? PERMISSION.deny : PLAN.reject, words: false };
}

/** The next event of an answer that is possible: one of several questions, or with the last one the whole. Null: not possible. */
export function answered(decision: Decision, question: number, given: Answer, from: From, by: SettledBy): DecisionEvent | null {
  if (!isOpen(decision) || decision.answers[question] !== null || !isPossible(decision, question, given)) return null;
  if (allows(decision, given) && !isSeen(decision)) return null;
  const ref = refOf(decision);
  const answers = decision.answers.with(question, given);
  const whole = answers.filter((one) => one !== null);
  if (whole.length < answers.length) return { type: "QuestionAnswered", payload: { ...ref, ...from, question, answer: given } };
  return { type: "DecisionAnswered", payload: { ...ref, ...from, answers: whole, by } };
}

export function refOf({ decision_id, thread_id }: Decision): DecisionRef {
  return { decision_id, thread_id };
}

function isPossible({ kind, questions }: Decision, place: number, { places, words }: Answer): boolean {
  const question = questions[place];
  if (!question || !places.every((one) => one in question.options) || (places.length > 1 && !question.many)) return false;
  if (kind === "question") return places.length > 0 ? words === null : words !== null && (question.words || question.options.length === 0) && words.trim() !== "";
  const no = kind === "permission" ? PERMISSION.deny : PLAN.reject;
  return places.length === 1 && (words === null || places[0] === no);
}
