/** The true streams of Codex 0.169.0, and what its translation makes of lines. */
import { CodexTranslation, type CodexConversation } from "../../../src/agents/codex/translate.ts";
import { type Heard, linesOf as linesOfTool, translate as translateBy } from "../streams.ts";

/** The day of the streams, where the tests run. */
export const MORNING = new Date(2026, 10, 21, 6).getTime();

export const linesOf = (name: string): string[] => linesOfTool("codex", name);

export function translate(
  lines: readonly (string | object)[],
  { resume = null, spent = null }: Partial<CodexConversation> = {},
): Heard {
  return translateBy(new CodexTranslation({ resume, spent }, () => MORNING), lines);
}
