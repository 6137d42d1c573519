/** After how many seconds a decision expires that nobody made. */
import type { Config } from "./config-file.ts";

/** In a window of tmux the terminal asks as well, and asks alone when the time is over. */
const IN_TMUX = { question: undefined, permission: 120, plan: 120 };

/** Undefined: it never expires. */
export function lapseSeconds({ decision_lapse_s: { by_tool, ...all } }: Pick<Config, "decision_lapse_s">, kind: "question" | "permission" | "plan", tool: string): number | undefined {
  return by_tool?.[tool]?.[kind] ?? (tool === "tmux" ? IN_TMUX[kind] : undefined) ?? all[kind];
}
