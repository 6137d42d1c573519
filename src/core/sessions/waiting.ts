/**
 * A thread that waits: its agent's account is at its limit, or where its next job would run is not what the owner has
 * seen. It starts nothing and loses nothing; every other thread continues. A job that could not begin goes back to the
 * front of its queue. When a limit is over, the owner is asked whether to continue, or the queue continues by itself:
 * the owner's rule decides, and after a second limit in a row he is always asked.
 */
import { copyCheckout, copyWait, type UnparkedBy, type Wait } from "../projects/checkout.ts";
import { voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { jobOrTurn } from "../jobs/job-or-turn.ts";
import {
  ref,
  type EndEvent,
  type JobEvent,
  type Jobs,
  type ParkCommand,
  type QueueEvent,
  type Rules,
} from "../jobs/job.ts";
import { seenAt, type SeenEvent } from "../projects/seen.ts";
import { parkedThreads } from "./thread.ts";
import type { WorktreeEvent, Worktrees } from "./worktrees.ts";

/** Which answers end which wait: an answer to one does not end another. */
const ENDED_BY: Record<Wait["kind"], readonly UnparkedBy[]> = {
  limit: ["owner"],
  checkout: ["anyway", "fresh"],
  place: [],
  configuration: [],
  terminal: ["owner", "cleared", "terminal"],
};

export function decideWait(
  state: Jobs & Pick<Worktrees, "worktrees">,
  command: ParkCommand,
  rules: Pick<Rules, "resume_after_limit">,
): (JobEvent | EndEvent | QueueEvent | DecisionEvent | SeenEvent | WorktreeEvent)[] {
  switch (command.type) {
    case "put_back":
      return putBack(state, command);
    case "park":
      return park(state, command);
    case "unpark": {
      const { thread_id, job_id, by } = command;
      const wait = state.threads[thread_id]?.wait;
      if (wait?.job_id !== job_id || !ENDED_BY[wait.kind].includes(by)) return [];
      return [{ type: "SessionUnparked", payload: { thread_id, job_id, by } }];
    }
    case "run_with":
      return runWith(state, command);
    case "lift_limit":
      return lift(state, command, rules);
  }
}

export function evolveWait(
  state: Jobs,
  event: Extract<QueueEvent, { type: "SessionParked" | "SessionUnparked" | "LimitLifted" }>,
  ts: string,
): void {
  const thread = state.threads[event.payload.thread_id];
  const session = state.sessions[event.payload.thread_id];
  if (!thread || !session) return;
  session.updated_at = ts;
  if (event.type === "SessionParked") {
    thread.wait = copyWait(event.payload.wait);
    return;
  }
  const { wait } = thread;
  if (event.type === "LimitLifted") {
    if (wait?.kind === "limit") thread.wait = { ...wait, lifted: true };
    return;
  }
  thread.wait = null;
  if (wait?.kind === "limit") delete thread.resumed_after_limit;
  if (event.payload.by === "time" && session.queue.length > 0) thread.resumed_after_limit = true;
  // The conversation moves with its project: that is what the owner was asked.
  if (event.payload.by === "seen" && wait?.kind === "place" && thread.checkout?.cwd === wait.was)
    thread.checkout.cwd = wait.is;
  const run = state.runs[event.payload.job_id];
  if (event.payload.by === "cleared" && wait?.kind === "terminal" && wait.screen !== undefined && run)
    run.drafts = [...(run.drafts ?? []), wait.screen];
  if (event.payload.by === "anyway" && wait?.kind === "checkout") thread.checkout = copyCheckout(wait.is);
  if (event.payload.by === "fresh") {
    session.adapter_state = {};
    thread.checkout = null;
  }
}

/** Only a job that has certainly done nothing may run once more. */
function putBack(
  state: Jobs,
  { job_id, why }: Extract<ParkCommand, { type: "put_back" }>,
): (JobEvent | EndEvent | DecisionEvent)[] {
  const job = state.jobs[job_id];
  const run = state.runs[job_id];
  if (job?.state !== "running" || !run) return [];
  if (run.cancelling)
    return [...voidedWith(state, job_id), { type: "JobCancelled", payload: { ...ref(job), by: "owner" } }];
  return run.tools.length > 0
    ? []
    : [...voidedWith(state, job_id), { type: "JobPutBack", payload: { ...ref(job), why } }];
}

function park(state: Jobs, { thread_id, job_id, wait }: Extract<ParkCommand, { type: "park" }>): QueueEvent[] {
  const thread = state.threads[thread_id];
  const job = jobOrTurn(state, job_id);
  if (!thread || job?.thread_id !== thread_id) return [];
  // The job was cancelled meanwhile: there is nothing left to ask.
  if (wait.kind !== "limit" && job.state !== "queued") return [];
  const asked = {
    ...copyWait(wait),
    job_id,
    ...(wait.kind === "limit" && thread.resumed_after_limit && { again: true as const }),
  };
  if (thread.wait && JSON.stringify(thread.wait) === JSON.stringify(asked)) return [];
  return [{ type: "SessionParked", payload: { thread_id, job_id, wait: asked } }];
}

/** The owner is asked only if something could continue. */
function lift(
  state: Jobs,
  { thread_id, job_id }: Extract<ParkCommand, { type: "lift_limit" }>,
  rules: Pick<Rules, "resume_after_limit">,
): QueueEvent[] {
  const wait = state.threads[thread_id]?.wait;
  if (wait?.kind !== "limit" || wait.job_id !== job_id || wait.lifted) return [];
  const waits = (state.sessions[thread_id]?.queue.length ?? 0) > 0;
  const cutOff = state.jobs[job_id]?.state === "failed" && state.runs[job_id]?.retried_by === null;
  const asks = rules.resume_after_limit === "ask" || wait.again === true;
  if (asks && (waits || cutOff)) return [{ type: "LimitLifted", payload: { thread_id, job_id } }];
  return [{ type: "SessionUnparked", payload: { thread_id, job_id, by: "time" } }];
}

/** The owner's permission covers what he was shown and nothing else, in every thread that waits for it. */
function runWith(
  state: Jobs & Pick<Worktrees, "worktrees">,
  { thread_id, job_id, is }: Extract<ParkCommand, { type: "run_with" }>,
): (QueueEvent | SeenEvent | WorktreeEvent)[] {
  const wait = state.threads[thread_id]?.wait;
  if (wait?.job_id !== job_id || (wait.kind !== "place" && wait.kind !== "configuration") || wait.is !== is) return [];
  const { kind, project_name } = wait;
  // What is in a session's own worktree is in no other place.
  if (kind === "configuration" && state.worktrees?.[thread_id]) {
    return [
      { type: "WorktreeSeen", payload: { thread_id, configuration: is } },
      { type: "SessionUnparked", payload: { thread_id, job_id, by: "seen" } },
    ];
  }
  const before = seenAt(state, project_name);
  const waiting = parkedThreads(state).flatMap((thread): QueueEvent[] => {
    const other = thread.wait;
    const same =
      other?.kind === kind &&
      other.project_name === project_name &&
      other.is === is &&
      (kind === "place" || !state.worktrees?.[thread.thread_id]);
    return same
      ? [{ type: "SessionUnparked", payload: { thread_id: thread.thread_id, job_id: other.job_id, by: "seen" } }]
      : [];
  });
  // Another directory has another configuration, which has not been read yet.
  const now = kind === "place" ? { path: is, configuration: null } : before && { ...before, configuration: is };
  const seen: SeenEvent[] = now ? [{ type: "ProjectSeen", payload: { project_name, ...now } }] : [];
  return [...seen, ...waiting];
}
