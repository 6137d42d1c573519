/**
 * What an agent offers to choose from in its session: models, modes and its own commands, and how a model or a mode is
 * set. What it confirms counts, not what was asked for.
 */
import { BellhopError } from "../../base/errors.ts";
import type { Cost } from "../../core/jobs/cost.ts";
import type { AgentFacts, CommandOffered, Offered } from "../../core/sessions/told.ts";
import { oneLine } from "../process/excerpts.ts";
import { costOf } from "./translate.ts";
import { count, type Fields, inner, records, text } from "../process/fields.ts";

/** A session's models, or its modes. */
export interface Choice {
  current: string;
  available: readonly Offered[];
  /** The configuration option that sets it; null where a request of its own does. */
  option: string | null;
}

/** The models in what an agent says of its session: an option of the category `model`, or else `models`; null: none. */
export function modelsOf(told: Fields): Choice | null {
  const { currentModelId, availableModels } = inner(told, "models");
  return (
    optionIn(told, "model") ??
    choiceOf(
      currentModelId,
      records(availableModels).map(({ modelId, name }) => offered(modelId, name)),
    )
  );
}

/** The modes in what an agent says of its session: `modes`, or else an option of the category `mode`; null: none. */
export function modesOf(told: Fields): Choice | null {
  const { currentModeId, availableModes } = inner(told, "modes");
  return (
    choiceOf(
      currentModeId,
      records(availableModes).map(({ id, name }) => offered(id, name)),
    ) ?? optionIn(told, "mode")
  );
}

function choiceOf(current: unknown, all: readonly Offered[]): Choice | null {
  return text(current) === "" ? null : { current: text(current), available: all, option: null };
}

function optionIn(told: Fields, what: "model" | "mode"): Choice | null {
  const option = records(told["configOptions"]).find(
    ({ category, id }) => category === what || (category === undefined && id === what),
  );
  return typeof option?.["currentValue"] === "string"
    ? { current: option["currentValue"], available: valuesOf(option), option: text(option["id"]) }
    : null;
}

/** The values of a configuration option, which may come in groups. */
function valuesOf(option: Fields): Offered[] {
  return records(option["options"]).flatMap((one) =>
    Array.isArray(one["options"]) ? valuesOf(one) : [offered(one["value"], one["name"])],
  );
}

function offered(id: unknown, name: unknown): Offered {
  return { id: text(id), name: text(name) || text(id) };
}

/**
 * Chooses a model and resolves with the models as they stand then.
 * @throws BellhopError E_MODEL_UNAVAILABLE if the agent does not have it
 */
export async function chooseModel(
  request: (method: string, params: Fields) => Promise<Fields>,
  { id: sessionId, models }: { id: string; models: Choice | null },
  model: string,
): Promise<Choice> {
  const unavailable = (cause?: unknown): BellhopError => new BellhopError("E_MODEL_UNAVAILABLE", { model }, { cause });
  if (models === null || !models.available.some(({ id }) => id === model)) throw unavailable();
  const { option } = models;
  const sent =
    option === null
      ? request("session/set_model", { sessionId, modelId: model })
      : request("session/set_config_option", { sessionId, configId: option, value: model });
  const answer = await sent.catch((error: unknown) => {
    throw unavailable(error);
  });
  return modelsOf(answer) ?? { ...models, current: model };
}

/** The request that sets a mode. */
export function setMode(sessionId: string, { option }: Choice, mode: string): { method: string; params: Fields } {
  return option === null
    ? { method: "session/set_mode", params: { sessionId, modeId: mode } }
    : { method: "session/set_config_option", params: { sessionId, configId: option, value: mode } };
}

/** The mode an update says the session is in now, or null if it says nothing of it. */
export function modeIn(update: Fields): string | null {
  if (update["sessionUpdate"] === "current_mode_update") return text(update["currentModeId"]) || null;
  return update["sessionUpdate"] === "config_option_update" ? (modesOf(update)?.current ?? null) : null;
}

/** @param usage the last that the session told @param cost since the session began; null if nobody knows */
export function factsOf(models: Choice | null, { usage, cost }: { usage: Fields; cost: Cost | null }): AgentFacts {
  const [used, size] = [count(usage["used"]), count(usage["size"])];
  return {
    ...(models !== null && { model: models.current, models: models.available }),
    ...(used !== undefined && size !== undefined && { context: { used, size } }),
    // An agent that tells no cost may still cost something.
    ...(cost !== null && costOf(usage) !== undefined && { cost }),
  };
}

const MOST_COMMANDS = 500;

/** The commands in an `available_commands_update`. */
export function commandsIn(update: Fields): CommandOffered[] {
  const told = records(update["availableCommands"]).slice(0, MOST_COMMANDS);
  return told
    .map((one) => ({
      name: oneLine(text(one["name"])),
      description: oneLine(text(one["description"])),
      hint: oneLine(text(inner(one, "input")["hint"])),
    }))
    .filter(({ name }) => name !== "");
}
