/**
 * Follows one turn of an agent to its end, of a job or an outside turn alike: what the agent asks goes to the owner,
 * everything else that it reports is recorded, and a silence that lasts too long ends the turn.
 */
import type { TurnAsker } from "../../core/decisions/asker.ts";
import type { Turn } from "../contract/driver.ts";
import type { Outcome, Update } from "../contract/updates.ts";
import { TurnRequests, isRequest } from "./asking/asking.ts";
import type { Attending } from "./run-context.ts";
import { silenceOf, watchIdle } from "./idle-timeout.ts";
import { inProject, processOf, recordUpdate, type RunRecorder, type Worked } from "./run-recorder.ts";
import { runProcess } from "../../core/jobs/run.ts";

export interface ListenOptions {
  work: Worked;
  /** The agent's directory, absolute. */
  cwd: string;
  turn: Turn;
  recorder: RunRecorder;
  /** @param request_id the agent's id of the request */
  asker(request_id: string): TurnAsker;
  /** Called when the agent begins with a tool. */
  acted?(): void;
  /** Called once, with the turn's end. */
  ended(outcome: Outcome): Promise<void> | void;
}

/** Resolves when every fact of the turn is in the journal. */
export async function listen(
  context: Attending,
  { work, cwd, turn, recorder, asker, acted, ended }: ListenOptions,
): Promise<void> {
  const { job_id, thread_id, tool } = work;
  if (turn.before) recorder.add(turn.before);
  /** Tools that have begun and not ended. */
  const open = new Set<string>();
  const silence = watchIdle(context.clock, silenceOf(context, work), turn, () => {
    if (recorder.said && open.size === 0 && !context.stopping())
      context.liveEvents.send({ kind: "notice", job_id, thread_id, code: "quiet", text: "" });
  });
  const asking = new TurnRequests(context, { thread_id, tool, asker }, turn, silence);
  try {
    for await (const update of turn.updates) {
      if (context.stopping() && isOurDoing(update)) continue;
      if (update.kind === "tool_started") {
        acted?.();
        open.add(update.id);
      } else if (update.kind === "tool_finished" || update.kind === "denied") open.delete(update.id ?? "");
      if (isRequest(update)) asking.onRequest(inProject(update, cwd));
      else if (update.kind === "withdrawn") asking.withdraw(update.id);
      else if (update.kind !== "end") recordUpdate(context, work, recorder, inProject(update, cwd));
      // Some agents do not say until then that they can be spoken to.
      if (update.kind === "session_key" && turn.steer && runProcess(context.engine.state.runs[job_id])?.steers !== true)
        await recordProcess(context, job_id, turn);
      await recorder.caughtUp();
      if (update.kind !== "end") continue;
      asking.endTurn(update.left);
      context.liveEvents.send({ kind: "written", job_id, thread_id });
      await ended(silence.verdict(update));
    }
    await recorder.whenRecorded();
  } finally {
    silence.stop();
    asking.leave();
  }
}

/** Records the process that works on the turn, if there is one. */
export async function recordProcess({ engine }: Attending, job_id: string, turn: Turn): Promise<void> {
  const process = await turn.process;
  if (process) await engine.submit({ type: "progress", job_id, progress: processOf(turn, process) });
}

/** Updates caused by the daemon ending the agent: nobody refused its tools, and it withdrew nothing. */
function isOurDoing(update: Update): boolean {
  return update.kind === "withdrawn" || update.kind === "denied" || (update.kind === "tool_finished" && !update.ok);
}
