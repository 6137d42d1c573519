/**
 * Claude Code, headless: one process a job, the prompt as one line on its stdin, its stream of lines back. The
 * run ends with the agent's own `result` line, whatever its process does afterwards; a process that ends without
 * one has failed.
 */
import type { Driver } from "../driver.ts";
import { jsonLine } from "../fields.ts";
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

function userLine(prompt: string): string {
  return jsonLine({ type: "user", message: { role: "user", content: [{ type: "text", text: prompt }] } });
}
