/** The drivers of this machine's agents without a daemon, for verbs that only look at them. */
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { rememberAgents, type Found } from "../agents/contract/found-agents.ts";
import type { Driver } from "../agents/contract/driver.ts";
import type { Environment, Settings } from "../config/settings.ts";
import type { ConfigProjects } from "../engine/config-projects.ts";
import { scrubbedEnvironment } from "../host/processes/environment.ts";
import { openProcesses } from "../host/processes/processes.ts";
import { openDrivers } from "./compose.ts";
import { childEnvironment } from "./ground.ts";

export interface AgentsHere {
  drivers: readonly Driver[];
  /** Looks for them again each time, unless they work. */
  look(): Promise<Found[]>;
  /** An agent's whole environment. */
  environment(tool: string): Record<string, string>;
}

export function agentsHere(env: Environment, configProjects: ConfigProjects, settings: Settings): AgentsHere {
  const processes = openProcesses();
  const ground = {
    processes,
    clock: systemClock,
    configProjects,
    settings,
    env,
    secrets: new Set(settings.token === undefined ? [] : [settings.token.value]),
  };
  const drivers = [...openDrivers(ground).values()];
  return {
    drivers,
    look: rememberAgents(drivers, silentLog, () => undefined).now,
    environment: (tool) => scrubbedEnvironment(childEnvironment(ground, configProjects.config.acp_agents[tool]?.env)),
  };
}
