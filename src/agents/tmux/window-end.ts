/** How a turn ends whose window, or Claude, is gone. */
import { theirWords, type ErrorDetails } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Screen } from "../../host/terminal/tmux.ts";
import type { Outcome } from "../contract/updates.ts";
import { promptBoxOf, screenText } from "./prompt-box.ts";

/** Of what Claude said at its end. */
const SAID_CHARS = 400;

export function failed(details: ErrorDetails): Outcome {
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", ...details } };
}

/**
 * What its last screen tells of its end, which may be nothing.
 * @param screen null: it cannot be seen any more
 * @param code Claude's exit code, if it is known
 * @param isLost what it was to resume is recorded nowhere
 */
export function endOf(screen: Pick<Screen, "lines"> | null, code: number | null, isLost: boolean): Outcome {
  // One that was killed has left its prompt box as it was.
  const said = screen === null || (code === null && promptBoxOf(screen) !== null) ? "" : lastWords(screen);
  const last: ErrorDetails = said === "" ? { because: "why_window_closed" } : { reason: theirWords(said) };
  if (isLost || /No conversation found with session ID/i.test(said)) return { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown", session: "-", ...last } };
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", ...last, ...(code !== null && { exit_code: code }) } };
}

/** The last lines, below what could be chosen. */
function lastWords(screen: Pick<Screen, "lines">): string {
  const lines = screenText(screen).split("\n").filter((line) => /\p{L}/u.test(line) && !line.startsWith("Pane is dead"));
  const below = lines.slice(lines.findLastIndex((line) => line.includes("❯")) + 1).map((line) => line.trim());
  while (below.length > 1 && below.join(" ").length > SAID_CHARS) below.shift();
  return oneLine(below.join(" "), SAID_CHARS);
}
