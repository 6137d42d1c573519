/**
 * Which model the owner chose for a session and its tool. It holds for every agent that is opened for it, until another
 * is chosen or the agent does not offer it any more.
 */
import type { ErrorCode } from "../../base/errors.ts";
import type { Jobs } from "../jobs/job.ts";

export type ModelEvent =
  | { type: "ModelChosen"; payload: { thread_id: string; tool: string; model: string } }
  /** The agent does not offer it: it is chosen no more. */
  | { type: "ModelSettled"; payload: { thread_id: string; tool: string; model: string; code: ErrorCode } };

export interface ModelCommand {
  type: "choose_model";
  thread_id: string;
  tool: string;
  model: string;
}

export function decideModel(
  { threads }: Pick<Jobs, "threads">,
  { type: _type, ...choice }: ModelCommand,
): ModelEvent[] {
  const thread = threads[choice.thread_id];
  return !thread || thread.models?.[choice.tool] === choice.model ? [] : [{ type: "ModelChosen", payload: choice }];
}

/** What the end of a job says of the model it was to run with. */
export function settledBy(
  { threads }: Pick<Jobs, "threads">,
  { thread_id, tool }: { thread_id: string; tool: string },
  code: ErrorCode,
): ModelEvent[] {
  const model = threads[thread_id]?.models?.[tool];
  return code !== "E_MODEL_UNAVAILABLE" || model === undefined
    ? []
    : [{ type: "ModelSettled", payload: { thread_id, tool, model, code } }];
}

export function evolveModel({ threads }: Pick<Jobs, "threads">, event: ModelEvent): void {
  const { thread_id, tool, model } = event.payload;
  const thread = threads[thread_id];
  if (!thread) return;
  const { [tool]: _before, ...others } = thread.models ?? {};
  const models = event.type === "ModelChosen" ? { ...others, [tool]: model } : others;
  if (Object.keys(models).length > 0) thread.models = models;
  else delete thread.models;
}
