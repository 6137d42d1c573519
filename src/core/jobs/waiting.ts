/**
 * A thread that waits: its agent's account is at its limit, or where its next job would run is not what the owner has
 * seen. It starts nothing and loses nothing; every other thread continues. A job that could not begin goes back to the
 * front of its queue. When a limit is over, the owner is asked whether to continue, or the queue continues by itself:
 * the owner's rule decides, and after a second limit in a row he is always asked. He is asked at once about a limit
 * without a usable time, unless it is to be tried again by itself.
 */
import {
  changedWait,
  copyCheckout,
  copyWait,
  type Changed,
  type ChangedWait,
  type StuckWait,
  type UnparkedBy,
  type Wait,
} from "../projects/checkout.ts";
import { voidedWith, type DecisionEvent } from "../decisions/decision.ts";
import { jobOrTurn } from "./job-or-turn.ts";
import {
  ref,
  type EndEvent,
  type Job,
  type JobEvent,
  type ParkCommand,
  type QueueEvent,
  type Rules,
  type WaitEvent,
} from "./job.ts";
import { seenAt, type SeenEvent } from "../projects/seen.ts";
import { decideSession, type SessionCommand } from "../sessions/session.ts";
import type { Command } from "../slices.ts";
import type { State } from "../state.ts";
import { unparkEvent } from "./queue.ts";
import { parkedThreads, type Thread } from "../sessions/thread.ts";
import type { WorktreeEvent } from "../sessions/worktrees.ts";
import { each, type Slice } from "../slice.ts";

/** Which answers end which wait: an answer to one does not end another. */
const ENDED_BY: Record<Wait["kind"], readonly UnparkedBy[]> = {
  limit: ["owner"],
  // By an answer to exactly what is shown.
  changed: [],
  terminal: ["owner", "cleared", "terminal"],
  stuck: ["owner", "time", "fresh"],
  // And when it is raised.
  budget: ["time"],
};

function decideWait(
  state: State,
  command: ParkCommand,
  at: string,
  rules: Rules,
): (JobEvent | EndEvent | QueueEvent | DecisionEvent | SeenEvent | WorktreeEvent)[] {
  switch (command.type) {
    case "put_back":
      return putBack(state, command);
    case "park":
      return park(state, command, at);
    case "unpark": {
      const { thread_id, job_id, by } = command;
      const wait = state.threads[thread_id]?.wait;
      if (wait?.job_id !== job_id || !ENDED_BY[wait.kind].includes(by)) return [];
      if (wait.kind === "budget" && (wait.until === undefined || wait.stopped)) return [];
      if (wait.kind === "stuck" && by === (wait.cause === "full" ? "time" : "fresh")) return [];
      return [{ type: "SessionUnparked", payload: { thread_id, job_id, by } }];
    }
    case "accept_changed":
      return accept(state, command);
    case "lift_limit":
      return lift(state, command, rules);
  }
}

/**
 * A wait that is also about the checkout of a conversation ends when another tool has another one: its next job looks
 * at that one's checkout, and at everything else, again.
 */
function leftWithCheckout(state: State, command: Extract<SessionCommand, { type: "change_tool" }>): QueueEvent[] {
  const { thread_id } = command;
  const wait = state.threads[thread_id]?.wait;
  if (wait?.kind !== "changed" || !wait.checkout) return [];
  const isOther = decideSession(state, command).some(
    (event) => event.type === "ToolChanged" && event.payload.carried === undefined,
  );
  return isOther ? [unparkEvent(thread_id, wait)] : [];
}

function evolveWait(state: State, event: WaitEvent, ts: string): void {
  const thread = state.threads[event.payload.thread_id];
  const session = state.sessions[event.payload.thread_id];
  if (!thread || !session) return;
  session.updated_at = ts;
  const { wait } = thread;
  if (event.type === "SessionParked") {
    const next = event.payload.wait;
    // The owner has seen the place in another thread, and is asked here for the rest.
    if (wait?.kind === "changed" && next.kind === "changed" && next.place === undefined && isPlaceSeen(state, wait))
      moveAlong(thread, wait);
    thread.wait = copyWait(next);
    if (next.kind === "stuck" ? next.cause === "busy" : next.kind === "limit" && next.untimed)
      thread.tries = (thread.tries ?? 0) + 1;
    return;
  }
  if (event.type === "LimitLifted") {
    if (wait?.kind === "limit") thread.wait = { ...wait, lifted: true };
    return;
  }
  thread.wait = null;
  if (wait?.kind === "limit") delete thread.resumed_after_limit;
  if (event.payload.by === "time" && wait?.kind === "limit" && !wait.untimed && session.queue.length > 0)
    thread.resumed_after_limit = true;
  if (event.payload.by !== "time") delete thread.tries;
  const run = state.runs[event.payload.job_id];
  if (event.payload.by === "cleared" && wait?.kind === "terminal" && wait.screen !== undefined && run)
    run.drafts = [...(run.drafts ?? []), wait.screen];
  if (event.payload.by === "seen" && wait?.kind === "changed") {
    moveAlong(thread, wait);
    if (wait.checkout) thread.checkout = copyCheckout(wait.checkout.is);
  }
  if (event.payload.by === "fresh") {
    session.adapter_state = {};
    thread.checkout = null;
    thread.next_conversation = "new";
  }
}

