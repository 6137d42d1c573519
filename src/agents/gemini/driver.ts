/**
 * Gemini CLI, headless: one process a job, the prompt on its stdin, its answer in lines or as one object. It is kept
 * from starting itself a second time, because a signal would then reach only the first of the two.
 */
import type { Driver } from "../driver.ts";
import { processDriver, type ProcessDriverOptions } from "../process-driver.ts";
import type { Dialect } from "../process-run.ts";
import { argumentsOf, type GeminiOutput, rules } from "./arguments.ts";
import { GeminiTranslation } from "./translate.ts";

export interface GeminiOptions extends ProcessDriverOptions {
  /** Asked at the start of each run. */
  output: () => GeminiOutput;
}

export function geminiDriver(options: GeminiOptions): Driver {
  return processDriver(dialect(options.output), options);
}

function dialect(output: () => GeminiOutput): Dialect {
  return {
    tool: "gemini",
    install: "npm install --global @google/gemini-cli",
    tried: new Set(["0.61.0"]),
    rules,
    begin: ({ resume, grants, args, prompt }) => ({
      args: argumentsOf({ output: output(), resume, grants, args }),
      input: unlikeAnOption(prompt),
      conversation: false,
      env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    }),
    translation: ({ resume }, now) => new GeminiTranslation(resume, output(), now),
  };
}

/** Where its owner has it run in a sandbox, it hands what it reads on as an argument; a space keeps that from being an option. */
function unlikeAnOption(prompt: string): string {
  return prompt.startsWith("-") ? ` ${prompt}` : prompt;
}
