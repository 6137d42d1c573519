/** The true streams of Claude Code 2.1.329, and what its translation makes of lines. */
import { ClaudeTranslation } from "../../../src/agents/claude/translate.ts";
import { type Heard, linesOf as linesOfTool, translate as translateBy } from "../streams.ts";

export const linesOf = (name: string): string[] => linesOfTool("claude", name);

export function translate(lines: readonly (string | object)[], resume: string | null = null): Heard {
  return translateBy(new ClaudeTranslation(resume), lines);
}
