/**
 * The machine as everything that starts an agent's program sees it, and the environment that such a program gets: the
 * daemon has it, and so have verbs that only look at the agents.
 */
import type { Clock } from "../../base/clock.ts";
import type { Environment, Settings } from "../../config/settings.ts";
import type { ConfigProjects } from "../../engine/config-projects.ts";
import { scrubbedEnvironment, type ChildEnvironment } from "../../host/processes/environment.ts";
import type { Processes } from "../../host/processes/processes.ts";

export interface MachineContext {
  settings: Settings;
  env: Environment;
  clock: Clock;
  /** Every known token. */
  secrets: Set<string>;
  configProjects: ConfigProjects;
  processes: Processes;
}

/**
 * What environments of children are built from, with `pass_env` as it is in the file now.
 * @param more names that only this child gets
 */
export function childEnvironment(
  { env, configProjects, secrets }: MachineContext,
  more: readonly string[] = [],
): ChildEnvironment {
  return { from: env, passEnv: [...configProjects.config.pass_env, ...more], secrets: [...secrets] };
}

/** The environment of a tool's program outside of a session. */
export function toolEnvironment(machine: MachineContext, tool: string): Record<string, string> {
  return scrubbedEnvironment(childEnvironment(machine, machine.configProjects.config.acp_agents[tool]?.env));
}
