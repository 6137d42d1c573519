/**
 * Codex, headless: one process a job, the prompt on its stdin, which is closed at once because Codex waits for its
 * end; its stream of lines back. The run ends with the turn's end; a process that ends without one has failed.
 */
import type { Driver } from "../driver.ts";
import { processDriver, type ProcessDriverOptions } from "../process-driver.ts";
import type { Dialect } from "../process-run.ts";
import { argumentsOf, rules } from "./arguments.ts";
import { CodexTranslation } from "./translate.ts";

const dialect: Dialect = {
  tool: "codex",
  install: "npm install --global @openai/codex",
  tried: new Set(["0.169.0"]),
  rules,
  begin: ({ resume, grants, args, prompt }) => ({ args: argumentsOf(resume, grants, args), input: prompt, conversation: false }),
  translation: ({ resume, spent }, now) => new CodexTranslation({ resume, spent: spent ?? null }, now),
};

export function codexDriver(options: ProcessDriverOptions): Driver {
  return processDriver(dialect, options);
}
