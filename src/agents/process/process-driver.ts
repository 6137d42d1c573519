/**
 * The driver of an agent that is a command-line program: it finds the program, its version and its login. One that runs
 * one process per turn is built from its dialect; another says how its conversations open. The probe and the start of a
 * process look up the program in the same way.
 */
import type { Clock } from "../../base/clock.ts";
import type { Processes } from "../../host/processes/processes.ts";
import { withEmptyFolder } from "../../host/empty-folder.ts";
import { answerOf, type ProgramRequest, versionOf, which } from "../../host/processes/which.ts";
import type { Agent, Prompt, Turn } from "../contract/agent.ts";
import type { Driver, Opening, Probe } from "../contract/driver.ts";
import type { Dialect, LoginCheck, ProcessSetting, Program } from "./dialect.ts";
import { ProcessTurn } from "./process-turn.ts";
import { refusedArgument } from "./arguments.ts";
import { none } from "./unopened.ts";

export interface ProcessDriverOptions {
  processes: Processes;
  clock: Clock;
  /**
   * From the config: a name to find in PATH or an absolute path, then its first arguments. Default: the tool's own
   * name.
   */
  command?: readonly string[];
  /** The scrubbed environment for the probe; the agent is looked up in its PATH. */
  env: Readonly<Record<string, string>>;
  /** How long the process may stay alive after its result, for its own cleanup. */
  lingerMs?: number;
}

/** Some agents are a hundred megabytes of script, compiled at each start, which takes long on a busy machine. */
const VERSION_MS = 30_000;

/** One process a turn. */
export function processDriver(dialect: Dialect, options: ProcessDriverOptions): Driver {
  const driver = programDriver(dialect, options, (opening, setting) =>
    oneShot((prompt) => new ProcessTurn(dialect, opening, prompt, setting)),
  );
  return { ...driver, lives: false };
}

/** A process that lives as long as its conversation is open. */
export function programDriver(
  program: Program,
  options: ProcessDriverOptions,
  open: (opening: Opening, setting: ProcessSetting) => Agent,
): Driver {
  const { tool, keyName, store, install, login, loginCheck, tried, rules } = program;
  const { command = [tool], processes, clock, lingerMs = 10_000 } = options;
  const env = { ...options.env, ...program.env };
  return {
    tool,
    keyName,
    store: () => store,
    silence: "bytes",
    lives: true,
    access: (args, settings) => rules.access(args, settings),
    writing: rules.writing,
    ...(program.readBy && { readBy: (key, names) => program.readBy?.(env, key, names) ?? Promise.resolve(new Map()) }),
    async probe(): Promise<Probe> {
      const [name = "", ...args] = command;
      const path = which(name, env["PATH"]);
      const howTo = { install, login };
      if (path === null) return { found: false, tried: false, ...howTo };
      const asked = { processes, clock, env, file: path, args, cwd: "/", withinMs: VERSION_MS };
      const version = await versionOf(asked);
      if (version === null) return { found: true, path, tried: false, ...howTo };
      const answer = loginCheck && isSince(version, loginCheck.since) ? await askLogin(asked, loginCheck) : null;
      return {
        found: true,
        path,
        version,
        tried: tried.has(version),
        ...howTo,
        ...((answer === 0 || answer === 1) && { loggedIn: answer === 0 }),
      };
    },
    refuses: (args) => refusedArgument(rules, args)?.argument ?? null,
    open: async (opening) => open(opening, { processes, clock, command, lingerMs }),
  };
}

/** The exit code, or null if the agent does not answer or is not asked. */
async function askLogin(program: ProgramRequest, { args, home }: LoginCheck): Promise<number | null> {
  const state = home?.state(program.env) ?? "used";
  if (state === "unclear") return null;
  if (home === undefined || state === "used") return answerOf(program, args);
  // If the folder cannot be made, the agent is not asked.
  return withEmptyFolder((folder) =>
    answerOf({ ...program, env: { ...program.env, [home.variable]: folder } }, args),
  ).catch(() => null);
}

/** Whether a version is at least another, by their three numbers. */
function isSince(version: string, since: string): boolean {
  const [one, other] = [version, since].map((text) => text.split(/[.+-]/, 3).map(Number));
  for (const [at, number] of (other ?? []).entries()) if (one?.[at] !== number) return (one?.[at] ?? 0) > number;
  return true;
}

/** A conversation that opens for nothing: each prompt starts a process, and between two there is none. */
function oneShot(start: (prompt: Prompt) => Turn): Agent {
  let turn: Turn | null = null;
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  return {
    process: null,
    background: [],
    heardAt: () => turn?.heardAt() ?? 0,
    between: none(),
    gone,
    prompt: (prompt) => (turn = start(prompt)),
    async close() {
      await turn?.cancel();
      resolve();
    },
  };
}
