/**
 * A waiting message that is sent into what runs in its session, a job's turn or an outside turn, instead of waiting for
 * its end. The request is on record before the text leaves. From then on the job is under way: still in its queue,
 * first in it, and changed by nobody, until its agent has taken it up in the running turn (`sent_into`), has begun a
 * turn of its own with it (it is started like any other), or was certainly not given it (it waits again). If its owner
 * takes it back meanwhile, its agent is asked to drop it, and it counts as taken back only if the agent was certainly
 * not given it.
 */
import type { State } from "../state.ts";
import { BellhopError, type ErrorCode } from "../../base/errors.ts";
import { indexed } from "../indexed.ts";
import { openOf } from "../decisions/decision.ts";
import { oweNotice } from "../sessions/thread.ts";
import type { EndEvent, Job, JobEvent, JobRef, Rules } from "./job.ts";
import { jobOrTurn, workersIn } from "./job-or-turn.ts";
import { isTakenBack, isUnderWay, runProcess, putFirst } from "./run.ts";
import { each, type Slice } from "../slice.ts";

export type SendEvent =
  /** `into`: the job, or outside turn, that it is to reach. */
  | { type: "JobSendRequested"; payload: JobRef & { into: string } }
  /** The agent was not given it; it waits again, as the first. */
  | { type: "JobSendFailed"; payload: JobRef & { into: string; code: ErrorCode } };

export type SendCommand =
  /** Ignored if `sendable` says anything but `now`. */
  | { type: "send_now"; job_id: string }
  /** The agent took it up while it was at the job, or outside turn, `into`. */
  | { type: "sent"; job_id: string; into: string }
  | { type: "not_sent"; job_id: string; code: ErrorCode };

/** `asks`: the agent waits for its owner; `alone`: nothing runs that it could be sent into. */
export type Sendable = "now" | "under_way" | "asks" | "alone";

/** Whether a queued job can be sent into what runs in its thread. */
export function sendable(state: State, { job_id, thread_id, state: is }: Job): Sendable {
  if (isUnderWay(state, job_id)) return "under_way";
  const running = runningIn(state, thread_id);
  const run = state.runs[running];
  if (
    is !== "queued" ||
    state.threads[thread_id]?.wait?.kind === "budget" ||
    runProcess(run)?.steers !== true ||
    run?.cancelling
  )
    return "alone";
  return openOf(state, running).length > 0 ? "asks" : "now";
}

/** The job, else the outside turn, at which the thread's agent is; empty if it is at none. */
function runningIn(state: State, threadId: string): string {
  return workersIn(state, threadId).at(-1) ?? "";
}

/** The jobs of a thread that are being sent, in the order of their requests. */
export function jobsBeingSent(state: State, threadId: string): string[] {
  return (state.sessions[threadId]?.queue ?? []).filter((id) => isUnderWay(state, id));
}

/** The jobs whose messages were taken up in the turn of this job, or in this outside turn, in that order. */
export function sentInto({ jobs, runs, threads }: State, { job_id, thread_id }: JobRef): Job[] {
  const under = indexed(runs, ({ sent_into: into }) => (into === undefined ? [] : [into])).idsOf(job_id);
  // Asked of each ended job at each change of its thread, and hardly ever is there one.
  if (under.length === 0) return [];
  const sent = under.filter((id) => jobs[id]?.state === "sent_into");
  return (threads[thread_id]?.ended ?? []).flatMap((id) => (sent.includes(id) ? (jobs[id] ?? []) : []));
}

