/**
 * How a session is closed and reopened. A closed session keeps its conversation and its queue, but starts nothing and
 * takes no message; its agent is ended. The owner reopens it.
 */
import { BellhopError } from "../../base/errors.ts";
import { decisionsIn, isOpen, refOf, voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { ref, type JobEvent } from "./job.ts";
import type { ClosedBy } from "../sessions/thread.ts";
import { releasedFrom, type WindowEvent } from "../sessions/windows.ts";
import { each, type Slice } from "../slice.ts";
import type { State } from "../state.ts";

export type ClosingEvent =
  | { type: "SessionClosed"; payload: { thread_id: string; by: ClosedBy } }
  | { type: "SessionReopened"; payload: { thread_id: string } };

export type ClosingCommand =
  /** Also cancels the job that runs in it. A closed session whose agent is to be killed is closed once more. */
  | { type: "close_session"; thread_id: string; by: Exclude<ClosedBy, "silent"> }
  | { type: "reopen_session"; thread_id: string }
  /** Gives the owner's own Claude back to its terminal, and closes the session. Ignored for another session. */
  | { type: "release"; thread_id: string };

export function decideClosing(
  state: State,
  command: ClosingCommand,
): (ClosingEvent | JobEvent | DecisionEvent | WindowEvent)[] {
  const { thread_id } = command;
  if (command.type === "release")
    return releasedFrom(state, thread_id).length > 0
      ? decideClosing(state, { type: "close_session", thread_id, by: "owner" })
      : [];
  const closed = state.threads[thread_id]?.closed;
  if (command.type === "reopen_session") return reopenEvents(state, thread_id);
  if (!state.sessions[thread_id] || closed === command.by || closed === "killed" || closed === "forgotten") return [];
  const released = releasedFrom(state, thread_id);
  // What the owner's own Claude is at goes on there, and there it asks.
  if (released.length > 0)
    return [
      { type: "SessionClosed", payload: { thread_id, by: command.by } },
      ...released,
      ...askedThere(state, thread_id),
    ];
  const job = state.jobs[state.sessions[thread_id].running_job_id ?? ""];
  const isStopped = job === undefined || (state.runs[job.job_id]?.cancelling ?? false);
  const cancelled: (JobEvent | DecisionEvent)[] = isStopped
    ? []
    : [{ type: "JobCancelRequested", payload: ref(job) }, ...voidedWith(state, job.job_id)];
  return [{ type: "SessionClosed", payload: { thread_id, by: command.by } }, ...cancelled];
}

function askedThere(state: State, threadId: string): DecisionEvent[] {
  return decisionsIn(state, threadId).flatMap((one) =>
    isOpen(one) && one.asker.by === "hook"
      ? [{ type: "DecisionVoided", payload: { ...refOf(one), why: "terminal" } }]
      : [],
  );
}

/** A session whose agent was silent for too long is closed with what it was at. */
export function closedBySilence(state: State, thread_id: string, code: string | undefined): ClosingEvent[] {
  const isOpen = state.threads[thread_id] !== undefined && state.threads[thread_id].closed === undefined;
  return code === "E_AGENT_SILENT" && isOpen ? [{ type: "SessionClosed", payload: { thread_id, by: "silent" } }] : [];
}

/** @throws BellhopError E_SESSION_FORGETTING */
export function reopenEvents({ threads }: State, thread_id: string): ClosingEvent[] {
  if (threads[thread_id]?.forgetting) throw new BellhopError("E_SESSION_FORGETTING");
  return threads[thread_id]?.closed === undefined ? [] : [{ type: "SessionReopened", payload: { thread_id } }];
}

export function evolveClosing(state: State, event: ClosingEvent, ts: string): void {
  const thread = state.threads[event.payload.thread_id];
  const session = state.sessions[event.payload.thread_id];
  if (!thread || !session) return;
  session.updated_at = ts;
  if (event.type === "SessionReopened") return void delete thread.closed;
  thread.closed = event.payload.by;
  if (thread.window === "wanted") delete thread.window;
  // What was allowed for the session ends with it.
  delete state.grants[event.payload.thread_id];
}

export const closingSlice: Slice<ClosingCommand, ClosingEvent> = {
  decide: each(decideClosing, "release", "close_session", "reopen_session"),
  evolve: each(evolveClosing, "SessionClosed", "SessionReopened"),
  kinds: "session",
};
