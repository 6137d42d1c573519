/**
 * What an agent does in the background of its session: tool calls that a turn left without an end, and the commands
 * that Claude let go on, whose calls end at once. When such a command ends, Claude says only that one of them has
 * ended.
 */
import { type Fields, inner, text } from "../process/fields.ts";

const STOPS = /^(?:KillShell|TaskStop)$/;

export class Background {
  /** By the call's id. */
  readonly #left = new Map<string, string>();
  /** By the task's id, the oldest first. */
  readonly #tasks = new Map<string, string>();
  readonly #titles = new Map<string, string>();

  get all(): string[] {
    return [...this.#left.values(), ...this.#tasks.values()];
  }

  /** These calls go on although their turn is over. */
  leave(calls: ReadonlyMap<string, string>): void {
    for (const [call, title] of calls) this.#left.set(call, title);
  }

  take(update: Fields): void {
    const told = inner(update, "_meta");
    if (update["sessionUpdate"] === "usage_update" && inner(told, "_claude/origin")["kind"] === "task-notification")
      return this.#endOldest();
    if (update["sessionUpdate"] !== "tool_call" && update["sessionUpdate"] !== "tool_call_update") return;
    const call = text(update["toolCallId"]);
    const title = text(update["title"]) || this.#titles.get(call) || "";
    const task = text(inner(inner(told, "claudeCode"), "toolResponse")["backgroundTaskId"]);
    if (task !== "") this.#tasks.set(task, title);
    if (STOPS.test(text(inner(told, "claudeCode")["toolName"])))
      for (const id of Object.values(inner(update, "rawInput"))) this.#tasks.delete(text(id));
    if (update["status"] !== "completed" && update["status"] !== "failed") return void this.#titles.set(call, title);
    this.#titles.delete(call);
    this.#left.delete(call);
  }

  #endOldest(): void {
    const [oldest] = this.#tasks.keys();
    if (oldest !== undefined) this.#tasks.delete(oldest);
  }
}
