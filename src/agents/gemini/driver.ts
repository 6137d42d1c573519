/** Gemini CLI, headless: one process per turn, the prompt on stdin, its answer as lines or as one object. */
import type { Driver } from "../contract/driver.ts";
import { modelArguments } from "../process/arguments.ts";
import { processDriver, type ProcessDriverOptions } from "../process/process-driver.ts";
import type { RecentOpenings } from "../process/recent-openings.ts";
import { stores } from "../process/stores.ts";
import type { Dialect } from "../process/dialect.ts";
import { argumentsOf, type GeminiOutput, rules } from "./arguments.ts";
import { LOGIN } from "./failure.ts";
import { GeminiTranslation } from "./translate.ts";

export interface GeminiOptions extends ProcessDriverOptions {
  /** Read at the start of each turn. */
  output: () => GeminiOutput;
  /** Sessions are noted for its ACP face, which loses one that was opened within the minute. */
  openings?: RecentOpenings;
}

export function geminiDriver(options: GeminiOptions): Driver {
  return processDriver(dialect(options), options);
}

function dialect({ output, openings }: GeminiOptions): Dialect {
  return {
    tool: "gemini",
    keyName: "session_id",
    store: stores.gemini,
    // It would start itself a second time: twice as slow, and a signal would reach only the first process.
    env: { GEMINI_CLI_NO_RELAUNCH: "true" },
    install: "npm install --global @google/gemini-cli",
    // It has no command that checks the login; started alone, it asks how to log in.
    login: LOGIN,
    tried: new Set(["0.61.0"]),
    rules,
    begin: ({ key, folders, args, settings }, text) => ({
      args: argumentsOf({
        output: output(),
        resume: key,
        grants: folders,
        args: [...args, ...modelArguments(settings)],
      }),
      input: unlikeAnOption(text),
      conversation: false,
    }),
    translation: ({ key }, now) => new GeminiTranslation(key, output(), now, (saved) => openings?.note(saved)),
  };
}

/**
 * In a sandbox that the owner configured, Gemini passes its stdin on as an argument; a space keeps that from being an
 * option.
 */
function unlikeAnOption(prompt: string): string {
  return prompt.startsWith("-") ? ` ${prompt}` : prompt;
}
