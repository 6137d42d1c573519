/**
 * A decision: something only the owner may settle, a question, a permission or a plan, from the request to the answer's
 * delivery. It is asked once and answered once; if nobody can receive the answer any more, it is void and says so.
 * Silence settles nothing: an expiry, if set, is an end of its own that allows nothing and answers nothing.
 */
import { snowflakeTime } from "../../base/ids.ts";
import { isBy } from "../../base/text.ts";
import { workOf, type Asker, type HandOverCommand, type HookAsker, type TurnAsker } from "./asker.ts";
import type { Unclear } from "./answers/read-answer.ts";
import type { AnswerFormat } from "./answers/wanted.ts";
import type { Subject } from "./subject.ts";
import type { Excess, VoidedBecause, VoidedWhy } from "./voided.ts";
import { indexed, type Index } from "../indexed.ts";
import type { Location, PointedMessage } from "../sessions/thread.ts";
import type { State } from "../state.ts";

export type DecisionKind = "question" | "permission" | "plan";

/** By a mention in its own thread, or in direct messages. */
export type RemindedBy = "mention" | "direct";

export interface Reminder {
  by: RemindedBy;
  /** ISO 8601. */
  at: string;
  /** The owner had snoozed it until then. */
  after_snooze?: true;
}

/** A message typed to a question that is no answer: a request for more time, or a counter-question. */
export interface KeptMessage {
  why: KeptWhy;
  words: string;
  discord_message_id: string;
  /** Where it was written. */
  channel_id: string;
  at: string;
}
export type KeptWhy = Extract<Unclear, "later" | "question">;

/** Snoozed by the owner: when, and until when. ISO 8601. */
export interface Snooze {
  at: string;
  until: string;
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
  /** He may skip it: an answer without places and words; absent: he may not. */
  optional?: true;
  /** What the answer has to be; absent: any. */
  wanted?: AnswerFormat;
  /** What his agent offers as the answer; absent: nothing. */
  preset?: Answer;
  /** The page that he is to open, as a browser spells its address; absent: it is about none. */
  url?: string;
}

/** How the owner turned a form down: he will not answer it, or not now. */
export type Declined = "decline" | "cancel";

export interface Answer {
  /** Places among the options, ascending. */
  places: number[];
  /** The owner's own words: instead of an option of a question, or the reason for a no. */
  words: string | null;
}

/** What the owner is to settle. */
export interface Matter {
  kind: DecisionKind;
  context: string;
  /** Exactly one for a permission or a plan. */
  questions: Question[];
  /** Null for a question. */
  subject: Subject | null;
  /** It is a form or a page, which may be declined; absent: it is neither. */
  form?: true;
}

/** What was asked, by whom, where, and until when. */
export interface Asked extends Matter {
  decision_id: string;
  /** Null until there is a thread for it. */
  thread_id: string | null;
  asker: Asker;
  /** ISO 8601, by Discord's clock; null: it never expires. */
  lapses_at: string | null;
}

/** What the owner was shown of it. */
export interface Showing {
  /** The first message that showed it; a message above it cannot be meant for it. Null: not shown yet. */
  first: string | null;
  /** How many pages of the subject, from the first on. */
  pages: number;
}

/** What was typed and settled nothing. */
export interface TypedInVain {
  /** How often a typed message was not understood, and why the last time. */
  reasked: number;
  unclear: Unclear | null;
  /** A plain yes or no did not say which option; that was counted once and is not again. Absent: none was typed. */
  asked_which?: true;
  /** The last typed message that keeps it open; absent: none. */
  kept?: KeptMessage;
  /** Absent: none, or it became the answer after all. */
  pointed?: PointedMessage;
}

/** What has happened since it was asked that the owner should know before he answers. */
export interface Meanwhile {
  /** When a daemon last started while it was open: presses made while none was running were lost. */
  refreshed_at: string | null;
  /** If disconnected: the asker has started again and knows of it, but is not waiting for it now. */
  noticed?: true;
  /** No reminders until then; absent: not snoozed. */
  snooze?: Snooze;
}

/** What there is of each decision, whatever has become of it. */
interface Known extends Asked {
  asked_at: string;
  /** One per question, null where it has none. */
  answers: (Answer | null)[];
  shown: Showing;
  typed: TypedInVain;
  /** The reminders sent, oldest first. */
  reminders: Reminder[];
}

