/**
 * What remains when a decision ends: its answer, the grant if the owner gave one, and a limited number of settled
 * decisions. Also the thread of a decision that has no session: it comes with the first decision asked there and goes
 * with the last.
 */
import { isRunning, workOf } from "./asker.ts";
import { asMuchLater } from "../../base/text.ts";
import {
  decisionsIn,
  isOpen,
  refOf,
  settledBeside,
  type AnsweredDecision,
  type Asked,
  type Decision,
  type DecisionEvent,
  type OpenDecision,
  type SettledDecision,
} from "./decision.ts";
import type { TerminalOutcome, VoidedBecause, VoidedWhy } from "./voided.ts";
import { PERMISSION } from "./may-answer.ts";
import { evolveGrant, isSame, liveGrants } from "./grant.ts";
import { putLast, remove } from "../indexed.ts";
import { forgetPosts, PROMPT_PART, type PostCommand } from "../posts/post.ts";
import { forgetHandled } from "../inbox/redelivered-messages.ts";
import { newThread, noticesIn } from "../sessions/thread.ts";
import type { State } from "../state.ts";

/**
 * Settled decisions kept in the live state, per session and for all askers outside of one. Changing them changes
 * replay.
 */
const KEPT_IN_THREAD = 50;
const KEPT_OUTSIDE = 200;
/** The limit for those whose asker has not received the end. */
const KEPT_UNTOLD = 1000;

type SettlingEvent = Extract<
  DecisionEvent,
  { type: "DecisionAnswered" | "DecisionLapsed" | "DecisionAborted" | "DecisionVoided" }
>;

export function settle(state: State, decision: Decision, event: SettlingEvent, ts: string): void {
  const settled = isOpen(decision) ? settledBy(decision, event, ts) : overruledBy(decision, event, ts);
  if (settled.state === "answered") granted(state, settled, ts);
  if (decision.state === "answered") revoke(state, decision);
  // In the order of settlement: one that was open for long does not leave first.
  putLast(state.decisions, settled.decision_id, settled);
  forget(state, settled);
}

function settledBy(decision: OpenDecision, event: SettlingEvent, settled_at: string): SettledDecision {
  const { state: was, between: _between, meanwhile, told_over: delivered, ...known } = decision;
  const ended = { ...known, settled_at, delivered };
  switch (event.type) {
    case "DecisionAnswered": {
      const { answers, by, rule_id, revocable, declined } = event.payload;
      return {
        ...ended,
        state: "answered",
        answers: structuredClone(answers),
        settled_by: by,
        ...(rule_id !== undefined && { rule_id }),
        // Its asker may have been told that there was none in time.
        delivered: false,
        ...(revocable && { revocable: meanwhile }),
        ...(known.asker.by === "hook" && was === "disconnected" && { untold: true }),
        ...(declined !== undefined && { declined }),
      };
    }
    case "DecisionLapsed":
      return { ...ended, state: "lapsed" };
    case "DecisionAborted":
      return { ...ended, state: "aborted", typed: { ...known.typed, unclear: event.payload.why } };
    case "DecisionVoided":
      return { ...ended, state: "void", ...becauseOf(event.payload) };
  }
}

/** It has ended already, and it turns out that nobody has received that, or how it was settled in the terminal. */
function overruledBy(decision: SettledDecision, event: SettlingEvent, settled_at: string): SettledDecision {
  if (event.type !== "DecisionVoided") return decision;
  const because = becauseOf(event.payload);
  switch (decision.state) {
    case "answered": {
      const {
        settled_by: _by,
        rule_id: _rule,
        declined: _declined,
        untold: _untold,
        revocable: _revocable,
        ...ended
      } = decision;
      return { ...ended, state: "void", settled_at, answers: decision.questions.map(() => null), ...because };
    }
    case "void":
      return { ...decision, ...because, ...(decision.voided === "untold" ? { settled_at } : { outcome_late: true }) };
    default:
      return { ...decision, state: "void", settled_at, ...because };
  }
}

function becauseOf(payload: { why: VoidedWhy } & VoidedBecause): { voided: VoidedWhy } & VoidedBecause {
  const { why: voided, excess, outcome, said, refused } = structuredClone(payload);
  return {
    voided,
    ...(excess !== undefined && { excess }),
    ...(outcome !== undefined && { outcome }),
    ...(said !== undefined && { said }),
    ...(refused !== undefined && { refused }),
  };
}

/**
 * Whether the terminal settles it although it has ended here: what was decided there may be known late, its time may
 * have been over, or an answer here may have come too late.
 */
export function terminalOverrides(decision: SettledDecision, there: TerminalOutcome | undefined): boolean {
  if (decision.asker.by !== "hook") return false;
  if (decision.state === "void")
    return decision.voided === "untold" || (decision.outcome === undefined && there !== undefined);
  return decision.state === "answered" || decision.state === "lapsed";
}

/** What has ended here without Claude's knowing of an answer, and whose dialog still stands in the terminal. */
export function leftToTerminal(state: State, threadId: string): Decision[] {
  return decisionsIn(state, threadId).filter(
    (one) =>
      isLeft(one) && one.asker.by === "hook" && one.asker.dialog === true && isRunning(state, workOf(one.asker) ?? ""),
  );
}