/** The conversation moves with its project: that is what the owner was asked. */
function moveAlong({ checkout }: Thread, { place }: ChangedWait): void {
  if (place && checkout?.cwd === place.was) checkout.cwd = place.is;
}

function isPlaceSeen(state: State, { place }: ChangedWait): boolean {
  return place !== undefined && seenAt(state, place.project_name)?.path === place.is;
}

/** Only a job that has certainly done nothing may run once more. */
function putBack(
  state: State,
  { job_id, why }: Extract<ParkCommand, { type: "put_back" }>,
): (JobEvent | EndEvent | DecisionEvent)[] {
  const job = state.jobs[job_id];
  const run = state.runs[job_id];
  if (job?.state !== "running" || !run) return [];
  if (run.cancelling)
    return [...voidedWith(state, job_id), { type: "JobCancelled", payload: { ...ref(job), by: "owner" } }];
  return (run.begun?.tools.length ?? 0) > 0
    ? []
    : [...voidedWith(state, job_id), { type: "JobPutBack", payload: { ...ref(job), why } }];
}

function park(
  state: State,
  { thread_id, job_id, wait }: Extract<ParkCommand, { type: "park" }>,
  at: string,
): QueueEvent[] {
  const thread = state.threads[thread_id];
  const job = jobOrTurn(state, job_id);
  if (!thread || job?.thread_id !== thread_id) return [];
  // The job was cancelled meanwhile: there is nothing left to ask.
  if (wait.kind !== "limit" && job.state !== "queued" && !keepsOthers(state, wait, job)) return [];
  const asked = {
    ...copyWait(wait),
    job_id,
    ...(wait.kind === "limit" && thread.resumed_after_limit && { again: true as const }),
  };
  if (thread.wait && JSON.stringify(thread.wait) === JSON.stringify(asked)) return [];
  const parked = { type: "SessionParked", payload: { thread_id, job_id, wait: asked } } as const;
  if (asked.kind !== "limit" || !asked.untimed || asked.until > at) return [parked];
  return couldGoOn(state, thread_id, job_id) ? [parked, { type: "LimitLifted", payload: { thread_id, job_id } }] : [];
}

/** A job that is stuck and may have done something is not run again, but those behind it would meet the same. */
function keepsOthers({ sessions }: State, wait: Wait, { state, thread_id }: Pick<Job, "state" | "thread_id">): boolean {
  return wait.kind === "stuck" && state === "failed" && (sessions[thread_id]?.queue.length ?? 0) > 0;
}

/** A model that its owner chooses ends the wait for one. */
function goesOnWith(state: State, { thread_id }: { thread_id: string }): QueueEvent[] {
  const wait = state.threads[thread_id]?.wait;
  return wait?.kind === "stuck" && wait.cause === "model"
    ? [{ type: "SessionUnparked", payload: { thread_id, job_id: wait.job_id, by: "owner" } }]
    : [];
}

/** A new conversation is not full. */
function goesOnAnew(state: State, { thread_id, how }: Extract<Command, { type: "want_conversation" }>): QueueEvent[] {
  const wait = state.threads[thread_id]?.wait;
  return how === "new" && wait?.kind === "stuck" && wait.cause === "full"
    ? [{ type: "SessionUnparked", payload: { thread_id, job_id: wait.job_id, by: "fresh" } }]
    : [];
}

/** Who retries a job that is stuck wants that tried. */
function triesAgain(state: State, { job_id }: { job_id: string }): QueueEvent[] {
  const { thread_id = "" } = state.jobs[job_id] ?? {};
  const wait = state.threads[thread_id]?.wait;
  return wait?.kind === "stuck" && wait.job_id === job_id && state.jobs[job_id]?.state === "failed"
    ? [{ type: "SessionUnparked", payload: { thread_id, job_id, by: "owner" } }]
    : [];
}

/** The tools that the thread's owner could go on with in it, where this one's account is refused. */
export function otherTools({ projects, sessions }: State, threadId: string): string[] {
  const { tool, project_name = "" } = sessions[threadId] ?? {};
  return (projects[project_name]?.enabled_tools ?? []).filter((one) => one !== tool);
}

/**
 * Whether a full conversation could be compacted: not where Claude has tried that by itself, and one exchange alone is
 * too long; nor where nothing was said before it.
 */
