/**
 * What the end of a decision leaves: its answer, the owner's word for the rest of the session where he gave it, and,
 * by count, nothing of what is long over. And the thread of a decision that no session lives in, which comes with it
 * and goes with the last one asked there.
 */
import { isOpen, PERMISSION, type Decision, type DecisionEvent, type Decisions } from "./decision.ts";
import type { Grant, Grants } from "./grant.ts";
import { newThread } from "./thread.ts";

/** Settled decisions that are kept in the live state: of a session, and of all who ask from outside of one. Changing them changes replay. */
const KEPT_IN_THREAD = 50;
const KEPT_OUTSIDE = 200;

const ENDS = { DecisionAnswered: "answered", DecisionLapsed: "lapsed", DecisionAborted: "aborted", DecisionVoided: "void" } as const;

export function settle(
  state: Decisions,
  decision: Decision,
  event: Extract<DecisionEvent, { type: "DecisionAnswered" | "DecisionLapsed" | "DecisionAborted" | "DecisionVoided" }>,
  ts: string,
): void {
  if (event.type === "DecisionAnswered") {
    decision.answers = structuredClone(event.payload.answers);
    decision.settled_by = event.payload.by;
    const forSession = decision.kind === "permission" && decision.answers[0]?.places[0] === PERMISSION.session;
    if (forSession && event.payload.by !== "grant") granted(state, decision, ts);
  }
  if (event.type === "DecisionAborted") decision.unclear = event.payload.why;
  if (event.type === "DecisionVoided") decision.voided = event.payload.why;
  decision.state = ENDS[event.type];
  decision.settled_at = ts;
  forget(state, decision);
}

function granted(state: Grants, { decision_id, thread_id, subject }: Decision, at: string): void {
  if (!subject || thread_id === null) return;
  const { tool, title, sha256, grant_until: until } = subject;
  const others = (state.grants[thread_id] ?? []).filter((one: Grant) => one.sha256 !== sha256 || one.tool !== tool);
  state.grants[thread_id] = [...others, { tool, title, sha256, decision_id, at, until }];
}

/** A thread that no session lives in, which exists for what is asked there. */
export function openThread(state: Decisions, { thread_id, channel_id, guild_id, bot_id, since }: Extract<DecisionEvent, { type: "DecisionPlaced" }>["payload"]): void {
  state.threads[thread_id] ??= newThread({ thread_id, channel_id, guild_id, bot_id });
  state.watermarks[thread_id] ??= since;
}

/** The oldest settled ones leave, with their threads where nothing else is in them. */
function forget(state: Decisions, { asker: { by }, thread_id }: Decision): void {
  const isAlike = (one: Decision): boolean => one.asker.by === by && (by !== "job" || one.thread_id === thread_id);
  const over = Object.values(state.decisions).filter((one) => isAlike(one) && !isOpen(one));
  for (const { decision_id, thread_id } of over.slice(0, by === "job" ? -KEPT_IN_THREAD : -KEPT_OUTSIDE)) {
    delete state.decisions[decision_id];
    delete state.posts[decision_id];
    const isUsed = thread_id === null || state.sessions[thread_id] || Object.values(state.decisions).some((one) => one.thread_id === thread_id);
    if (!isUsed) dropThread(state, thread_id);
  }
}

function dropThread(state: Decisions, threadId: string): void {
  delete state.threads[threadId];
  delete state.watermarks[threadId];
  for (const key of Object.keys(state.dedupe)) if (key.startsWith(`${threadId}:`)) delete state.dedupe[key];
}
