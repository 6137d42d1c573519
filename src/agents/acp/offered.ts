/** What an agent offers to choose from: models and modes, each with an id and a name. */
import type { Offered } from "../../engine/live-agent.ts";
import { type Fields, records, text } from "../process/fields.ts";

/** The values of a configuration option, which may come in groups. */
export function valuesOf(option: Fields): Offered[] {
  return records(option["options"]).flatMap((one) => (Array.isArray(one["options"]) ? valuesOf(one) : [offered(one["value"], one["name"])]));
}

export function offered(id: unknown, name: unknown): Offered {
  return { id: text(id), name: text(name) || text(id) };
}
