/** What an agent offers to choose from: models and modes, each with an id and a name, and its own commands. */
import type { CommandOffered, Offered } from "../../engine/live-agent.ts";
import { oneLine } from "../process/excerpts.ts";
import { type Fields, inner, records, text } from "../process/fields.ts";

const MOST_COMMANDS = 500;

/** The values of a configuration option, which may come in groups. */
export function valuesOf(option: Fields): Offered[] {
  return records(option["options"]).flatMap((one) => (Array.isArray(one["options"]) ? valuesOf(one) : [offered(one["value"], one["name"])]));
}

export function offered(id: unknown, name: unknown): Offered {
  return { id: text(id), name: text(name) || text(id) };
}

/** The commands in an `available_commands_update`. */
export function commandsIn(update: Fields): CommandOffered[] {
  const told = records(update["availableCommands"]).slice(0, MOST_COMMANDS);
  return told.map((one) => ({ name: oneLine(text(one["name"])), description: oneLine(text(one["description"])), hint: oneLine(text(inner(one, "input")["hint"])) })).filter(({ name }) => name !== "");
}
