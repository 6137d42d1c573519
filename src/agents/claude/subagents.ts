/** The subagents that a Claude has started, by the id that their requests carry, so that people are told which asks. */
import { oneLine } from "../../base/text.ts";
import { type Fields, text } from "../process/fields.ts";

/** A name is read by people and kept in the journal. */
const NAME_CHARS = 100;

export class Subagents {
  readonly #names = new Map<string, string>();

  /** Takes a `task_started` line. */
  started(line: Fields): void {
    const id = text(line["task_id"]);
    const name = [text(line["subagent_type"]), text(line["description"])].filter((part) => part !== "").join(": ");
    if (id !== "" && name !== "") this.#names.set(id, oneLine(name, NAME_CHARS));
  }

  /** What people call the subagent of a request; undefined if Claude itself asks. */
  nameOf(request: Fields): string | undefined {
    const id = text(request["agent_id"]);
    return id === "" ? undefined : (this.#names.get(id) ?? "subagent");
  }
}
