/**
 * Claude Code, headless: one process a job, the prompt as one line on its stdin, its stream of lines back. The
 * run ends with the agent's own `result` line, whatever its process does afterwards; a process that ends without
 * one has failed.
 */
import type { Driver } from "../driver.ts";
import { processDriver, type ProcessDriverOptions } from "../process-driver.ts";
import type { Dialect } from "../process-run.ts";
import { argumentsOf, rules } from "./arguments.ts";
import { ClaudeTranslation } from "./translate.ts";

const dialect: Dialect = {
  tool: "claude",
  install: "npm install --global @anthropic-ai/claude-code",
  tried: new Set(["2.1.329"]),
  rules,
  begin: ({ resume, grants, args, prompt }) => ({
    args: argumentsOf(resume, grants, args),
    input: userLine(prompt),
    conversation: true,
  }),
  translation: ({ resume }, now) => new ClaudeTranslation(resume, now),
};

export function claudeDriver(options: ProcessDriverOptions): Driver {
  return processDriver(dialect, options);
}

/**
 * The prompt as the one line Claude reads it from. All that could end a line is escaped: JSON does so for the
 * ASCII ones, but leaves the two separators of Unicode, at which some readers of lines end one too.
 */
function userLine(prompt: string): string {
  const message = { role: "user", content: [{ type: "text", text: prompt }] };
  const line = JSON.stringify({ type: "user", message });
  return `${line.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}
