/**
 * Why the owner refused what an agent asked, where the agent's protocol carries a no without a reason: it goes with the
 * next prompt that the agent is given.
 */
import { jobOrTurn } from "../jobs/job-or-turn.ts";
import type { Job, Jobs } from "../jobs/job.ts";
import { workOf } from "./asker.ts";
import { decisionsIn, type Decision } from "./decision.ts";
import { allows } from "./may-answer.ts";

export interface UntoldReason {
  /** One line that describes what was refused. */
  title: string;
  words: string;
}

/** The reasons since the tool's last job in this thread began, in the order in which they were asked for. */
export function untoldReasons(state: Pick<Jobs, "jobs" | "turns" | "threads" | "decisions">, { thread_id, tool }: Pick<Job, "thread_id" | "tool">): UntoldReason[] {
  const isTools = (id: string | null): boolean => id !== null && jobOrTurn(state, id)?.tool === tool;
  const last = (state.threads[thread_id]?.ended ?? []).findLast((id) => isTools(id) && state.jobs[id]?.started_at != null);
  const since = state.jobs[last ?? ""]?.started_at ?? "";
  return decisionsIn(state, thread_id).flatMap((decision) => (isTools(workOf(decision.asker)) && (decision.settled_at ?? "") >= since ? reasonOf(decision) : []));
}

function reasonOf(decision: Decision): UntoldReason[] {
  const { subject, answers: [answer] } = decision;
  if (subject?.described !== true || answer?.words == null || allows(decision, answer)) return [];
  return [{ title: subject.title, words: answer.words }];
}
