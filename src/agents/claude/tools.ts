/**
 * Tools as people see them: one line that says what a tool is about to do, the beginning of what it answered,
 * and what it means for files and plans. Titles are for reading; what is allowed is decided on the whole input.
 */
import type { Update } from "../updates.ts";
import { oneLine, summary } from "../excerpts.ts";
import { type Fields, fieldsOf, inner, records, text } from "../fields.ts";

/** Which field of the input says it best, for tools where that is known. */
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

/** One line, at most 200 characters; the tool's name where its input says nothing. */
export function titleOf(name: string, input: Fields): string {
  const question = text(records(input["questions"])[0]?.["question"]);
  const best = text(input[telling[name] ?? ""]) || question;
  const any = Object.values(input).find((value) => typeof value === "string" && value !== "");
  return oneLine(best || text(any) || name);
}

/** The beginning of a tool result's content: a text, or blocks of which some are texts. */
export function summaryOf(content: unknown): string {
  const whole =
    typeof content === "string"
      ? content
      : records(content)
          .map((block) => text(block["text"]) || `[${text(block["type"]) || "?"}]`)
          .join("\n");
  return summary(whole);
}

/** What a tool's successful end changed, where the tool is one that writes a file. */
export function changeOf(name: string, input: Fields, told: unknown): Update[] {
  const path = text(input["file_path"]) || text(input["notebook_path"]);
  if (path === "" || !["Write", "Edit", "MultiEdit", "NotebookEdit"].includes(name)) return [];
  const created = fieldsOf(told)?.["type"] === "create";
  return [{ kind: "file_change", path, change: created ? "created" : "changed" }];
}

/** The plan a tool call writes down, where it is one that does. */
export function planOf(name: string, input: Fields): Update[] {
  if (name !== "TodoWrite") return [];
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  const entries = records(input["todos"]).map((todo) => ({
    text: oneLine(text(todo["content"])),
    state: states[text(todo["status"])] ?? ("pending" as const),
  }));
  return [{ kind: "plan", entries }];
}

/** The whole input of a tool call; an odd one is kept under `value`, so that nothing is shown as less than it is. */
export function inputOf(call: Fields): Fields {
  return fieldsOf(call["input"]) ?? (call["input"] === undefined ? {} : { value: call["input"] });
}

/** The user's content blocks of a message, whatever form it has. */
export function blocksOf(message: Fields): Fields[] {
  const content = inner(message, "message")["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : records(content);
}
