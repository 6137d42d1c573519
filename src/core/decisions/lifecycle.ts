/**
 * Asks and settles decisions: each command affects its own decision, once. Asking exactly the same again returns the
 * existing decision; the first valid answer counts, and a later one, or one given for other bytes, is refused. After a
 * restart, what can still be received stays open.
 */
import { isRunning, workOf } from "./asker.ts";
import { BellhopError } from "../../base/errors.ts";
import {
  askedAt,
  askedLike,
  countOpenOfAsker,
  decisionsIn,
  isOpen,
  isTold,
  openDecisions,
  refOf,
  type AskCommand,
  type Asked,
  type Decision,
  type DecisionCommand,
  type DecisionEvent,
  type Matter,
  type OpenDecision,
} from "./decision.ts";
import { answerEvent, mayBeAllowed, PERMISSION } from "./may-answer.ts";
import {
  forget,
  isUntold,
  terminalOverrides,
  openThread,
  reopen,
  settle,
  standsNowhere,
  voidedWithout,
} from "./settlement.ts";
import { grantFor } from "./grant.ts";
import { decideHandOver, handedOver } from "./handing-over.ts";
import { PAGE_PART, PROMPT_PART, type PostEvent } from "../posts/post.ts";
import { markHandled } from "../inbox/redelivered-messages.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

const NO_MESSAGE = { discord_message_id: null, channel_id: null };

/**
 * @throws BellhopError E_DECISION_CLOSED if the decision is settled, its bytes are not those shown or were not shown in
 * full, or there is no such option
 */
export function decideDecision(state: State, command: DecisionCommand, at: string): DecisionEvent[] {
  if (command.type === "ask") return ask(state, command, at);
  if (command.type === "leave_decision" || command.type === "take_over" || command.type === "ask_there")
    return decideHandOver(state, command);
  const decision = state.decisions[command.decision_id];
  if (command.type === "answer") return answerPressed(decision, command);
  if (!decision) return [];
  const ref = refOf(decision);
  switch (command.type) {
    case "place_decision":
      return decision.thread_id === null && isOpen(decision)
        ? [{ type: "DecisionPlaced", payload: payloadOf(command) }]
        : [];
    case "see_page":
      return isOpen(decision) &&
        command.page === decision.shown.pages + 1 &&
        command.page <= (decision.subject?.pages ?? 0)
        ? [{ type: "DecisionPageSeen", payload: { ...ref, page: command.page } }]
        : [];
    case "decline":
      if (!isOpen(decision) || decision.form !== true) throw new BellhopError("E_DECISION_CLOSED");
      return [
        {
          type: "DecisionAnswered",
          payload: {
            ...ref,
            ...NO_MESSAGE,
            answers: decision.questions.map(() => ({ places: [], words: null })),
            by: "press",
            declined: command.how,
          },
        },
      ];
    case "remind":
      return remind(decision, command);
    case "snooze":
      return isOpen(decision) && decision.kind === "question"
        ? [{ type: "DecisionSnoozed", payload: { ...ref, until: command.until } }]
        : [];
    case "lapse":
      // The reconciler measures that the time has passed; the wall clock may have been moved. A timer that was set
      // before it was asked again does not count.
      return isOpen(decision) && decision.lapses_at !== null && decision.lapses_at === command.lapses_at
        ? [{ type: "DecisionLapsed", payload: ref }]
        : [];
    case "disconnect":
      return decision.state === "open" ? [{ type: "DecisionDisconnected", payload: ref }] : [];
    case "reconnect":
      return decision.state === "disconnected" ? [{ type: "DecisionReconnected", payload: ref }] : [];
    case "notice":
      return decision.state === "disconnected" && decision.meanwhile.noticed !== true
        ? [{ type: "DecisionNoticed", payload: ref }]
        : [];
    case "void":
      return isOpen(decision) ||
        (command.why === "untold" && isUntold(decision)) ||
        (command.why === "terminal" && terminalOverrides(decision, command.outcome))
        ? [{ type: "DecisionVoided", payload: { ...ref, ...payloadOf(command) } }]
        : [];
    case "take_back":
      return decision.state === "answered" && decision.revocable ? [{ type: "AnswerTakenBack", payload: ref }] : [];
    case "answer_stands":
      return decision.state === "answered" && decision.revocable ? [{ type: "AnswerStands", payload: ref }] : [];
    case "answer_delivered":
      return isTold(decision) || (isOpen(decision) && decision.lapses_at === null)
        ? []
        : [{ type: "AnswerDelivered", payload: ref }];
  }
}

/** What one asker waits for at a time: more mean an agent out of control, and no owner could answer them. */
const MOST_AWAITED = 32;
/** With what it has cancelled, which can still be answered. */
const MOST_OPEN = 320;

