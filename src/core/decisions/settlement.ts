/**
 * What remains when a decision ends: its answer, the grant if the owner gave one, and a limited number of settled
 * decisions. Also the thread of a decision that has no session: it comes with the first decision asked there and goes
 * with the last.
 */
import { isRunning, workOf } from "./asker.ts";
import { asMuchLater } from "../../base/text.ts";
import { decisionsIn, isOpen, refOf, settledBeside, type Decision, type DecisionEvent } from "./decision.ts";
import type { TerminalOutcome } from "./voided.ts";
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

const ENDS = {
  DecisionAnswered: "answered",
  DecisionLapsed: "lapsed",
  DecisionAborted: "aborted",
  DecisionVoided: "void",
} as const;

export function settle(
  state: State,
  decision: Decision,
  event: Extract<DecisionEvent, { type: "DecisionAnswered" | "DecisionLapsed" | "DecisionAborted" | "DecisionVoided" }>,
  ts: string,
): void {
  if (event.type === "DecisionAnswered") {
    decision.answers = structuredClone(event.payload.answers);
    decision.settled_by = event.payload.by;
    // Its asker may have been told that there was none in time.
    decision.delivered = false;
    if (event.payload.revocable) decision.revocable = true;
    if (decision.asker.by === "hook" && decision.state === "disconnected") decision.untold = true;
    if (event.payload.declined !== undefined) decision.declined = event.payload.declined;
    const forSession = decision.kind === "permission" && decision.answers[0]?.places[0] === PERMISSION.session;
    if (forSession && event.payload.by !== "grant") granted(state, decision, ts);
  }
  if (event.type === "DecisionAborted") decision.unclear = event.payload.why;
  const isKnown = decision.state === "void" && decision.voided !== "untold";
  if (event.type === "DecisionVoided") {
    if (decision.state === "answered") overruled(state, decision);
    if (isKnown) decision.outcome_late = true;
    const { decision_id: _id, thread_id: _thread, why, ...because } = event.payload;
    Object.assign(decision, { voided: why, ...structuredClone(because) });
    delete decision.untold;
  }
  decision.state = ENDS[event.type];
  if (!isKnown) decision.settled_at = ts;
  // In the order of settlement: one that was open for long does not leave first.
  putLast(state.decisions, decision.decision_id, decision);
  forget(state, decision);
}

/**
 * Whether the terminal settles it although it has ended here: what was decided there may be known late, its time may
 * have been over, or an answer here may have come too late.
 */
export function terminalOverrides(
  { asker, state, voided, outcome }: Decision,
  there: TerminalOutcome | undefined,
): boolean {
  if (asker.by !== "hook") return false;
  return (
    state === "answered" ||
    state === "lapsed" ||
    voided === "untold" ||
    (state === "void" && outcome === undefined && there !== undefined)
  );
}

/** What has ended here without Claude's knowing of an answer, and whose dialog still stands in the terminal. */
export function leftToTerminal(state: State, threadId: string): Decision[] {
  return decisionsIn(state, threadId).filter(
    (one) =>
      isLeft(one) && one.asker.by === "hook" && one.asker.dialog === true && isRunning(state, workOf(one.asker) ?? ""),
  );
}

/** Whether nobody answered it here in time, or nobody has heard the answer. */
export function isLeft({ state, voided, untold }: Pick<Decision, "state" | "voided" | "untold">): boolean {
  return state === "lapsed" || voided === "untold" || untold === true;
}

/** The answer came too late, and allows nothing from now on either. */
function overruled(state: State, decision: Decision): void {
  decision.answers = decision.questions.map(() => null);
  decision.settled_by = null;
  delete decision.revocable;
  const { thread_id, decision_id } = decision;
  if (thread_id !== null) evolveGrant(state, { type: "GrantRevoked", payload: { thread_id, decision_id } });
}

/** Undoes the answer. Nobody has begun to wait for it since it was given; otherwise it could not be taken back. */
export function reopen(decision: Decision): void {
  decision.state = "disconnected";
  decision.answers = decision.questions.map(() => null);
  decision.settled_at = null;
  decision.settled_by = null;
  delete decision.revocable;
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

function granted(state: State, { decision_id, thread_id, subject, asked_at }: Decision, at: string): void {
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
export function forget(state: State, decision: Decision): void {
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
function isDone(state: State, { delivered, state: is, asker }: Decision): boolean {
  const work = workOf(asker);
  return delivered || is === "void" || (work !== null && !isRunning(state, work));
}

function dropUnused(state: State, threadId: string): void {
  if (state.sessions[threadId] || state.channels[threadId] || decisionsIn(state, threadId).length > 0) return;
  remove(state.threads, threadId);
  delete state.watermarks[threadId];
  forgetHandled(state, threadId);
  for (const { subject } of noticesIn(state, threadId)) remove(state.notices, subject);
}
