/** How a turn ends whose window, or Claude, is gone. */
import type { Outcome } from "../contract/updates.ts";
import { oneLine } from "../process/excerpts.ts";

export function failed(reason: string): Outcome {
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", reason } };
}

/**
 * What its last screen tells of its end, which may be nothing.
 * @param code Claude's exit code, if it is known
 * @param isLost what it was to resume is recorded nowhere
 */
export function endOf(said: string, code: number | null, isLost: boolean): Outcome {
  const reason = oneLine(said.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("Pane is dead")).at(-1) ?? "") || "its window was closed";
  if (isLost || /No conversation found with session ID/i.test(said)) return { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown", session: "-", reason } };
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", reason, ...(code !== null && { exit_code: code }) } };
}
