/** How a turn ends whose window, or Claude, is gone, or takes no prompt now. */
import { theirWords, type ErrorDetails } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { TerminalReason } from "../../core/projects/checkout.ts";
import type { Window } from "../../core/sessions/windows.ts";
import type { Screen, Tmux } from "../../host/terminal/tmux.ts";
import { attachToWindow } from "../contract/attach-command.ts";
import type { Outcome } from "../contract/updates.ts";
import { askedText, draftIn, promptBoxOf, screenText } from "./prompt-box.ts";
import type { WindowPane } from "./window-pane.ts";

/** Of what Claude said at its end. */
const SAID_CHARS = 400;

interface Ended {
  tmux: Tmux;
  window: Window;
  /** Whether what it is to resume is recorded nowhere. */
  isLost(): boolean;
}

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
  if (isLost || /No conversation found with session ID/i.test(said))
    return { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown", session: "-", ...last } };
  return {
    outcome: "failed",
    code: "E_CLI_EXIT_NONZERO",
    details: { tool: "tmux", ...last, ...(code !== null && { exit_code: code }) },
  };
}

/**
 * Closes the window after its Claude, and tells what it showed last. After the end of an adopted Claude, its pane shows
 * what is the owner's own.
 */
export async function closeAfter(
  { tmux, window, isLost }: Ended,
  pane: WindowPane,
  isClosing: boolean,
): Promise<{ end: Outcome; code: number | null }> {
  const screen = window.adopted ? null : await pane.screen();
  const code = screen?.exit_code ?? null;
  if (!window.adopted) await tmux.close(window);
  return { end: endOf(screen, code, !isClosing && isLost()), code };
}

/** What is told of the screen, by why nothing can be typed. */
const TOLD: Partial<Record<TerminalReason, (screen: Screen) => string | null>> = {
  start: askedText,
  hidden: askedText,
  draft: draftIn,
};

/** The job goes back to its queue. */
export async function busy(reason: TerminalReason, window: Window, pane: WindowPane): Promise<Outcome> {
  const screen = TOLD[reason] && (await pane.screen());
  const told = screen && TOLD[reason]?.(screen);
  return {
    outcome: "failed",
    code: "E_TERMINAL_BUSY",
    details: { terminal: reason, attach: attachToWindow(window), ...(told && { screen: told }) },
  };
}

/** The end of a turn whose prompt was not typed: it is typed in the next window. */
export function untyped(end: Outcome): Outcome {
  return end.outcome === "failed" && end.code === "E_CLI_EXIT_NONZERO"
    ? { ...end, details: { ...end.details, temporary: true } }
    : end;
}

/** The last lines, below what could be chosen. */
function lastWords(screen: Pick<Screen, "lines">): string {
  const lines = screenText(screen)
    .split("\n")
    .filter((line) => /\p{L}/u.test(line) && !line.startsWith("Pane is dead"));
  const below = lines.slice(lines.findLastIndex((line) => line.includes("❯")) + 1).map((line) => line.trim());
  while (below.length > 1 && below.join(" ").length > SAID_CHARS) below.shift();
  return oneLine(below.join(" "), SAID_CHARS);
}
