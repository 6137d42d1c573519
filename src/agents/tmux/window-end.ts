/** How a turn ends whose window, or Claude, is gone. */
import type { Clock } from "../../base/clock.ts";
import { pause } from "../../host/processes/kill-ladder.ts";
import type { Screen, Tmux } from "../../host/terminal/tmux.ts";
import type { Outcome } from "../contract/updates.ts";
import { oneLine } from "../process/excerpts.ts";

/** For tmux to read what the process of a window wrote before it was gone. */
const READ_MS = 2_000;
const LOOK_MS = 40;

export function failed(reason: string): Outcome {
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", reason } };
}

/** All that stands there when its process is gone; null if its window is gone too. */
export async function lastScreen({ clock, tmux, pane_id }: { clock: Clock; tmux: Tmux; pane_id: string }): Promise<Screen | null> {
  for (const until = clock.monotonic() + READ_MS; ; await pause(clock, LOOK_MS)) {
    const screen = await tmux.screen(pane_id);
    if (screen === null || screen.dead || clock.monotonic() >= until) return screen;
  }
}

/** What its last screen tells of its end. `code`: Claude's exit code, if it is known. */
export function endOf(said: string, code: number | null): Outcome {
  const reason = oneLine(said.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("Pane is dead")).at(-1) ?? "") || "its window was closed";
  if (/No conversation found with session ID/i.test(said)) return { outcome: "failed", code: "E_RESUME_UNKNOWN", details: { resume: "unknown", session: "-", reason } };
  return { outcome: "failed", code: "E_CLI_EXIT_NONZERO", details: { tool: "tmux", reason, ...(code !== null && { exit_code: code }) } };
}
