/**
 * Gemini's tools as people see them, and what their calls mean for plans. Its status of a command is unreliable: a
 * failed command is reported as a success, and only the text beside it tells.
 */
import { oneLine } from "../process/excerpts.ts";
import { type Fields, inner, records, text } from "../process/fields.ts";
import type { Update } from "../contract/updates.ts";

/** The parameter that describes the call best; for other tools, the first text parameter. */
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

/** The text that replaces the output of a command that failed without output. */
const FAILED_COMMAND =
  /^Command (?:exited with code: (?!0\s*$)|terminated by signal|failed|was automatically cancelled|cancelled by user)/;

export function wentWell(name: string, result: Fields): boolean {
  if (result["status"] !== "success") return false;
  return name !== "run_shell_command" || !FAILED_COMMAND.test(text(result["output"]));
}

/** Whether one of the owner's rules refused it, and not the tool. */
export function wasDenied(result: Fields): boolean {
  return inner(result, "error")["type"] === "policy_violation";
}

/** The plan that a tool call writes, if it writes one; cancelled entries are left out. */
export function planOf(name: string, input: Fields): Update[] {
  if (name !== "write_todos") return [];
  const states: Record<string, "active" | "done"> = { in_progress: "active", completed: "done" };
  const todos = records(input["todos"]).filter((todo) => todo["status"] !== "cancelled");
  const entries = todos.map((todo) => ({
    text: oneLine(text(todo["description"])),
    state: states[text(todo["status"])] ?? ("pending" as const),
  }));
  return [{ kind: "plan", entries }];
}