/** Whether nobody answered it here in time, or nobody has heard the answer. */
export function isLeft(decision: Decision): boolean {
  return (
    decision.state === "lapsed" || (decision.state === "void" && decision.voided === "untold") || isUntold(decision)
  );
}

/** Whether it is answered and its asker does not know of it yet. */
export function isUntold(decision: Decision): boolean {
  return decision.state === "answered" && decision.untold === true;
}

/** The answer came too late, and allows nothing from now on either. */
function revoke(state: State, { thread_id, decision_id }: AnsweredDecision): void {
  if (thread_id !== null) evolveGrant(state, { type: "GrantRevoked", payload: { thread_id, decision_id } });
}

/** Undoes the answer. Nobody has begun to wait for it since it was given; otherwise it could not be taken back. */
export function reopen(state: State, decision: Decision): void {
  if (decision.state !== "answered" || decision.revocable === undefined) return;
  const {
    settled_at: _at,
    settled_by: _by,
    rule_id: _rule,
    delivered: _delivered,
    revocable: meanwhile,
    ...known
  } = decision;
  state.decisions[known.decision_id] = {
    ...known,
    state: "disconnected",
    answers: known.questions.map(() => null),
    meanwhile,
    told_over: false,
  };
}

/**
 * Voids a decision whose prompt could be posted nowhere, not even in direct messages: nobody can answer it. Checked for
 * every post that is recorded.
 */
export function voidedWithout(
  { decisions, threads }: State,
  { subject, part, message_id }: PostCommand,
): DecisionEvent[] {
  const decision = decisions[subject];
  if (!decision || !isOpen(decision) || part !== PROMPT_PART || message_id !== null || !isPlaceless(threads, decision))
    return [];
  return [{ type: "DecisionVoided", payload: { ...refOf(decision), why: "no_place" } }];
}

/** Whether its prompt could be posted nowhere, and a crash lost its end. */
export function standsNowhere({ posts, threads }: State, decision: Decision): boolean {
  return isPlaceless(threads, decision) && posts[decision.decision_id]?.[PROMPT_PART]?.message_id === null;
}

function isPlaceless(threads: State["threads"], { asker, thread_id }: Decision): boolean {
  return asker.by === "mcp" && threads[thread_id ?? ""]?.place === "owner";
}

/** Whether the answer allows it for the session, and the owner himself gave it now. */
function granted(state: State, decision: AnsweredDecision, at: string): void {
  const { decision_id, thread_id, kind, subject, asked_at, answers, settled_by } = decision;
  if (kind !== "permission" || answers[0]?.places[0] !== PERMISSION.session || settled_by === "grant") return;
  if (!subject || thread_id === null || state.threads[thread_id]?.closed !== undefined) return;
  const { tool, title, sha256, exact, grant_until } = subject;
  // From the owner's answer on, however long he took.
  const until = asMuchLater(at, asked_at, grant_until);
  const others = liveGrants(state, thread_id, at).filter((one) => !isSame(one, subject));
  state.grants[thread_id] = [
    ...others,
    { tool, title, sha256, ...(exact !== undefined && { exact }), decision_id, at, until },
  ];
}

/** A thread without a session, which exists for what is asked there. */
export function openThread(
  state: State,
  { thread_id, channel_id, guild_id, bot_id, since }: Extract<DecisionEvent, { type: "DecisionPlaced" }>["payload"],
): void {
  state.threads[thread_id] ??= newThread({ thread_id, channel_id, guild_id, bot_id });
  state.watermarks[thread_id] ??= since;
}

/**
 * The first settled leave the live state, with their threads if nothing else is in them. Undelivered ones are kept
 * longer, because their asker may still come for the answer.
 */
export function forget(state: State, decision: Asked): void {
  const alike = settledBeside(state, decision);
  const [delivered, undelivered] = [
    alike.filter((one) => isDone(state, one)),
    alike.filter((one) => !isDone(state, one)),
  ];
  const leaving = [
    ...delivered.slice(0, workOf(decision.asker) !== null ? -KEPT_IN_THREAD : -KEPT_OUTSIDE),
    ...undelivered.slice(0, -KEPT_UNTOLD),
  ];
  for (const one of leaving) {
    remove(state.decisions, one.decision_id);
    forgetPosts(state.posts, one.decision_id, state.threads[one.thread_id ?? ""]);
    if (one.thread_id !== null) dropUnused(state, one.thread_id);
  }
}

/** Whether no asker can come for it any more: it was delivered, is void, or its job or outside turn is over. */
function isDone(state: State, decision: SettledDecision): boolean {
  const work = workOf(decision.asker);
  return decision.delivered || decision.state === "void" || (work !== null && !isRunning(state, work));
}

function dropUnused(state: State, threadId: string): void {
  if (state.sessions[threadId] || state.channels[threadId] || decisionsIn(state, threadId).length > 0) return;
  remove(state.threads, threadId);
  delete state.watermarks[threadId];
  forgetHandled(state, threadId);
  for (const { subject } of noticesIn(state, threadId)) remove(state.notices, subject);
}
