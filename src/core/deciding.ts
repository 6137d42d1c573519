/**
 * How decisions are asked and settled: each command on its own decision, once. To ask the very same again is to read
 * it again; the first possible answer counts, and one that comes later, or was given to other bytes than these, is
 * refused. After a restart what can still be heard waits on.
 */
import { BellhopError } from "../base/errors.ts";
import {
  answered,
  isOpen,
  PERMISSION,
  refOf,
  type AskCommand,
  type Decision,
  type DecisionCommand,
  type DecisionEvent,
  type Decisions,
} from "./decision.ts";
import { forget, openThread, settle } from "./decision-end.ts";
import { grantFor } from "./grant.ts";
import { PROMPT_PART } from "./post.ts";

const PAGE_PART = /^page:(\d+)$/;
const NO_MESSAGE = { discord_message_id: null, channel_id: null };

/**
 * @throws BellhopError E_DECISION_CLOSED for an answer to what is settled, is not what was shown, was not wholly
 * shown, or has no such option
 */
export function decideDecision(state: Decisions, command: DecisionCommand, at: string): DecisionEvent[] {
  if (command.type === "ask") return ask(state, command, at);
  const decision = state.decisions[command.decision_id];
  if (command.type === "answer") return answerPressed(decision, command);
  if (!decision) return [];
  const ref = refOf(decision);
  switch (command.type) {
    case "place_decision":
      return decision.thread_id === null && isOpen(decision) ? [{ type: "DecisionPlaced", payload: payloadOf(command) }] : [];
    case "see_page":
      return isOpen(decision) && command.page === decision.seen + 1 && command.page <= (decision.subject?.pages ?? 0)
        ? [{ type: "DecisionPageSeen", payload: { ...ref, page: command.page } }]
        : [];
    case "remind":
      return isOpen(decision) && command.step === decision.reminders.length + 1 ? [{ type: "DecisionReminded", payload: { ...ref, step: command.step, by: command.by } }] : [];
    case "lapse":
      // By the keeper's word that so much time has passed: the wall clock may have been moved since. Nobody waits for
      // the end of what is disconnected, and a timer that was set before it was asked again is not the one that counts.
      return decision.state === "open" && decision.lapses_at !== null && decision.lapses_at === command.lapses_at ? [{ type: "DecisionLapsed", payload: ref }] : [];
    case "disconnect":
      return decision.state === "open" ? [{ type: "DecisionDisconnected", payload: ref }] : [];
    case "reconnect":
      return decision.state === "disconnected" ? [{ type: "DecisionReconnected", payload: ref }] : [];
    case "void":
      return isOpen(decision) ? [{ type: "DecisionVoided", payload: { ...ref, why: command.why } }] : [];
    case "answer_delivered":
      return isOpen(decision) || decision.delivered ? [] : [{ type: "AnswerDelivered", payload: ref }];
  }
}

/** After a restart: what a dead process asked is void; what can still be heard waits on, and says so. */
export function decideWakeOf(state: Decisions): DecisionEvent[] {
  return Object.values(state.decisions).flatMap((decision): DecisionEvent[] => {
    if (!isOpen(decision)) return [];
    const ref = refOf(decision);
    if (decision.asker.by === "job") return [{ type: "DecisionVoided", payload: { ...ref, why: "asker_gone" } }];
    const gone: DecisionEvent[] = decision.state === "open" ? [{ type: "DecisionDisconnected", payload: ref }] : [];
    return [...gone, { type: "DecisionRefreshed", payload: ref }];
  });
}

/**
 * The one that asks the very same and is open, or settled without its asker having heard: to ask again is to read it
 * again. Not what is void: that nobody was to hear.
 */
export function sameAsked(state: Pick<Decisions, "decisions">, command: Pick<Decision, "kind" | "thread_id" | "asker" | "context" | "questions" | "subject">): Decision | undefined {
  const key = keyOf(command);
  return Object.values(state.decisions).find((one) => (isOpen(one) || (!one.delivered && one.state !== "void")) && keyOf(one) === key);
}

export function evolveDecision(state: Decisions, event: DecisionEvent, ts: string): void {
  if (event.type === "DecisionAsked") return asked(state, event.payload, ts);
  const { payload } = event;
  if ("discord_message_id" in payload && payload.discord_message_id !== null) {
    state.dedupe[`${payload.channel_id}:${payload.discord_message_id}`] ??= null;
  }
  const decision = state.decisions[payload.decision_id];
  if (decision) changed(state, decision, event, ts);
}

/**
 * The first message by which it was put before the owner is remembered, wherever its prompt stands later; and a page
 * that stands in Discord as a message of its own (`page:2`, `page:3`, …) was shown.
 */
