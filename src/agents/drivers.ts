/** The drivers of the tools that there are, what is known of each by its name, and the agents of this machine. */
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import type { OwnTool } from "../config/config-schema.ts";
import { agentSettings } from "../config/session-settings.ts";
import type { Choice } from "../core/sessions/told.ts";
import type { Environment, Settings } from "../config/settings.ts";
import type { ConfigProjects } from "../engine/config-projects.ts";
import { version } from "../host/installed.ts";
import { scrubbedEnvironment } from "../host/processes/environment.ts";
import { openProcesses } from "../host/processes/processes.ts";
import { acpDriver } from "./acp/driver.ts";
import { claudeDriver } from "./claude/driver.ts";
import { codexDriver } from "./codex/driver.ts";
import type { Driver } from "./contract/driver.ts";
import { rememberAgents, type ProbedAgent } from "./contract/found-agents.ts";
import { geminiDriver } from "./gemini/driver.ts";
import { childEnvironment, toolEnvironment, type MachineContext } from "./process/machine.ts";
import { RecentOpenings } from "./process/process-driver.ts";
import { tmuxDriver, type WindowsDeps } from "./tmux/driver.ts";

export type Drivers = ReadonlyMap<string, Driver>;

/** @param windows absent: the drivers are only asked about */
export function openDrivers(machine: MachineContext, windows?: WindowsDeps): Drivers {
  const { processes, clock, configProjects } = machine;
  const env = scrubbedEnvironment(childEnvironment(machine));
  const of = (tool: string, command = configProjects.config.commands[tool]) => ({
    processes,
    clock,
    env,
    ...(command !== undefined && { command }),
  });
  const openings = new RecentOpenings(clock);
  const [acp, ...named] = acpDrivers(machine, openings);
  const own: Record<OwnTool, Driver> = {
    claude: claudeDriver(of("claude")),
    codex: codexDriver(of("codex")),
    gemini: geminiDriver({ ...of("gemini"), output: () => configProjects.config.gemini_output, openings }),
    tmux: tmuxDriver({ ...of("claude"), ...(windows && { windows }) }),
    acp,
  };
  return new Map([...Object.values(own), ...named].map((driver) => [driver.tool, driver]));
}

/** The tool `acp`, and those of config.json. */
function acpDrivers(machine: MachineContext, openings: RecentOpenings): [acp: Driver, ...named: Driver[]] {
  const { processes, clock, configProjects, settings } = machine;
  const { commands, acp_agents } = configProjects.config;
  const own = settings.agentCommand ?? commands["acp"];
  const of = (
    tool: string,
    candidates: readonly (readonly string[])[],
    more: { env?: readonly string[] | undefined; asks?: "as_is" | undefined } = {},
  ): Driver =>
    acpDriver({
      processes,
      clock,
      tool,
      commands: candidates,
      env: scrubbedEnvironment(childEnvironment(machine, more.env)),
      version: version(),
      openings,
      asIs: more.asks === "as_is",
    });
  return [
    of("acp", own === undefined ? [["claude-agent-acp"], ["claude-code-acp"]] : [own]),
    ...Object.entries(acp_agents).map(([name, agent]) => of(name, [agent.command], agent)),
  ];
}

/** What is known of tools by their names, for who does not know their drivers. */
export function knownTools(drivers: Drivers, { configProjects, settings: { locale } }: MachineContext) {
  return {
    names: [...drivers.keys()],
    speaksAcp: (tool: string) => drivers.get(tool)?.silence === "updates",
    keyNameIn(tool: string, from: string) {
      const store = drivers.get(from)?.store()?.name;
      const other = drivers.get(tool);
      return other && store !== undefined && other.store()?.name === store ? other.keyName : null;
    },
    toolAccess(tool: string, args: readonly string[], session = { project_name: "", thread_id: "" }) {
      const driver = drivers.get(tool);
      if (driver === undefined) return { access: null, writing: null };
      const settings = agentSettings(configProjects.config, session, tool, { locale, isRoot: false });
      return { access: driver.access(args, settings), writing: driver.writing };
    },
    offers(what: Choice, tool: string, args: readonly string[], session: { project_name: string; thread_id: string }) {
      const settings = agentSettings(configProjects.config, session, tool, { locale, isRoot: false });
      return drivers.get(tool)?.offers(what, args, settings) ?? null;
    },
    keepsConversations: (tool: string) => drivers.get(tool)?.store()?.openLook !== undefined,
    compacts: (tool: string) => drivers.get(tool)?.compacts,
    refusesArgument: (tool: string, args: readonly string[]) => drivers.get(tool)?.refuses(args) ?? null,
  };
}

/* The drivers of this machine's agents without a daemon, for verbs that only look at them. */

interface AgentsHere {
  drivers: readonly Driver[];
  /** Looks for them again each time, unless they work. */
  findAgents(): Promise<ProbedAgent[]>;
  /** An agent's whole environment. */
  environment(tool: string): Record<string, string>;
}

export function agentsHere(env: Environment, configProjects: ConfigProjects, settings: Settings): AgentsHere {
  const secrets = new Set(settings.token === undefined ? [] : [settings.token.value]);
  const machine = { processes: openProcesses(), clock: systemClock, configProjects, settings, env, secrets };
  const drivers = [...openDrivers(machine).values()];
  return {
    drivers,
    findAgents: rememberAgents(drivers, silentLog, () => undefined).probeAgain,
    environment: (tool) => toolEnvironment(machine, tool),
  };
}
