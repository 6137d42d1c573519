/**
 * Tools as people see them: one line that says what a tool is about to do, the start of its output, and what it means
 * for plans; and the names of subagents. Titles are for reading only; permissions are decided on the whole input.
 */
import { oneLine as lineOf } from "../../base/text.ts";
import type { Update } from "../contract/updates.ts";
import { oneLine, summary } from "../process/excerpts.ts";
import { type Fields, fieldsOf, inner, records, text } from "../process/fields.ts";

/** The input field that describes the call best, for known tools. */
const telling: Record<string, string> = {
  Bash: "command",
  Edit: "file_path",
  ExitPlanMode: "plan",
  Glob: "pattern",
  Grep: "pattern",
  NotebookEdit: "notebook_path",
  Read: "file_path",
  Skill: "skill",
  Task: "description",
  ToolSearch: "query",
  WebFetch: "url",
  WebSearch: "query",
  Write: "file_path",
};

/** One line, at most 200 characters; the tool's name if its input has no text. */
export function titleOf(name: string, input: Fields): string {
  const question = text(records(input["questions"])[0]?.["question"]);
  const best = text(input[telling[name] ?? ""]) || question;
  const any = Object.values(input).find((value) => typeof value === "string" && value !== "");
  return oneLine(best || text(any) || name);
}

/** The start of a tool result's content, which is a text or a list of blocks, some of them text. */
export function summaryOf(content: unknown): string {
  const whole =
    typeof content === "string"
      ? content
      : records(content)
          .map((block) => text(block["text"]) || `[${text(block["type"]) || "?"}]`)
          .join("\n");
  return summary(whole);
}

/** The plan that a tool call writes, if it writes one. */
export function planOf(name: string, input: Fields): Update[] {
  if (name !== "TodoWrite") return [];
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  const entries = records(input["todos"]).map((todo) => ({
    text: oneLine(text(todo["content"])),
    state: states[text(todo["status"])] ?? ("pending" as const),
  }));
  return [{ kind: "plan", entries }];
}

/** The whole input of a tool call. An input that is not an object is kept under `value`, so that all of it is shown. */
export function inputOf(call: Fields): Fields {
  return fieldsOf(call["input"]) ?? (call["input"] === undefined ? {} : { value: call["input"] });
}

/** The content blocks of a message in either format. */
export function blocksOf(message: Fields): Fields[] {
  const content = inner(message, "message")["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : records(content);
}

/** A name is read by people and kept in the journal. */
const NAME_CHARS = 100;

/** The subagents that a Claude has started, by the id that their requests carry, so that people are told which asks. */
export class Subagents {
  readonly #names = new Map<string, string>();

  /** Takes a `task_started` line. */
  started(line: Fields): void {
    const id = text(line["task_id"]);
    const name = [text(line["subagent_type"]), text(line["description"])].filter((part) => part !== "").join(": ");
    if (id !== "" && name !== "") this.#names.set(id, lineOf(name, NAME_CHARS));
  }

  /** What people call the subagent of a request; undefined if Claude itself asks. */
  nameOf(request: Fields): string | undefined {
    const id = text(request["agent_id"]);
    return id === "" ? undefined : (this.#names.get(id) ?? "subagent");
  }
}