export function evolveShown(decision: Decision | undefined, part: string, messageId: string | null): void {
  if (!decision || messageId === null) return;
  if (part === PROMPT_PART) decision.shown ??= messageId;
  const page = Number(PAGE_PART.exec(part)?.[1]);
  if (isOpen(decision) && page === decision.seen + 1 && page <= (decision.subject?.pages ?? 0)) decision.seen = page;
}

function ask(state: Decisions, command: AskCommand, at: string): DecisionEvent[] {
  const { asker, decision_id, thread_id, subject } = command;
  if (state.decisions[decision_id]) return [];
  // Nobody is left to hear what is asked for a job that is over, or that its owner has stopped.
  if (asker.by === "job" && (state.jobs[asker.job_id]?.state !== "running" || state.runs[asker.job_id]?.cancelling)) return [];
  const same = sameAsked(state, command);
  if (same) return same.state === "disconnected" ? [{ type: "DecisionReconnected", payload: { ...refOf(same), lapses_at: command.lapses_at } }] : [];
  const asked: DecisionEvent = { type: "DecisionAsked", payload: payloadOf(command) };
  if (command.kind !== "permission" || thread_id === null || subject === null) return [asked];
  // The owner said so before: asked and answered in the journal, and nobody is disturbed.
  if (!grantFor(state, thread_id, subject, at)) return [asked];
  const answers = [{ places: [PERMISSION.session], words: null }];
  return [asked, { type: "DecisionAnswered", payload: { decision_id, thread_id, ...NO_MESSAGE, answers, by: "grant" } }];
}

function keyOf({ kind, thread_id, asker, context, questions, subject }: Parameters<typeof sameAsked>[1]): string {
  const who = asker.by === "mcp" ? [asker.project, asker.wanted_thread, asker.channel_id, asker.bot_id] : [thread_id, asker];
  // Not its time: the same bytes are the same whenever they are asked for.
  return JSON.stringify([kind, asker.by, who, context, questions, subject?.tool, subject?.sha256]);
}

function answerPressed(decision: Decision | undefined, command: Extract<DecisionCommand, { type: "answer" }>): DecisionEvent[] {
  // What was shown is what will be done, or nothing is.
  const shown = decision !== undefined && (decision.subject?.sha256 ?? null) === command.sha256;
  const event = shown ? answered(decision, command.question, command.answer, NO_MESSAGE, "press") : null;
  if (event === null) throw new BellhopError("E_DECISION_CLOSED");
  return [event];
}

function asked(state: Decisions, payload: Extract<DecisionEvent, { type: "DecisionAsked" }>["payload"], ts: string): void {
  const { subject } = payload;
  state.decisions[payload.decision_id] = {
    ...structuredClone(payload),
    state: "open",
    answers: payload.questions.map(() => null),
    reasked: 0,
    unclear: null,
    // What fits on one page is wholly shown with the prompt itself.
    seen: subject === null ? 0 : 1,
    shown: null,
    reminders: [],
    refreshed_at: null,
    asked_at: ts,
    settled_at: null,
    settled_by: null,
    voided: null,
    delivered: false,
  };
}

function changed(state: Decisions, decision: Decision, event: Exclude<DecisionEvent, { type: "DecisionAsked" }>, ts: string): void {
  switch (event.type) {
    case "DecisionPlaced":
      decision.thread_id = event.payload.thread_id;
      return openThread(state, event.payload);
    case "DecisionPageSeen":
      decision.seen = event.payload.page;
      return;
    case "QuestionAnswered":
      decision.answers[event.payload.question] = structuredClone(event.payload.answer);
      decision.unclear = null;
      // Each question is asked again so often.
      decision.reasked = 0;
      return;
    case "DecisionReasked":
      decision.reasked += 1;
      decision.unclear = event.payload.why;
      return;
    case "DecisionReminded":
      decision.reminders.push({ by: event.payload.by, at: ts });
      return;
    case "DecisionRefreshed":
      decision.refreshed_at = ts;
      return;
    case "DecisionDisconnected":
      decision.state = "disconnected";
      return;
    case "DecisionReconnected":
      decision.state = "open";
      if (event.payload.lapses_at !== undefined) decision.lapses_at = event.payload.lapses_at;
      return;
    case "AnswerDelivered":
      decision.delivered = true;
      return forget(state, decision);
    default:
      settle(state, decision, event, ts);
  }
}

function payloadOf<T extends { type: string }>({ type: _type, ...payload }: T): Omit<T, "type"> {
  return payload;
}
