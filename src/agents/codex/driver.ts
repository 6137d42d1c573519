/**
 * Codex, headless: one process per turn, the prompt on stdin, which is closed at once because Codex waits for its end,
 * and a stream of lines back. It ends with the turn's own end; a process that exits without one has failed.
 */
import type { Driver } from "../contract/driver.ts";
import { processDriver, type ProcessDriverOptions } from "../process/process-driver.ts";
import { stores } from "../process/stores.ts";
import type { Dialect } from "../process/dialect.ts";
import { argumentsOf, rules } from "./arguments.ts";
import { modelArguments } from "../process/arguments.ts";
import { LOGIN } from "./failure.ts";
import { CodexTranslation, spentIn } from "./translate.ts";

const dialect: Dialect = {
  tool: "codex",
  keyName: "thread_id",
  store: stores.codex,
  install: "npm install --global @openai/codex",
  login: LOGIN,
  loginCheck: { args: ["login", "status"], since: "0.169.0" },
  tried: new Set(["0.169.0"]),
  rules,
  begin: ({ key, folders, args, settings }, text) => ({
    args: argumentsOf(key, folders, [...args, ...modelArguments(settings)]),
    input: text,
    conversation: false,
  }),
  translation: ({ key, counters }, now) => new CodexTranslation({ resume: key, spent: spentIn(counters) }, now),
};

export function codexDriver(options: ProcessDriverOptions): Driver {
  return processDriver(dialect, options);
}
