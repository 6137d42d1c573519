/** The true streams of Claude Code 2.1.329, and what its translation makes of lines. */
import { ClaudeTranslation } from "../../../src/agents/claude/translate.ts";
import { type Heard, linesOf as linesOfTool, translate as translateBy } from "../streams.ts";

export const linesOf = (name: string): string[] => linesOfTool("claude", name);

/** @param now the wall clock; by default the start of 2026 */
export function translate(
  lines: readonly (string | object)[],
  resume: string | null = null,
  now = Date.UTC(2026, 0, 1),
): Heard {
  return translateBy(new ClaudeTranslation(resume, () => now), lines);
}