/**
 * Limit for all open decisions asked through clients: a client names its own project, so one process can be many
 * askers.
 */
const MOST_CHARS = 8_000_000;

/**
 * After a restart: what a dead process asked is void; what can still be received stays open, and says so.
 * @param alive threads whose agents have outlived the daemon, in a terminal: their hooks call again
 */
export function decideRestartOf(state: State, alive: readonly string[]): DecisionEvent[] {
  const untold = alive.flatMap((threadId) => decisionsIn(state, threadId)).filter((one) => mayHear(state, one));
  return [...openDecisions(state), ...untold].flatMap((decision): DecisionEvent[] => {
    const ref = refOf(decision);
    if (!isOpen(decision)) return [{ type: "DecisionDisconnected", payload: ref }];
    if (standsNowhere(state, decision)) return [{ type: "DecisionVoided", payload: { ...ref, why: "no_place" } }];
    const isGone =
      decision.asker.by === "hook" ? !alive.includes(decision.thread_id ?? "") : workOf(decision.asker) !== null;
    if (isGone) return [{ type: "DecisionVoided", payload: { ...ref, why: "asker_gone" } }];
    const gone: DecisionEvent[] = decision.state === "open" ? [{ type: "DecisionDisconnected", payload: ref }] : [];
    return [...gone, { type: "DecisionRefreshed", payload: ref }];
  });
}

/** Whether it is answered, and the hook that asked has not confirmed that it has the answer. */
function mayHear(state: State, decision: Decision): boolean {
  const work = workOf(decision.asker);
  return (
    decision.state === "answered" &&
    decision.asker.by === "hook" &&
    !decision.delivered &&
    decision.untold !== true &&
    (work === null || isRunning(state, work))
  );
}

/**
 * A decision that asks exactly the same and is open, or was settled without its asker having received that. A void one
 * does not count, because nobody was left to receive it, unless it is void because it was settled in its terminal.
 */
export function sameAsked(state: State, command: Asked): Decision | undefined {
  const key = keyOf(command);
  return askedLike(state, command).find(
    (one) =>
      (isOpen(one) || (!one.delivered && (one.state !== "void" || one.voided === "terminal"))) && keyOf(one) === key,
  );
}

export function evolveDecision(state: State, event: DecisionEvent, ts: string): void {
  if (event.type === "DecisionAsked") return asked(state, event.payload, ts);
  const { payload } = event;
  if ("discord_message_id" in payload && payload.discord_message_id !== null) {
    markHandled(state, String(payload.channel_id), payload.discord_message_id);
    // It was held back, and turned out to be a reply to this.
    for (const { typed } of openDecisions(state))
      if (typed.pointed?.discord_message_id === payload.discord_message_id) delete typed.pointed;
  }
  const decision = state.decisions[payload.decision_id];
  if (decision) changed(state, decision, event, ts);
}

/**
 * Remembers the first message that showed it to the owner, wherever its prompt is later; a page that is a message of
 * its own (`page:2`, `page:3`, …) counts as shown. A notice in place of a prompt shows nothing of what would be done.
 */
function evolveShown(state: State, { payload }: PostEvent): void {
  const { subject, part, message_id: messageId, partly } = payload;
  const decision = state.decisions[subject];
  if (!decision || messageId === null) return;
  const { shown } = decision;
  if (part === PROMPT_PART) shown.first ??= messageId;
  if (part === PROMPT_PART && decision.subject !== null && isOpen(decision))
    shown.pages = partly ? 0 : Math.max(shown.pages, 1);
  const page = partly ? Number.NaN : Number(PAGE_PART.exec(part)?.[1]);
  if (isOpen(decision) && page === shown.pages + 1 && page <= (decision.subject?.pages ?? 0)) shown.pages = page;
}