export function couldCompact({ jobs, threads }: State, { cause, details, job_id }: StuckWait): boolean {
  const job = jobs[job_id];
  const isDone = (id: string): boolean => jobs[id]?.state === "success" && jobs[id]?.tool === job?.tool;
  return (
    cause === "full" &&
    details["kind"] !== "prompt_too_long" &&
    (threads[job?.thread_id ?? ""]?.ended ?? []).some(isDone)
  );
}

/** Without anything that could, its owner has nothing to be asked about. */
function couldGoOn(state: State, thread_id: string, job_id: string): boolean {
  const cutOff = state.jobs[job_id]?.state === "failed" && state.runs[job_id]?.retried_by === null;
  return cutOff || (state.sessions[thread_id]?.queue.length ?? 0) > 0;
}

function lift(
  state: State,
  { thread_id, job_id }: Extract<ParkCommand, { type: "lift_limit" }>,
  rules: Rules,
): QueueEvent[] {
  const wait = state.threads[thread_id]?.wait;
  if (wait?.kind !== "limit" || wait.job_id !== job_id || wait.lifted) return [];
  const asks = rules.resume_after_limit === "ask" || wait.again === true;
  if (asks && couldGoOn(state, thread_id, job_id)) return [{ type: "LimitLifted", payload: { thread_id, job_id } }];
  return [{ type: "SessionUnparked", payload: { thread_id, job_id, by: "time" } }];
}

/** The owner's answer covers what he was shown and nothing else, in every thread that waits for it. */
function accept(
  state: State,
  { thread_id, job_id, digest, by }: Extract<ParkCommand, { type: "accept_changed" }>,
): (QueueEvent | SeenEvent | WorktreeEvent)[] {
  const wait = state.threads[thread_id]?.wait;
  if (wait?.kind !== "changed" || wait.job_id !== job_id || wait.digest !== digest) return [];
  return [
    ...nowSeen(state, thread_id, wait),
    { type: "SessionUnparked", payload: { thread_id, job_id, by } },
    ...parkedThreads(state).flatMap((other) =>
      other.thread_id === thread_id ? [] : withoutSeen(other, sharedBy(state, thread_id, wait), state),
    ),
  ];
}

/** What of this wait is the same for other threads: what is in a session's own worktree is in no other place. */
function sharedBy(
  { worktrees }: State,
  threadId: string,
  { place, configuration }: ChangedWait,
): Pick<Changed, "place" | "configuration"> {
  return { ...(place && { place }), ...(configuration && !worktrees?.[threadId] && { configuration }) };
}

function nowSeen(state: State, thread_id: string, wait: ChangedWait): (SeenEvent | WorktreeEvent)[] {
  const { place, configuration } = sharedBy(state, thread_id, wait);
  const project_name = place?.project_name ?? configuration?.project_name ?? "";
  const before = seenAt(state, project_name);
  const path = place?.is ?? before?.path;
  const is = configuration?.is ?? before?.configuration ?? null;
  return [
    ...((place ?? configuration) && path !== undefined
      ? [{ type: "ProjectSeen", payload: { ...before, project_name, path, configuration: is } } as const]
      : []),
    ...(wait.configuration && !configuration
      ? [{ type: "WorktreeSeen", payload: { thread_id, configuration: wait.configuration.is } } as const]
      : []),
  ];
}

/** Another thread that waits for nothing else goes on; one that waits for more is asked about the rest. */
function withoutSeen({ thread_id, wait }: Thread, seen: Changed, state: State): QueueEvent[] {
  if (wait?.kind !== "changed") return [];
  const { job_id, place, checkout, configuration } = wait;
  const isOwn = state.worktrees[thread_id] !== undefined;
  const rest: Changed = {
    ...(place && !isSame(place, seen.place) && { place }),
    ...(checkout && { checkout }),
    ...(configuration && (isOwn || !isSame(configuration, seen.configuration)) && { configuration }),
  };
  if (rest.place === place && rest.configuration === configuration) return [];
  return Object.keys(rest).length > 0
    ? [{ type: "SessionParked", payload: { thread_id, job_id, wait: changedWait(job_id, rest) } }]
    : [{ type: "SessionUnparked", payload: { thread_id, job_id, by: "seen" } }];
}

type ProjectFact = { project_name: string; is: string };

function isSame(one: ProjectFact, other: ProjectFact | undefined): boolean {
  return one.project_name === other?.project_name && one.is === other.is;
}

export const waitingSlice: Slice<ParkCommand, WaitEvent> = {
  decide: each(decideWait, "put_back", "park", "unpark", "accept_changed", "lift_limit"),
  evolve: each(evolveWait, "SessionParked", "SessionUnparked", "LimitLifted"),
  kinds: "wait",
  alsoDecides: {
    change_tool: leftWithCheckout,
    choose_model: goesOnWith,
    want_conversation: goesOnAnew,
    retry: triesAgain,
  },
};
