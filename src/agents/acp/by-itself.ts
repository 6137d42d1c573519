/** With which updates an agent begins a turn without a prompt, and with which such a turn ends. */
import { type Fields, inner, text } from "../process/fields.ts";

/** What belongs to an earlier turn, or to none, begins nothing. */
export function begins(update: Fields): boolean {
  const kind = update["sessionUpdate"];
  if (kind === "tool_call") return update["status"] !== "completed" && update["status"] !== "failed";
  return kind === "agent_message_chunk" || kind === "agent_thought_chunk" || kind === "plan";
}

/** Claude says of each result who prompted it, Codex when it has nothing more to do; others say nothing. */
export function ends(update: Fields): boolean {
  const told = inner(update, "_meta");
  if (update["sessionUpdate"] === "usage_update") {
    const kind = text(inner(told, "_claude/origin")["kind"]);
    return kind !== "" && kind !== "human";
  }
  return update["sessionUpdate"] === "session_info_update" && inner(inner(told, "codex"), "threadStatus")["type"] === "idle";
}
