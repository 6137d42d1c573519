/**
 * Claude Code, headless: one process a job, the prompt as one line on its stdin, its stream of lines back. The
 * run ends with the agent's own `result` line, whatever its process does afterwards; a process that ends without
 * one has failed.
 */
import type { Clock } from "../../base/clock.ts";
import type { Processes } from "../../host/processes.ts";
import { versionOf, which } from "../../host/which.ts";
import type { Driver, Probe, RunRequest } from "../driver.ts";
import { refusedArgument } from "./arguments.ts";
import { ClaudeRun } from "./run.ts";

export interface ClaudeOptions {
  processes: Processes;
  clock: Clock;
  /** A name to find in PATH, or an absolute path from the config. */
  command?: string;
  /** The scrubbed environment for the probe; its PATH is where the agent is looked for. */
  env: Readonly<Record<string, string>>;
  /** How long the process may live on after its result, for its own tidying. */
  lingerMs?: number;
}

/** Versions whose streams the tests were run with. */
const tried = new Set(["2.1.329"]);

/** What a person types to have it. */
const INSTALL = "npm install --global @anthropic-ai/claude-code";

export function claudeDriver(options: ClaudeOptions): Driver {
  const command = options.command ?? "claude";
  return {
    tool: "claude",
    async probe(): Promise<Probe> {
      const path = which(command, options.env["PATH"]);
      if (path === null) return { found: false, tried: false, install: INSTALL };
      const version = await versionOf({ ...options, file: path, cwd: "/" });
      const found = { found: true, path, tried: version !== null && tried.has(version), install: INSTALL };
      return version === null ? found : { ...found, version };
    },
    refuses: (args) => refusedArgument(args)?.argument ?? null,
    run: (request: RunRequest) =>
      new ClaudeRun(request, { ...options, command, install: INSTALL, lingerMs: options.lingerMs ?? 10_000 }),
  };
}
