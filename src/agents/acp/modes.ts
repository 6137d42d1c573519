/**
 * An agent's modes, and in which of them it asks before it acts. An agent that starts in another one is set to one that
 * asks; a mode that this table does not know counts as not asking. Agents say their mode in one of two ways: as `modes`,
 * or as a configuration option of the category `mode`.
 */
import type { Offered } from "../../engine/live-agent.ts";
import { type Fields, inner, records, text } from "../process/fields.ts";
import { offered, valuesOf } from "./offered.ts";

export interface Modes {
  current: string;
  available: readonly Offered[];
  /** The configuration option that sets it; null where `session/set_mode` does. */
  option: string | null;
}

/**
 * Modes that ask, the preferred one first, by the name an agent gives itself. An agent without modes always asks. OpenCode
 * asks because of its environment (`opencode.ts`).
 */
const ASKING: ReadonlyMap<string, readonly string[]> = new Map([
  ["@agentclientprotocol/claude-agent-acp", ["default", "plan"]],
  ["@zed-industries/claude-code-acp", ["default", "plan"]],
  ["@agentclientprotocol/codex-acp", ["read-only"]],
  ["gemini-cli", ["default", "plan"]],
  ["OpenCode", ["build", "plan"]],
  ["acp-demo-agent", []],
]);

/** Null for an agent that is not known: nobody can say in which of its modes it asks. */
export function askingModes(agentName: string): readonly string[] | null {
  return ASKING.get(agentName) ?? null;
}

/** The modes in the answer to a request that opens a session; null if there are none. */
export function modesOf(session: Fields): Modes | null {
  const told = inner(session, "modes");
  if (text(told["currentModeId"]) !== "") {
    return { current: text(told["currentModeId"]), available: records(told["availableModes"]).map(({ id, name }) => offered(id, name)), option: null };
  }
  const option = records(session["configOptions"]).find(({ category, id }) => category === "mode" || (category === undefined && id === "mode"));
  if (option === undefined || typeof option["currentValue"] !== "string") return null;
  return { current: option["currentValue"], available: valuesOf(option), option: text(option["id"]) };
}

/** The request that sets a mode. */
export function setMode(sessionId: string, { option }: Modes, mode: string): { method: string; params: Fields } {
  return option === null
    ? { method: "session/set_mode", params: { sessionId, modeId: mode } }
    : { method: "session/set_config_option", params: { sessionId, configId: option, value: mode } };
}

/** The mode an update says the session is in now, or null if it says nothing of it. */
export function modeIn(update: Fields): string | null {
  if (update["sessionUpdate"] === "current_mode_update") return text(update["currentModeId"]) || null;
  return update["sessionUpdate"] === "config_option_update" ? (modesOf(update)?.current ?? null) : null;
}
