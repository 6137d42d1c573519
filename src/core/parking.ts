/**
 * A thread that waits: its agent's account is at its limit, or its checkout is another one. A waiting thread starts
 * nothing and loses nothing; every other thread goes on. What could not begin goes back to the front of its queue.
 */
import { copyCheckout, copyWait, type UnparkedBy, type Wait } from "./checkout.ts";
import { voidedWith, type DecisionEvent } from "./decision.ts";
import { ref, type EndEvent, type JobEvent, type Jobs, type ParkCommand, type QueueEvent } from "./job.ts";

/** What may end which wait. No time that passes settles what only the owner may, and no answer to one wait ends another. */
const ENDED_BY: Record<Wait["kind"], readonly UnparkedBy[]> = { limit: ["time", "owner"], checkout: ["anyway", "fresh"] };

export function decideParking(state: Jobs, command: ParkCommand): (JobEvent | EndEvent | QueueEvent | DecisionEvent)[] {
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
  }
}

export function evolveParking(
  state: Jobs,
  event: Extract<QueueEvent, { type: "SessionParked" | "SessionUnparked" }>,
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
  thread.wait = null;
  if (event.payload.by === "anyway" && wait?.kind === "checkout") thread.checkout = copyCheckout(wait.is);
  if (event.payload.by === "fresh") {
    session.adapter_state = {};
    thread.checkout = null;
  }
}

/** Only what has surely done nothing may run once more. */
function putBack(
  state: Jobs,
  { job_id, why }: Extract<ParkCommand, { type: "put_back" }>,
): (JobEvent | EndEvent | DecisionEvent)[] {
  const job = state.jobs[job_id];
  const run = state.runs[job_id];
  if (job?.state !== "running" || !run) return [];
  if (run.cancelling) return [...voidedWith(state, job_id), { type: "JobCancelled", payload: { ...ref(job), by: "owner" } }];
  return run.tools.length > 0 ? [] : [...voidedWith(state, job_id), { type: "JobPutBack", payload: { ...ref(job), why } }];
}

function park(state: Jobs, { thread_id, job_id, wait }: Extract<ParkCommand, { type: "park" }>): QueueEvent[] {
  const thread = state.threads[thread_id];
  const job = state.jobs[job_id];
  if (!thread || job?.thread_id !== thread_id) return [];
  // The job was cancelled meanwhile: there is nothing left to ask.
  if (wait.kind === "checkout" && job.state !== "queued") return [];
  if (thread.wait && JSON.stringify(thread.wait) === JSON.stringify(copyWait(wait))) return [];
  return [{ type: "SessionParked", payload: { thread_id, job_id, wait: { ...copyWait(wait), job_id } } }];
}
