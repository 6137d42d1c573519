/** An agent's own commands, as it tells them with `available_commands_update`. */
import type { CommandOffered } from "../../engine/live-agent.ts";
import { oneLine } from "../process/excerpts.ts";
import { type Fields, inner, records, text } from "../process/fields.ts";

const MOST = 500;

export function commandsIn(update: Fields): CommandOffered[] {
  const told = records(update["availableCommands"]).slice(0, MOST);
  return told.map((one) => ({ name: oneLine(text(one["name"])), description: oneLine(text(one["description"])), hint: oneLine(text(inner(one, "input")["hint"])) })).filter(({ name }) => name !== "");
}