function ask(state: State, command: AskCommand, at: string): DecisionEvent[] {
  const { excess, now: _now, ...shown } = command;
  const { asker, decision_id, thread_id, subject } = shown;
  if (state.decisions[decision_id]) return [];
  // A job or an outside turn that is over, or that its owner has stopped, cannot receive an answer.
  const work = workOf(asker);
  if (work !== null && (!isRunning(state, work) || state.runs[work]?.cancelling)) return [];
  const asked: DecisionEvent = { type: "DecisionAsked", payload: payloadOf(shown) };
  if (excess !== undefined)
    return [asked, { type: "DecisionVoided", payload: { decision_id, thread_id, why: "too_long", excess } }];
  const same = sameAsked(state, command);
  if (same) return askedAgain(same, command);
  // The owner has granted this: it is asked and answered in the journal, and nobody is disturbed.
  if (
    command.kind !== "permission" ||
    thread_id === null ||
    subject === null ||
    !mayBeAllowed(command) ||
    !grantFor(state, thread_id, subject, at)
  ) {
    const { open, awaited } = countOpenOfAsker(state, command);
    if (awaited >= MOST_AWAITED || open >= MOST_OPEN)
      throw new BellhopError("E_TOO_MANY_QUESTIONS", { limit: awaited >= MOST_AWAITED ? MOST_AWAITED : MOST_OPEN });
    const chars =
      asker.by === "mcp" ? openDecisions(state).reduce((sum, one) => sum + charsOf(one), charsOf(command)) : 0;
    if (chars > MOST_CHARS) throw new BellhopError("E_QUESTIONS_TOO_LONG", { limit: MOST_CHARS / 1e6 });
    return [asked];
  }
  const answers = [{ places: [PERMISSION.session], words: null }];
  return [
    asked,
    { type: "DecisionAnswered", payload: { decision_id, thread_id, ...NO_MESSAGE, answers, by: "grant" } },
  ];
}

/** How many characters the asker wrote. */
function charsOf({ context, questions }: Matter): number {
  const texts = questions.flatMap(({ question, options }) => [
    question,
    ...options.flatMap(({ label, description }) => [label, description]),
  ]);
  return texts.reduce((sum, { length }) => sum + length, context.length);
}

/** No reminders while it is snoozed; one when the snooze is over. */
function remind(
  decision: Decision,
  { step, by, snoozed_until }: Extract<DecisionCommand, { type: "remind" }>,
): DecisionEvent[] {
  if (!isOpen(decision) || step !== decision.reminders.length + 1 || decision.meanwhile.snooze?.until !== snoozed_until)
    return [];
  return [
    {
      type: "DecisionReminded",
      payload: { ...refOf(decision), step, by, ...(snoozed_until !== undefined && { after_snooze: true }) },
    },
  ];
}

/**
 * A returning asker starts a new wait; of several askers, the longest wait decides when it lapses. When its time is
 * over it is not extended: what was written after that stays too late.
 */
function askedAgain(same: Decision, { lapses_at, now }: AskCommand): DecisionEvent[] {
  const again = (until: string | null): DecisionEvent[] => [
    { type: "DecisionReconnected", payload: { ...refOf(same), lapses_at: until } },
  ];
  const isOver = now !== undefined && same.lapses_at !== null && now > same.lapses_at;
  if (same.state === "disconnected") return again(isOver ? same.lapses_at : lapses_at);
  if (isOver) return [];
  const isLonger =
    same.state === "open" && same.lapses_at !== null && (lapses_at === null || lapses_at > same.lapses_at);
  return isLonger ? again(lapses_at) : [];
}

function keyOf(asked: Asked): string {
  const { kind, thread_id, asker, context, questions, subject } = asked;
  // The request is in its id, to the byte.
  if (asker.by === "hook") return JSON.stringify([asker.by, thread_id, asker.request_id]);
  const who = asker.by === "mcp" ? [asker.project, askedAt(asked), asker.bot_id] : [thread_id, asker];
  // Without its time: the same bytes are the same whenever they are asked for.
  return JSON.stringify([kind, asker.by, who, context, questions, subject?.tool, subject?.sha256]);
}

function answerPressed(
  decision: Decision | undefined,
  command: Extract<DecisionCommand, { type: "answer" }>,
): DecisionEvent[] {
  const { question, answer, sha256 } = command;
  const event =
    decision === undefined ? null : answerEvent(decision, { question, answer, saw: { sha256 } }, NO_MESSAGE);
  if (event === null) throw new BellhopError("E_DECISION_CLOSED");
  return [event];
}

function asked(state: State, payload: Asked, ts: string): void {
  state.decisions[payload.decision_id] = {
    ...structuredClone(payload),
    state: "open",
    asked_at: ts,
    answers: payload.questions.map(() => null),
    // If it fits on one page, the prompt shows all of it.
    shown: { first: null, pages: payload.subject === null ? 0 : 1 },
    typed: { reasked: 0, unclear: null },
    reminders: [],
    meanwhile: { refreshed_at: null },
    told_over: false,
  };
}

