/**
 * What the end of a decision leaves: its answer, the owner's word for the rest of the session where he gave it, and,
 * by count, nothing of what is long over. And the thread of a decision that no session lives in, which comes with it
 * and goes with the last one asked there.
 */
import { asMuchLater } from "../base/moment.ts";
import { isOpen, PERMISSION, type Decision, type DecisionEvent, type Decisions } from "./decision.ts";
import { liveGrants, type Grants } from "./grant.ts";
import { newThread } from "./thread.ts";

/** Settled decisions that are kept in the live state: of a session, and of all who ask from outside of one. Changing them changes replay. */
const KEPT_IN_THREAD = 50;
const KEPT_OUTSIDE = 200;
/** Of those that whoever asked has not heard the end of. */
const KEPT_UNTOLD = 1000;

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
  // In the order in which they were settled: one that was open for long is not the first to leave.
  delete state.decisions[decision.decision_id];
  state.decisions[decision.decision_id] = decision;
  forget(state, decision);
}

function granted(state: Grants, { decision_id, thread_id, subject, asked_at }: Decision, at: string): void {
  if (!subject || thread_id === null) return;
  const { tool, title, sha256, grant_until } = subject;
  // From the owner's word on, however long he took for it.
  const until = asMuchLater(at, asked_at, grant_until);
  const others = liveGrants(state, thread_id, at).filter((one) => one.sha256 !== sha256 || one.tool !== tool);
  state.grants[thread_id] = [...others, { tool, title, sha256, decision_id, at, until }];
}

/** A thread that no session lives in, which exists for what is asked there. */
export function openThread(state: Decisions, { thread_id, channel_id, guild_id, bot_id, since }: Extract<DecisionEvent, { type: "DecisionPlaced" }>["payload"]): void {
  state.threads[thread_id] ??= newThread({ thread_id, channel_id, guild_id, bot_id });
  state.watermarks[thread_id] ??= since;
}

/**
 * The first settled leave, with their threads where nothing else is in them. Whoever may still come for an answer
 * finds it: those that were not delivered are kept longer.
 */
export function forget(state: Decisions, { asker: { by }, thread_id }: Decision): void {
  const alike = Object.values(state.decisions).filter((one) => one.asker.by === by && (by !== "job" || one.thread_id === thread_id) && !isOpen(one));
  const [told, untold] = [alike.filter((one) => isDone(state, one)), alike.filter((one) => !isDone(state, one))];
  const leaving = [...told.slice(0, by === "job" ? -KEPT_IN_THREAD : -KEPT_OUTSIDE), ...untold.slice(0, -KEPT_UNTOLD)];
  for (const one of leaving) {
    delete state.decisions[one.decision_id];
    delete state.posts[one.decision_id];
    if (one.thread_id !== null) dropUnused(state, one.thread_id);
  }
}

/** Nobody comes for what is void, or what a job asked that is over. */
function isDone({ jobs }: Decisions, { delivered, state, asker }: Decision): boolean {
  return delivered || state === "void" || (asker.by === "job" && jobs[asker.job_id]?.state !== "running");
}

function dropUnused(state: Decisions, threadId: string): void {
  if (state.sessions[threadId] || state.channels[threadId] || Object.values(state.decisions).some((one) => one.thread_id === threadId)) return;
  delete state.threads[threadId];
  delete state.watermarks[threadId];
  for (const key of Object.keys(state.dedupe)) if (key.startsWith(`${threadId}:`)) delete state.dedupe[key];
  for (const { subject, thread_id } of Object.values(state.notices)) if (thread_id === threadId) delete state.notices[subject];
}
