/**
 * Starts an agent's process, or tells why it cannot be started. Synchronous, so that whoever ends what was started
 * always finds the process.
 */
import type { Child } from "../../host/processes/child.ts";
import { which } from "../../host/processes/which.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Opening } from "../contract/driver.ts";
import type { TurnEnded } from "../contract/updates.ts";
import { type Beginning, type ProcessSetting, type Program, SESSION_KEY } from "./dialect.ts";
import { oneLine } from "./excerpts.ts";
import { failed, notFound, notStarted } from "./failed.ts";
import { refusedArgument } from "./arguments.ts";

export interface Start {
  program: Program;
  opening: Pick<Opening, "cwd" | "args" | "key" | "env">;
  setting: ProcessSetting;
  /** Where to note the start. */
  log: Pick<JobLog, "note">;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

/** @param begin called once the session key and the arguments are checked */
export function startProcess(
  { program, opening, setting, log, onStdout, onStderr }: Start,
  begin: () => Pick<Beginning, "args"> | TurnEnded,
): Child | TurnEnded {
  const { args, cwd, env, key } = opening;
  if (key !== null && !SESSION_KEY.test(key)) {
    return failed("E_RESUME_UNKNOWN", { resume: "unknown", session: oneLine(key), because: "why_key_refused" });
  }
  const [command = "", ...before] = setting.command;
  const file = which(command, env["PATH"]);
  if (file === null) return notStarted(program, notFound(command));
  const refused = refusedArgument(program.rules, args);
  if (refused) return failed("E_ARGUMENT_REFUSED", { tool: program.tool, argument: oneLine(refused.argument) });
  const beginning = begin();
  if ("kind" in beginning) return beginning;
  const argv = [...before, ...beginning.args];
  log.note(`started: ${JSON.stringify([file, ...argv])} in ${JSON.stringify(cwd)}`);
  return setting.processes.spawn({ file, args: argv, cwd, env: { ...env, ...program.env }, onStdout, onStderr });
}
