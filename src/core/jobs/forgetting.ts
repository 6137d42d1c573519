/**
 * How a session is forgotten: with this event nothing in the state has its words any more, whether or not the lines
 * before it were blanked. The session stays, closed; what was posted for it in Discord stays too, and nothing is posted
 * twice. The words leave the disk between the two events.
 */
import { BellhopError } from "../../base/errors.ts";
import { decisionsIn, isOpen } from "../decisions/decision.ts";
import type { InboxEvent } from "../inbox/inbox.ts";
import { remove } from "../indexed.ts";
import { forgetPosts, NAMED_PART } from "../posts/post.ts";
import { newThread, noticesIn, type Thread } from "../sessions/thread.ts";
import { each, type Slice } from "../slice.ts";
import type { Event } from "../slices.ts";
import type { State } from "../state.ts";

export type ForgettingEvent =
  /** All that was said in it leaves the state; its words are still on the disk. */
  | { type: "SessionForgotten"; payload: { thread_id: string } }
  /** They have left the disk. */
  | { type: "ForgettingDone"; payload: { thread_id: string } };

export type ForgettingCommand =
  /** Without an effect while it is being forgotten. */
  { type: "forget_session"; thread_id: string } | { type: "forgetting_done"; thread_id: string };

/** What an agent that is just ending may still tell of the conversation. */
const LATE: ReadonlySet<Event["type"]> = new Set(["AgentTold", "BackgroundNoted", "ModeSet", "OutsideTurnBegan"]);

/** Whether this would bring back words, or digests of words, of a session that is forgotten. */
export function isLate(state: State, { type, payload }: Event): boolean {
  const isForgotten = (id: string | null): boolean => state.threads[id ?? ""]?.closed === "forgotten";
  // It was on its way to Discord.
  if (type === "PostRecorded") return isForgotten(payload.channel_id) && isUnknown(state, payload.subject);
  return LATE.has(type) && "thread_id" in payload && isForgotten(payload.thread_id);
}

/** Whether a post is about a job, an outside turn or a decision that is not there any more. */
function isUnknown({ jobs, turns, decisions }: State, subject: string): boolean {
  return !/^\d|:/.test(subject) && !jobs[subject] && !turns[subject] && !decisions[subject];
}

/** @throws BellhopError E_SESSION_NOT_FOUND {session}; E_SESSION_BUSY */
function decideForgetting(state: State, { type, thread_id }: ForgettingCommand): (ForgettingEvent | InboxEvent)[] {
  const thread = state.threads[thread_id];
  if (type === "forgetting_done") return thread?.forgetting ? [{ type: "ForgettingDone", payload: { thread_id } }] : [];
  if (!thread || !state.sessions[thread_id]) throw new BellhopError("E_SESSION_NOT_FOUND", { session: thread_id });
  if (thread.forgetting) return [];
  if (isBusy(state, thread)) throw new BellhopError("E_SESSION_BUSY");
  const message_ids = Object.values(state.inbox).flatMap(({ message_id, ...place }) =>
    (place.thread_id ?? place.channel_id) === thread_id || message_id === thread_id ? message_id : [],
  );
  return [
    ...(message_ids.length > 0 ? [{ type: "InboxCleared", payload: { message_ids } } as const] : []),
    { type: "SessionForgotten", payload: { thread_id } },
  ];
}

/** Whether something runs, waits or is asked there. */
export function isBusy(state: State, thread: Thread): boolean {
  const { thread_id, busy_job, outside, wait, hold, window, background } = thread;
  const { running_job_id = null, queue = [] } = state.sessions[thread_id] ?? {};
  return (
    running_job_id !== null ||
    queue.length > 0 ||
    busy_job !== null ||
    outside !== undefined ||
    (wait !== null && wait.kind !== "budget") ||
    hold !== null ||
    window === "wanted" ||
    (background?.what ?? "") !== "" ||
    state.windows[thread_id] !== undefined ||
    decisionsIn(state, thread_id).some(isOpen)
  );
}

function evolveForgetting(state: State, { type, payload: { thread_id } }: ForgettingEvent, ts: string): void {
  const thread = state.threads[thread_id];
  const session = state.sessions[thread_id];
  if (!thread || !session) return;
  session.updated_at = ts;
  if (type === "ForgettingDone") return void delete thread.forgetting;
  const isHere = (one: { thread_id: string | null }): boolean => one.thread_id === thread_id;
  const works = [...Object.values(state.jobs), ...Object.values(state.turns)].filter(isHere);
  for (const id of works.map((one) => ("job_id" in one ? one.job_id : one.turn_id))) {
    delete state.jobs[id];
    delete state.turns[id];
    remove(state.runs, id);
    forgetPosts(state.posts, id, thread);
  }
  for (const { decision_id, typed, ...asked } of Object.values(state.decisions)) {
    // Written here, it may have been meant for what is asked elsewhere.
    if (typed.pointed?.channel_id === thread_id) delete typed.pointed;
    if (!isHere(asked)) continue;
    remove(state.decisions, decision_id);
    forgetPosts(state.posts, decision_id, thread);
  }
  for (const { subject } of noticesIn(state, thread_id)) remove(state.notices, subject);
  delete state.grants[thread_id];
  delete state.parked[thread_id];
  withoutDigests(state, thread_id);
  // Reopened, it is named after its first message, in Discord too.
  delete state.posts[thread_id]?.[NAMED_PART];
  Object.assign(session, { adapter_state: {}, queue: [], running_job_id: null, last_job_id: null });
  state.threads[thread_id] = emptied(thread);
}

/** What says where it is, and what stands there. */
function emptied(thread: Thread): Thread {
  const { place, turn, forgotten_through } = thread;
  return {
    ...newThread(thread),
    ...(thread.kind === "channel"
      ? { kind: thread.kind, since: thread.since }
      : thread.kind
        ? { kind: thread.kind }
        : thread.on_message && { on_message: thread.on_message }),
    place,
    turn,
    ...(forgotten_through !== undefined && { forgotten_through }),
    closed: "forgotten",
    forgetting: true,
    unnamed: true,
  };
}

/** Posts about the thread, and about messages in it, stay as they are in Discord; what they say leaves no digest. */
function withoutDigests({ posts, threads }: State, threadId: string): void {
  for (const [subject, parts] of Object.entries(posts)) {
    const [about = ""] = subject.split(":");
    if (!/^\d+$/.test(about) || (about !== threadId && threads[about])) continue;
    for (const post of Object.values(parts)) {
      if (subject !== threadId && post.channel_id !== threadId) continue;
      post.hash = "";
      delete post.upto;
    }
  }
}

export const forgettingSlice: Slice<ForgettingCommand, ForgettingEvent> = {
  decide: each(decideForgetting, "forget_session", "forgetting_done"),
  evolve: each(evolveForgetting, "SessionForgotten", "ForgettingDone"),
  kinds: "session",
};
