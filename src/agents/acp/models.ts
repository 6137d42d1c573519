/**
 * The models that an agent offers in its session, and how another one is chosen. Agents tell them in one of two ways: as a
 * configuration option of the category `model`, or as `models`. What the agent confirms counts, not what was asked for.
 */
import { BellhopError } from "../../base/errors.ts";
import type { AgentFacts, Offered } from "../../engine/live-agent.ts";
import { count, type Fields, inner, records, text } from "../process/fields.ts";
import { offered, valuesOf } from "./offered.ts";

export interface Models {
  current: string;
  offered: readonly Offered[];
  /** The configuration option that sets it; null where `session/set_model` does. */
  option: string | null;
}

/** The models in what an agent says of its session; null if there are none. */
export function modelsOf(told: Fields): Models | null {
  const option = records(told["configOptions"]).find(({ category, id }) => category === "model" || (category === undefined && id === "model"));
  if (option !== undefined && typeof option["currentValue"] === "string") return { current: option["currentValue"], offered: valuesOf(option), option: text(option["id"]) };
  const models = inner(told, "models");
  if (text(models["currentModelId"]) === "") return null;
  return { current: text(models["currentModelId"]), offered: records(models["availableModels"]).map((one) => offered(one["modelId"], one["name"])), option: null };
}

/**
 * Chooses a model and resolves with the models as they stand then.
 * @throws BellhopError E_MODEL_UNAVAILABLE if the agent does not have it
 */
export async function chooseModel(request: (method: string, params: Fields) => Promise<Fields>, { id: sessionId, models }: { id: string; models: Models | null }, model: string): Promise<Models> {
  const unavailable = (cause?: unknown): BellhopError => new BellhopError("E_MODEL_UNAVAILABLE", { model }, { cause });
  if (models === null || !models.offered.some(({ id }) => id === model)) throw unavailable();
  const { option } = models;
  const sent = option === null ? request("session/set_model", { sessionId, modelId: model }) : request("session/set_config_option", { sessionId, configId: option, value: model });
  const answer = await sent.catch((error: unknown) => {
    throw unavailable(error);
  });
  return modelsOf(answer) ?? { ...models, current: model };
}

/** @param usage the last that the session told @param cost since the session began; null if nobody knows */
export function factsOf(models: Models | null, { usage, cost }: { usage: Fields; cost: number | null }): AgentFacts {
  const [used, size] = [count(usage["used"]), count(usage["size"])];
  // An agent that tells no cost may still cost something.
  const costUsd = inner(usage, "cost")["currency"] === "USD" ? cost : null;
  return {
    ...(models !== null && { model: models.current, models: models.offered }),
    ...(used !== undefined && size !== undefined && { context: { used, size } }),
    ...(costUsd !== null && { costUsd }),
  };
}
