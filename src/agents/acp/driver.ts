/**
 * The driver of any agent that speaks the Agent Client Protocol: a process that lives as long as its conversation is
 * kept open; another one resumes or loads the session by its id. Bellhop never logs in for its owner and offers the
 * agent neither files nor terminals of its own.
 */
import { basename } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Processes } from "../../host/processes/processes.ts";
import { programNow, versionOf, which } from "../../host/processes/which.ts";
import type { Agent, Driver, HowTo, Opening, Probe, Store } from "../contract/driver.ts";
import { oneLine } from "../process/fields.ts";
import { failedTurn, notFound, notStarted, unopenedAgent } from "../process/dialect.ts";
import { stores } from "../process/stores.ts";
import type { AcpAgent, AcpSetting } from "./agent.ts";
import { askingEnvironment, accessOf, refusedArgument } from "./session-mode.ts";
import { RecentOpenings } from "../process/process-driver.ts";

export interface AcpDriverOptions {
  processes: Processes;
  clock: Clock;
  tool: string;
  /**
   * The commands to try, each a name to find in PATH or an absolute path with its arguments; the first that is there is
   * used.
   */
  commands: readonly (readonly string[])[];
  /** The scrubbed environment for the probe; the agent is looked up in its PATH. */
  env: Readonly<Record<string, string>>;
  /** Bellhop's own version. */
  version: string;
  /** Those of every driver of the vendor's. */
  openings?: RecentOpenings;
  /** Whether an agent that cannot be set to a mode that asks is used as it is. */
  asIs?: boolean;
}

interface KnownProgram extends HowTo {
  tried: readonly string[];
  /** Absent: only this program knows its conversations. */
  store?: Store;
  /**
   * Whether it loses a session that is opened again in the minute in which it was made or opened
   * (https://github.com/google-gemini/gemini-cli/issues/28693).
   */
  losesReopened?: boolean;
  demo?: true;
}

const CLAUDE: KnownProgram = {
  install: "npm install --global @agentclientprotocol/claude-agent-acp",
  login: "claude auth login",
  tried: ["0.100.0"],
  store: stores.claude,
};
/** It needs neither: the commands are those of an agent that can take its place. */
const DEMO: KnownProgram = { install: CLAUDE.install, login: CLAUDE.login, tried: ["0.1.0"], demo: true };

/** Agents by the name of their program. */
const KNOWN: ReadonlyMap<string, KnownProgram> = new Map([
  ["claude-agent-acp", CLAUDE],
  [
    "claude-code-acp",
    {
      install: "npm install --global @zed-industries/claude-code-acp",
      login: "claude auth login",
      tried: [],
      store: stores.claude,
    },
  ],
  [
    "codex-acp",
    {
      install: "npm install --global @agentclientprotocol/codex-acp",
      login: "codex login",
      tried: ["2.6.0"],
      store: stores.codex,
    },
  ],
  [
    "gemini",
    {
      install: "npm install --global @google/gemini-cli",
      login: "gemini",
      tried: ["0.61.0"],
      losesReopened: true,
      store: stores.gemini,
    },
  ],
  [
    "opencode",
    {
      install: "npm install --global opencode-ai",
      login: "opencode auth login",
      tried: ["1.18.33"],
      store: stores.opencode,
    },
  ],
  ["acp-demo-agent", DEMO],
  ["demo-agent.js", DEMO],
]);

const VERSION_MS = 30_000;
/** In place of the command that installs an agent that is not in the table. */
const NOT_KNOWN = "-";

export function acpDriver({
  processes,
  clock,
  tool,
  commands,
  env,
  version,
  openings = new RecentOpenings(clock),
  asIs = false,
}: AcpDriverOptions): Driver {
  const found = (path: string | undefined): readonly string[] =>
    commands.find(([name = ""]) => which(name, path) !== null) ?? commands[0] ?? [tool];
  return {
    tool,
    keyName: "session_id",
    store: () => knownOf(found(env["PATH"]))?.store ?? null,
    silence: "updates",
    choosesWithPrompt: true,
    // Only an open one tells.
    offers: () => null,
    get compacts() {
      return programIn(found(env["PATH"])) === "opencode" ? ("command" as const) : ("offered" as const);
    },
    lives: true,
    writing: null,
    access: (args) => (asIs || knownOf(found(env["PATH"])) === undefined ? null : accessOf(args)),
    refuses: refusedArgument,
    programNow: (its) => programNow(found(its["PATH"]), its["PATH"]),
    async probe(): Promise<Probe> {
      const command = found(env["PATH"]);
      const { install, login, tried, demo } = about(command);
      const path = which(command[0] ?? "", env["PATH"]);
      if (path === null) return { found: false, tried: false, install, login };
      const told = await versionOf({
        processes,
        clock,
        env,
        file: path,
        args: command.slice(1),
        cwd: "/",
        withinMs: VERSION_MS,
      });
      const program = programIn(command);
      // Now that it may be needed: an update may take its file away while the daemon runs.
      await import("./agent.ts");
      return {
        found: true,
        path,
        ...(program !== tool && !demo && { program }),
        ...(told !== null && { version: told }),
        tried: tried.includes(told ?? ""),
        install,
        login,
        ...(demo && { demo }),
      };
    },
    async open(opening) {
      const command = found(opening.env["PATH"]);
      const { login, losesReopened = false } = knownOf(command) ?? {};
      const install = knownOf(command)?.install ?? NOT_KNOWN;
      return openAgent(
        { processes, command, opening },
        {
          clock,
          tool,
          install,
          version,
          asIs,
          ...(login !== undefined && { login }),
          ...(losesReopened && { openings }),
        },
      );
    },
  };
}

interface AcpStart {
  processes: Processes;
  /** A name to find in PATH or an absolute path, and its arguments. */
  command: readonly string[];
  opening: Opening;
}

async function openAgent({ processes, command, opening }: AcpStart, setting: AcpSetting): Promise<Agent> {
  // The protocol is large, and most daemons never speak it.
  const { AcpAgent } = await import("./agent.ts");
  let agent: AcpAgent | null = null;
  const log = (): JobLog => agent?.log ?? opening.log;
  const [name = "", ...before] = command;
  const { args, cwd, env } = opening;
  const file = which(name, env["PATH"]);
  if (file === null) return unopenedAgent(notStarted(setting, notFound(name)));
  const refused = refusedArgument(args);
  if (refused !== null)
    return unopenedAgent(failedTurn("E_ARGUMENT_REFUSED", { tool: setting.tool, argument: oneLine(refused) }));
  const argv = [...before, ...args];
  const child = processes.spawn({
    file,
    args: argv,
    cwd,
    env: setting.asIs ? env : askingEnvironment(env),
    onStdout: (chunk) => log().stdout(chunk),
    onStderr: (chunk) => log().stderr(chunk),
  });
  agent = new AcpAgent({
    setting,
    opening,
    child,
    notes: [`started: ${JSON.stringify([file, ...argv])} in ${JSON.stringify(cwd)}`],
  });
  return agent;
}

function knownOf(command: readonly string[]): KnownProgram | undefined {
  return KNOWN.get(programIn(command));
}

/** A program may be a script that another one runs. */
function programIn(command: readonly string[]): string {
  const names = command.map((part) => basename(part));
  return names.find((name) => KNOWN.has(name)) ?? names[0] ?? "";
}

function about(command: readonly string[]): KnownProgram {
  return knownOf(command) ?? { install: command.join(" "), login: command.join(" "), tried: [] };
}
