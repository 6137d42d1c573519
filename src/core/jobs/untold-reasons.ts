/**
 * Why the owner refused what an agent asked, where the agent's protocol carries a no without a reason: it goes with
 * each prompt until the agent has shown that it had one. A prompt that is lost loses no reason; at worst it is told
 * twice.
 */
import { countTools } from "./run.ts";
import { jobOrTurn } from "./job-or-turn.ts";
import type { Job } from "./job.ts";
import { workOf } from "../decisions/asker.ts";
import { decisionsIn, isOpen, type SettledDecision } from "../decisions/decision.ts";
import { allows } from "../decisions/may-answer.ts";
import { tooLong } from "../decisions/request-size.ts";
import type { State } from "../state.ts";

export interface UntoldReason {
  /** One line that describes what was refused. */
  title: string;
  /** The owner's, or why he was not asked. */
  words: string;
}

/**
 * The reasons since the tool's last job in this thread that had its prompt began, in the order in which they were asked
 * for.
 */
export function untoldReasons(state: State, { thread_id, tool }: Job): UntoldReason[] {
  const isTools = (id: string | null): boolean => id !== null && jobOrTurn(state, id)?.tool === tool;
  const last = (state.threads[thread_id]?.ended ?? []).findLast((id) => isTools(id) && hadPrompt(state, id));
  const since = state.jobs[last ?? ""]?.started_at ?? "";
  return decisionsIn(state, thread_id).flatMap((decision) =>
    !isOpen(decision) && isTools(workOf(decision.asker)) && decision.settled_at >= since ? reasonOf(decision) : [],
  );
}

/**
 * Whether its agent has said, done or asked something. Without a sign nobody knows: it may not have started, or not be
 * logged in.
 */
function hadPrompt(state: State, id: string): boolean {
  const job = state.jobs[id];
  const run = state.runs[id];
  if (job?.started_at == null) return false;
  if (job.state === "success" || job.result_excerpt !== null) return true;
  return countTools(run) > 0 || decisionsIn(state, job.thread_id).some(({ asker }) => workOf(asker) === id);
}

function reasonOf(decision: SettledDecision): UntoldReason[] {
  const {
    subject,
    answers: [answer],
  } = decision;
  if (subject?.described !== true) return [];
  if (decision.state === "void" && decision.excess !== undefined)
    return [{ title: subject.title, words: tooLong(decision.kind, decision.excess) }];
  return answer?.words == null || allows(decision, answer) ? [] : [{ title: subject.title, words: answer.words }];
}
