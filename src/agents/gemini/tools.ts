/**
 * Gemini's tools as people see them, and what their calls mean for files and plans. Its word on how a command ended
 * is not to be trusted: one that failed is reported as a success, and only what is said beside tells.
 */
import { oneLine } from "../excerpts.ts";
import { type Fields, inner, records, text } from "../fields.ts";
import type { Update } from "../updates.ts";

/** Which parameter says it best; for others it is the first text among them. */
const telling: Record<string, string> = {
  run_shell_command: "command",
  write_file: "file_path",
  replace: "file_path",
  read_file: "file_path",
  list_directory: "dir_path",
  glob: "pattern",
  grep_search: "pattern",
  search_file_content: "pattern",
  web_fetch: "prompt",
  google_web_search: "query",
  save_memory: "fact",
};

/** One line, at most 200 characters. */
export function titleOf(name: string, input: Fields): string {
  const named = text(input[telling[name] ?? ""]);
  return oneLine(named || text(Object.values(input).find((value) => text(value) !== "")) || name);
}

/** What it says instead of a command's output where the command did not do well and had none. */
const FAILED_COMMAND = /^Command (?:exited with code: (?!0\s*$)|terminated by signal|failed|was automatically cancelled|cancelled by user)/;

export function wentWell(name: string, result: Fields): boolean {
  if (result["status"] !== "success") return false;
  return name !== "run_shell_command" || !FAILED_COMMAND.test(text(result["output"]));
}

/** Whether a rule of its owner's, and not the tool, said no. */
export function wasDenied(result: Fields): boolean {
  return inner(result, "error")["type"] === "policy_violation";
}

/** What a tool's successful end changed, where the tool is one that writes a file. */
export function changeOf(name: string, input: Fields): Update[] {
  const path = text(input["file_path"]);
  return path !== "" && (name === "write_file" || name === "replace") ? [{ kind: "file_change", path, change: "changed" }] : [];
}

/** The plan a tool call writes down, where it is one that does; what was given up is left out. */
export function planOf(name: string, input: Fields): Update[] {
  if (name !== "write_todos") return [];
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  const todos = records(input["todos"]).filter((todo) => todo["status"] !== "cancelled");
  const entries = todos.map((todo) => ({ text: oneLine(text(todo["description"])), state: states[text(todo["status"])] ?? ("pending" as const) }));
  return [{ kind: "plan", entries }];
}
