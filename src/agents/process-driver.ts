/**
 * The driver of an agent that is one process a job, made of its dialect: where it is, which version it is, and a
 * run for a prompt. What is found at the probe and what is started are looked for in the same way.
 */
import type { Clock } from "../base/clock.ts";
import type { Processes } from "../host/processes.ts";
import { versionOf, which } from "../host/which.ts";
import type { Driver, Probe } from "./driver.ts";
import { type Dialect, ProcessRun } from "./process-run.ts";
import { refusedArgument } from "./refused-argument.ts";

export interface ProcessDriverOptions {
  processes: Processes;
  clock: Clock;
  /** From the config: a name to find in PATH or an absolute path, then its first arguments. Absent: the tool's own name. */
  command?: readonly string[];
  /** The scrubbed environment for the probe; its PATH is where the agent is looked for. */
  env: Readonly<Record<string, string>>;
  /** How long the process may live on after its result, for its own tidying. */
  lingerMs?: number;
}

/** Some of them are a hundred megabytes of script, compiled anew at each start: on a busy machine that takes its time. */
const VERSION_MS = 30_000;

export function processDriver(dialect: Dialect, options: ProcessDriverOptions): Driver {
  const { tool, install, tried, rules } = dialect;
  const { command = [tool], processes, clock, env, lingerMs = 10_000 } = options;
  return {
    tool,
    async probe(): Promise<Probe> {
      const [name = "", ...args] = command;
      const path = which(name, env["PATH"]);
      if (path === null) return { found: false, tried: false, install };
      const version = await versionOf({ processes, clock, env, file: path, args, cwd: "/", withinMs: VERSION_MS });
      const found = { found: true, path, tried: version !== null && tried.has(version), install };
      return version === null ? found : { ...found, version };
    },
    refuses: (args) => refusedArgument(rules, args)?.argument ?? null,
    run: (request) => new ProcessRun(dialect, request, { processes, clock, command, lingerMs }),
  };
}
