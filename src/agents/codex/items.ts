/**
 * Translates the items of a turn: commands, file changes, MCP tools, searches and helpers become tools that start and
 * finish; a to-do list becomes a plan. An item that is only reported as finished also gets a start.
 */
import { oneLine, summary } from "../process/excerpts.ts";
import { count, type Fields, fieldsOf, inner, records, text } from "../process/fields.ts";
import type { Update } from "../contract/updates.ts";

/** A tool as its item describes it, or null if the item is not a tool. */
interface Tool {
  name: string;
  title: string;
  input: Fields;
}

export class Items {
  readonly #started = new Set<string>();

  /** @returns the item's updates, or null if its kind is unknown */
  take(event: "started" | "updated" | "completed", item: Fields): Update[] | null {
    if (item["type"] === "todo_list") return [planOf(item)];
    const tool = toolOf(item);
    if (tool === null) return null;
    const id = text(item["id"]);
    const updates: Update[] = this.#started.has(id) ? [] : [{ kind: "tool_started", id, ...tool }];
    this.#started.add(id);
    if (event === "completed") updates.push(...endOf(item, id, tool));
    return updates;
  }
}

function toolOf(item: Fields): Tool | null {
  switch (item["type"]) {
    case "command_execution": {
      const command = text(item["command"]);
      return { name: "shell", title: oneLine(scriptOf(command)) || "shell", input: { command } };
    }
    case "file_change": {
      const changes = records(item["changes"]);
      const paths = changes.map((change) => text(change["path"])).join(", ");
      return { name: "apply_patch", title: oneLine(paths) || "apply_patch", input: { changes } };
    }
    case "mcp_tool_call": {
      const name = [item["server"], item["tool"]].map(text).filter(Boolean).join("/") || "mcp";
      const given = fieldsOf(item["arguments"]) ?? (item["arguments"] == null ? {} : { value: item["arguments"] });
      return { name, title: firstWords(given) || name, input: given };
    }
    case "collab_tool_call": {
      const name = text(item["tool"]) || "collab";
      return { name, title: oneLine(text(item["prompt"])) || name, input: { prompt: text(item["prompt"]) } };
    }
    case "web_search":
      return { name: "web_search", title: oneLine(text(item["query"])) || "web_search", input: { query: text(item["query"]) } };
    default:
      return null;
  }
}

function endOf(item: Fields, id: string, { name, title }: Tool): Update[] {
  const status = text(item["status"]);
  const ok = !["failed", "declined"].includes(status) && (count(item["exit_code"]) ?? 0) === 0;
  const updates: Update[] = [{ kind: "tool_finished", id, ok, summary: summary(outputOf(item)) }];
  if (status === "declined") updates.push({ kind: "denied", tool: name, id, reason: title });
  return updates;
}

function outputOf(item: Fields): string {
  const content = records(inner(item, "result")["content"]).map((block) => text(block["text"]) || `[${text(block["type"]) || "?"}]`);
  return text(item["aggregated_output"]) || text(inner(item, "error")["message"]) || content.join("\n");
}

/** Codex says of an entry only whether it is done. */
function planOf(item: Fields): Update {
  const entries = records(item["items"]).map((entry) => ({
    text: oneLine(text(entry["text"])),
    state: entry["completed"] === true ? ("done" as const) : ("pending" as const),
  }));
  return { kind: "plan", entries };
}

/** The command without the shell that runs it: `/bin/bash -lc 'ls'` becomes `ls`. For reading only. */
function scriptOf(command: string): string {
  const [, script] = /^\S*\/?(?:bash|zsh|sh) -l?c ([\s\S]+)$/.exec(command) ?? [];
  if (script === undefined) return command;
  if (/^'[\s\S]*'$/.test(script)) return script.slice(1, -1).replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'");
  if (/^"[\s\S]*"$/.test(script)) return script.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
  return script;
}

function firstWords(input: Fields): string {
  return oneLine(text(Object.values(input).find((value) => typeof value === "string" && value !== "")));
}