export interface OpenDecision extends Known {
  /** `disconnected`: it can be answered, but the asker is not connected now. */
  state: "open" | "disconnected";
  /** The turn that asked has ended, and the agent's next turn is to take it over; absent: its asker is there. */
  between?: true;
  meanwhile: Meanwhile;
  /** Its time is over and its asker was told so, but an answer that was written in time may still be found. */
  told_over: boolean;
}

interface EndedDecision extends Known {
  settled_at: string;
  /** The asker has received the answer, or the end without one. */
  delivered: boolean;
  /** The tool that asked, if its job has been started with another one since. */
  asker_tool?: string;
}

export interface AnsweredDecision extends EndedDecision {
  state: "answered";
  settled_by: SettledBy;
  /** The rule that settled it, or that was made with this answer. Absent: none. */
  rule_id?: string;
  /** Answered by declining it; absent: it was not declined. */
  declined?: Declined;
  /** The hook that asked did not wait for it then: Claude does not know of it yet. Absent: it was told, or waits. */
  untold?: true;
  /**
   * Answered by a press while nobody was waiting for it: can be taken back until it is delivered or the time for that
   * is over, and is open again with this.
   */
  revocable?: Meanwhile;
}

/** `lapsed`: its time ran out; `aborted`: asked again in vain. */
export interface UnansweredDecision extends EndedDecision {
  state: "lapsed" | "aborted";
}

/** Nobody can receive the answer. */
export interface VoidDecision extends EndedDecision, VoidedBecause {
  state: "void";
  voided: VoidedWhy;
  /** Its outcome in the terminal was known only after its end was shown; absent: at its end. */
  outcome_late?: true;
}

export type SettledDecision = AnsweredDecision | UnansweredDecision | VoidDecision;
export type Decision = OpenDecision | SettledDecision;

/** How the answer came; `grant`: by an earlier grant of the owner; `rule`: by a rule of his. */
export type SettledBy = "press" | "words" | "grant" | "rule";

export type DecisionRef = { decision_id: string; thread_id: string | null };
/** The message that brought it, or null; if set, the event also marks that message as handled. */
export type From = { discord_message_id: string | null; /** Where it was written. */ channel_id: string | null };

export type DecisionEvent =
  | { type: "DecisionAsked"; payload: Asked }
  /** It has a thread now; `since`: nothing older than this id can be an answer. */
  | { type: "DecisionPlaced"; payload: Location & { decision_id: string; thread_id: string; since: string } }
  | { type: "DecisionPageSeen"; payload: DecisionRef & { page: number } }
  | { type: "QuestionAnswered"; payload: DecisionRef & From & { question: number; answer: Answer } }
  /** `rule_id`, `revocable`, `declined`: as in `AnsweredDecision`. */
  | {
      type: "DecisionAnswered";
      payload: DecisionRef &
        From & { answers: Answer[]; by: SettledBy; rule_id?: string; revocable?: true; declined?: Declined };
    }
  /** The owner took his press back before anybody received it: it is open again. */
  | { type: "AnswerTakenBack"; payload: DecisionRef }
  /** It is being delivered, or the time to take it back is over. */
  | { type: "AnswerStands"; payload: DecisionRef }
  /** `which` after another `which`: it is still being asked which option. */
  | { type: "DecisionReasked"; payload: DecisionRef & From & { why: Unclear } }
  | { type: "DecisionAborted"; payload: DecisionRef & From & { why: Unclear } }
  /** `after_snooze`: its snooze has just ended; absent: it was not snoozed. */
  | { type: "DecisionReminded"; payload: DecisionRef & { step: number; by: RemindedBy; after_snooze?: true } }
  | {
      type: "DecisionKeptOpen";
      payload: DecisionRef & Pick<KeptMessage, "why" | "words" | "discord_message_id" | "channel_id">;
    }
  | { type: "DecisionSnoozed"; payload: DecisionRef & { until: string } }
  | { type: "DecisionRefreshed"; payload: DecisionRef }
  | { type: "DecisionLapsed"; payload: DecisionRef }
  /** The asker is gone and may come back. It has not received the answer, if there is one. */
  | { type: "DecisionDisconnected"; payload: DecisionRef }
  /** The asker is back, or another one asks. `lapses_at`: when the last of them stops waiting; absent: unchanged. */
  | { type: "DecisionReconnected"; payload: DecisionRef & { lapses_at?: string | null } }
  /** The asker has started again and was told that this is open. */
  | { type: "DecisionNoticed"; payload: DecisionRef }
  | { type: "DecisionVoided"; payload: DecisionRef & { why: VoidedWhy } & VoidedBecause }
  /**
   * Its agent still asks it, in its next turn or in its dialog at the terminal. `asker`: that one has taken it over;
   * absent: the one that asked has ended.
   */
  | { type: "DecisionHandedOver"; payload: DecisionRef & { asker?: TurnAsker | HookAsker } }
  | { type: "AnswerDelivered"; payload: DecisionRef };