function changed(
  state: State,
  decision: Decision,
  event: Exclude<DecisionEvent, { type: "DecisionAsked" }>,
  ts: string,
): void {
  switch (event.type) {
    case "DecisionAnswered":
    case "DecisionLapsed":
    case "DecisionAborted":
    case "DecisionVoided":
      return settle(state, decision, event, ts);
    case "DecisionHandedOver":
      return handedOver(decision, event.payload);
    case "DecisionDisconnected":
      return disconnected(decision);
    case "AnswerTakenBack":
      return reopen(state, decision);
    case "AnswerStands":
      if (decision.state === "answered") delete decision.revocable;
      return;
    case "AnswerDelivered":
      return delivered(state, decision);
    default:
      if (isOpen(decision)) changedOpen(state, decision, event, ts);
  }
}

/** What happens to one that can still be answered, and does not end it. */
function changedOpen(
  state: State,
  decision: OpenDecision,
  event: Extract<
    DecisionEvent,
    {
      type:
        | "DecisionPlaced"
        | "DecisionPageSeen"
        | "QuestionAnswered"
        | "DecisionReasked"
        | "DecisionReminded"
        | "DecisionKeptOpen"
        | "DecisionSnoozed"
        | "DecisionRefreshed"
        | "DecisionNoticed"
        | "DecisionReconnected";
    }
  >,
  ts: string,
): void {
  const { meanwhile, typed } = decision;
  switch (event.type) {
    case "DecisionPlaced":
      decision.thread_id = event.payload.thread_id;
      return openThread(state, event.payload);
    case "DecisionPageSeen":
      decision.shown.pages = event.payload.page;
      return;
    case "QuestionAnswered":
      decision.answers[event.payload.question] = structuredClone(event.payload.answer);
      typed.unclear = null;
      delete typed.kept;
      delete meanwhile.snooze;
      // The limit is per question.
      typed.reasked = 0;
      delete typed.asked_which;
      return;
    case "DecisionReasked":
      if (event.payload.why === "which" && typed.asked_which) return;
      if (event.payload.why === "which") typed.asked_which = true;
      typed.reasked += 1;
      typed.unclear = event.payload.why;
      return;
    case "DecisionReminded":
      decision.reminders.push({
        by: event.payload.by,
        at: ts,
        ...(event.payload.after_snooze && { after_snooze: true }),
      });
      if (event.payload.after_snooze) delete meanwhile.snooze;
      return;
    case "DecisionKeptOpen": {
      const { why, words, discord_message_id, channel_id } = event.payload;
      typed.kept = { why, words, discord_message_id, channel_id, at: ts };
      return;
    }
    case "DecisionSnoozed":
      meanwhile.snooze = { at: ts, until: event.payload.until };
      return;
    case "DecisionRefreshed":
      meanwhile.refreshed_at = ts;
      delete meanwhile.noticed;
      return;
    case "DecisionNoticed":
      meanwhile.noticed = true;
      return;
    case "DecisionReconnected":
      decision.state = "open";
      delete meanwhile.noticed;
      if (event.payload.lapses_at !== undefined) decision.lapses_at = event.payload.lapses_at;
  }
}

/** If it is answered, Claude does not know of it. */
function disconnected(decision: Decision): void {
  if (decision.state === "answered") decision.untold = true;
  if (!isOpen(decision)) return;
  decision.state = "disconnected";
  delete decision.meanwhile.noticed;
}

function delivered(state: State, decision: Decision): void {
  if (isOpen(decision)) decision.told_over = true;
  else decision.delivered = true;
  if (decision.state === "answered") {
    delete decision.revocable;
    delete decision.untold;
  }
  forget(state, decision);
}

function payloadOf<T extends { type: string }>({ type: _type, ...payload }: T): Omit<T, "type"> {
  return payload;
}

export const decisionSlice: Slice<DecisionCommand, DecisionEvent> = {
  decide: each(
    decideDecision,
    "ask",
    "leave_decision",
    "take_over",
    "ask_there",
    "place_decision",
    "see_page",
    "answer",
    "decline",
    "remind",
    "snooze",
    "lapse",
    "disconnect",
    "reconnect",
    "notice",
    "void",
    "answer_stands",
    "take_back",
    "answer_delivered",
  ),
  evolve: each(
    evolveDecision,
    "DecisionAsked",
    "DecisionPlaced",
    "DecisionPageSeen",
    "QuestionAnswered",
    "DecisionAnswered",
    "DecisionReasked",
    "DecisionAborted",
    "DecisionReminded",
    "DecisionKeptOpen",
    "DecisionSnoozed",
    "DecisionRefreshed",
    "DecisionLapsed",
    "DecisionDisconnected",
    "DecisionReconnected",
    "DecisionNoticed",
    "DecisionVoided",
    "AnswerTakenBack",
    "AnswerStands",
    "DecisionHandedOver",
    "AnswerDelivered",
  ),
  kinds: "decision",
  alsoDecides: { record_post: voidedWithout },
  alsoEvolves: { PostRecorded: evolveShown },
};