/** @throws BellhopError E_DISK_FULL for a message that would be sent: its agent may begin a turn of its own with it */
function decideSending(
  state: State,
  command: SendCommand,
  _at: string,
  { disk_full }: Rules,
): (SendEvent | EndEvent)[] {
  const job = state.jobs[command.job_id];
  if (!job) return [];
  const { job_id, thread_id } = job;
  const ref = { job_id, thread_id };
  const sent = state.runs[job_id]?.sent_into;
  switch (command.type) {
    case "send_now":
      if (disk_full && sendable(state, job) === "now") throw new BellhopError("E_DISK_FULL");
      return sendable(state, job) === "now"
        ? [{ type: "JobSendRequested", payload: { ...ref, into: runningIn(state, thread_id) } }]
        : [];
    case "sent":
      return isUnderWay(state, job_id) ? [{ type: "JobSent", payload: { ...ref, into: command.into } }] : [];
    case "not_sent":
      return isUnderWay(state, job_id) && sent !== undefined ? [unsent(state, ref, sent, command.code)] : [];
  }
}

/** An outside turn is over and its agent was not given what was to be sent into it: that waits again. */
export function unsentInto(
  state: State,
  { turn_id, thread_id }: { turn_id: string; thread_id: string },
): (SendEvent | EndEvent)[] {
  const left = jobsBeingSent(state, thread_id).filter((id) => state.runs[id]?.sent_into === turn_id);
  return left.map((job_id) => unsent(state, { job_id, thread_id }, turn_id, "E_SEND_FAILED"));
}

function unsent({ runs }: State, ref: JobRef, into: string, code: ErrorCode): SendEvent | EndEvent {
  const run = runs[ref.job_id];
  if (isTakenBack(run)) return { type: "JobCancelled", payload: { ...ref, by: run?.cancelling ? "owner" : "deleted" } };
  return { type: "JobSendFailed", payload: { ...ref, into, code } };
}

export function evolveSending(state: State, { type, payload }: SendEvent, ts: string): void {
  const { job_id, thread_id, into } = payload;
  const [job, run, session] = [state.jobs[job_id], state.runs[job_id], state.sessions[thread_id]];
  if (!job || !run || !session) return;
  session.updated_at = ts;
  if (type === "JobSendRequested") {
    putFirst(state, session, job_id);
    run.sent_into = into;
    return;
  }
  delete run.sent_into;
  const { discord_message_id } = job;
  oweNotice(state, {
    subject: `${discord_message_id}:unsent`,
    thread_id,
    discord_message_id,
    change: "unsent",
    code: payload.code,
    details: {},
    at: ts,
  });
}

/** By the agent's own record: taken up in the turn that it was sent into, or begun as a turn of its own. */
export interface ReadMeanwhile {
  job_id: string;
  how: "taken" | "begun";
}

/**
 * What the last daemon was sending when it ended. Unless its agent's own record says so, nobody knows whether the agent
 * was given it. The queue waits for one job at most: for the running one, if that was cut off too; never for one that
 * its owner has taken back.
 */
export function interruptedSends(
  state: State,
  thread_id: string,
  { read, mayHold }: { read: readonly ReadMeanwhile[]; mayHold: boolean },
): (JobEvent | EndEvent)[] {
  let may = mayHold;
  return jobsBeingSent(state, thread_id).flatMap((job_id): (JobEvent | EndEvent)[] => {
    const ref = { job_id, thread_id };
    const { sent_into: into = "" } = state.runs[job_id] ?? {};
    const how = read.find((one) => one.job_id === job_id)?.how;
    if (how === "taken") return [{ type: "JobSent", payload: { ...ref, into } }];
    const hold = may && !isTakenBack(state.runs[job_id]);
    may &&= !hold;
    const unknown = { type: "JobMarkedUnknownAfterCrash", payload: { ...ref, hold } } as const;
    const tool = jobOrTurn(state, into)?.tool ?? "";
    return how === "begun"
      ? [{ type: "JobStarted", payload: { ...ref, tool, after_crash_of: null } }, unknown]
      : [unknown];
  });
}

export const sendingSlice: Slice<SendCommand, SendEvent> = {
  decide: each(decideSending, "send_now", "sent", "not_sent"),
  evolve: each(evolveSending, "JobSendRequested", "JobSendFailed"),
  kinds: "run",
};