/**
 * `now`: the time by Discord's clock, where its limit is counted from it; `excess`: it cannot be shown, so it is void
 * at once.
 */
export type AskCommand = { type: "ask"; now?: string; excess?: Excess } & Asked;

export type DecisionCommand =
  | AskCommand
  | HandOverCommand
  | ({ type: "place_decision" } & Extract<DecisionEvent, { type: "DecisionPlaced" }>["payload"])
  /** The page, from 1, was shown to the owner; pages come in order. */
  | { type: "see_page"; decision_id: string; page: number }
  /** `sha256`: digest of what was shown with the button; null for a question. */
  | { type: "answer"; decision_id: string; question: number; answer: Answer; sha256: string | null }
  /** The owner turns a form down. */
  | { type: "decline"; decision_id: string; how: Declined }
  /** `step`: from 1, each once; `snoozed_until`: the end of the snooze, which is now; absent: it was not snoozed. */
  | { type: "remind"; decision_id: string; step: number; by: RemindedBy; snoozed_until?: string }
  /** The owner wants to be asked again then. ISO 8601. */
  | { type: "snooze"; decision_id: string; until: string }
  /** Its time has passed; `lapses_at` is that time. */
  | { type: "lapse"; decision_id: string; lapses_at: string }
  /** The asker is gone and may come back, is back, or has started again and knows of it. */
  | { type: "disconnect" | "reconnect" | "notice"; decision_id: string }
  /** Nobody will ever receive the answer. */
  | ({ type: "void"; decision_id: string; why: VoidedWhy } & Omit<VoidedBecause, "excess">)
  /** The answer can no longer be taken back; or it is taken back. */
  | { type: "answer_stands" | "take_back"; decision_id: string }
  | { type: "answer_delivered"; decision_id: string };

/** How long a press can be taken back while nobody has received it. */
export const TAKE_BACK_MS = 10_000;
/** How often a question is asked again after a message that was not understood; then it is aborted. */
export const REASKED_AT_MOST = 2;

/** What becomes void when a job's process, or an outside turn, ends. */
export function voidedWith(state: State, jobId: string): DecisionEvent[] {
  return openOf(state, jobId).map((decision) => ({
    type: "DecisionVoided",
    payload: { ...refOf(decision), why: "asker_gone" },
  }));
}

/** The open decisions of a job or an outside turn; one that has any holds no slot. */
export function openOf({ decisions }: State, jobId: string): OpenDecision[] {
  return listed(decisions, keys.openOfAsker(JSON.stringify(jobId))).filter(isOpen);
}

/** The decisions of a thread, or those without one yet (null), in the order of the record. */
export function decisionsIn({ decisions }: State, threadId: string | null): Decision[] {
  return listed(decisions, keys.inThread(threadId));
}

/** The decisions that a reconciler's topic is about: those of a thread, or those without one yet. */
export function decisionsAbout(state: State, topic: string): Decision[] {
  return decisionsIn(state, topic === "decisions" ? null : topic);
}

/** All decisions that still accept an answer, in the order of the record. */
export function openDecisions({ decisions }: State): OpenDecision[] {
  return listed(decisions, keys.open()).filter(isOpen);
}

/** The bot under which it is asked: its thread's, else that of the client that asks; undefined: not known yet. */
export function botOf({ threads }: State, { thread_id, asker }: Asked): string | undefined {
  return thread_id === null ? (asker.by === "mcp" ? asker.bot_id : undefined) : threads[thread_id]?.bot_id;
}

/** The open decisions that stand in a thread under this bot. */
export function openUnder(state: State, botId: string): OpenDecision[] {
  return openDecisions(state).filter((one) => one.thread_id !== null && botOf(state, one) === botId);
}

/** How many decisions of the same asker are open, and for how many of them it waits. */
export function countOpenOfAsker({ decisions }: State, asked: Asked): { open: number; awaited: number } {
  const [index, asker] = [decisionIndex(decisions), askerOf(asked)];
  return { open: index.count(keys.openOfAsker(asker)), awaited: index.count(keys.awaitedBy(asker)) };
}

/** Settled decisions that share one limit in the live state, the first settled first. */
export function settledBeside({ decisions }: State, one: Asked): SettledDecision[] {
  return listed(decisions, keys.settledBeside(one)).filter((other) => !isOpen(other));
}

/** The job is started with another tool: what it has asked stays asked by the one before. */
export function keepAskerTool(state: State, job: { job_id: string; thread_id: string; tool: string }): void {
  const { job_id, thread_id, tool } = job;
  for (const decision of decisionsIn(state, thread_id)) {
    if (!isOpen(decision) && decision.asker.by === "job" && decision.asker.job_id === job_id)
      decision.asker_tool ??= tool;
  }
}

/** Decisions that this may be asking again; whether they are the same is checked by the caller. */
export function askedLike({ decisions }: State, asked: Asked): Decision[] {
  return listed(decisions, keys.askedLike(asked));
}

/** What agents of this project asked through their tools, in the order of the record. */
export function askedFor({ decisions }: State, project: string): Decision[] {
  return listed(decisions, keys.askedFor(project));
}

/** The decisions with these ids, in the order of the record. */
export function decisionsNamed({ decisions }: State, ids: readonly string[]): Decision[] {
  return decisionIndex(decisions)
    .inOrder(ids)
    .flatMap((id) => decisions[id] ?? []);
}

/** Where it was meant to be asked: the thread it named, else its channel, else its session. */
export function askedAt({ asker, thread_id }: Asked): string | null {
  return asker.by === "mcp" ? (asker.wanted_thread ?? asker.channel_id ?? thread_id) : thread_id;
}

/** Enough of a question to tell it from most others; equal ones are compared in full. */
const LIKE_CHARS = 100;

const keys = {
  open: () => "open",
  inThread: (threadId: string | null) => `in ${threadId}`,
  openOfAsker: (asker: string) => `asker ${asker}`,
  awaitedBy: (asker: string) => `awaited by ${asker}`,
  askedFor: (project: string) => `for ${project}`,
  settledBeside: ({ asker, thread_id }: Asked) => `settled ${workOf(asker) === null ? asker.by : thread_id}`,
  askedLike: (asked: Asked) =>
    `like ${askedAt(asked)} ${asked.subject?.sha256 ?? ""} ${asked.questions[0]?.question.slice(0, LIKE_CHARS)}`,
};

function keysOf(one: Decision): string[] {
  const now = isOpen(one) ? [keys.open(), ...keysOfAsker(one)] : [keys.settledBeside(one)];
  const forProject = one.asker.by === "mcp" ? [keys.askedFor(one.asker.project)] : [];
  return [keys.inThread(one.thread_id), keys.askedLike(one), ...forProject, ...now];
}

function keysOfAsker(one: OpenDecision): string[] {
  if (one.between) return [];
  return [keys.openOfAsker(askerOf(one)), ...(one.state === "open" ? [keys.awaitedBy(askerOf(one))] : [])];
}

/** A key for the asker: a job, or an agent's client in its project and channel. */
function askerOf({ asker }: Asked): string {
  return JSON.stringify(
    asker.by === "mcp" ? [asker.project, asker.channel_id, asker.bot_id] : (workOf(asker) ?? asker),
  );
}

function decisionIndex(decisions: State["decisions"]): Index<Decision> {
  return indexed(decisions, keysOf);
}

function listed(decisions: State["decisions"], key: string): Decision[] {
  return decisionIndex(decisions)
    .idsOf(key)
    .flatMap((id) => decisions[id] ?? []);
}

/** Whether it still accepts an answer. */
export function isOpen(one: Decision): one is OpenDecision {
  return one.state === "open" || one.state === "disconnected";
}

/** Whether its asker was told the answer, or that there was none in time. */
export function isTold(decision: Decision): boolean {
  return isOpen(decision) ? decision.told_over : decision.delivered;
}

/**
 * Whether what has this id, a message or an interaction, was made while its time ran; it may be heard later. Only a
 * question is read back after its time: what allows something ends with its timer.
 */
export function isInTime({ kind, lapses_at }: Asked, id: string): boolean {
  return kind !== "question" || lapses_at === null || isBy(snowflakeTime(id), lapses_at);
}

/** The index of the first question without an answer; -1: none. */
export function nextQuestion({ answers }: Decision): number {
  return answers.indexOf(null);
}

export function refOf({ decision_id, thread_id }: Asked): DecisionRef {
  return { decision_id, thread_id };
}
