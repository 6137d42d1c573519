/** Which agents this machine has, and their versions, for people and the log. */
import { silentLog, type Log } from "../../base/log.ts";
import type { Driver, Probe } from "./driver.ts";

export interface Found extends Omit<Probe, "path" | "tried"> {
  tool: string;
}

function findAgents(drivers: readonly Driver[], log: Log): Promise<Found[]> {
  return Promise.all(
    drivers.map(async (driver) => {
      const { tool } = driver;
      const { path, tried, ...told } = await driver.probe();
      const { found, install, version, loggedIn } = told;
      if (!found) log.warn("an agent is not in PATH", { tool, install });
      else
        log.info("an agent was found", {
          tool,
          path,
          version,
          tried,
          ...(loggedIn !== undefined && { logged_in: loggedIn }),
        });
      return { tool, ...told };
    }),
  );
}

export interface Agents {
  /** The result of the last probe; the first call probes. */
  known(): Promise<Found[]>;
  /** Probes again the agents that could not work, because the owner may have fixed them. */
  now(): Promise<Found[]>;
}

export function rememberAgents(known: readonly Driver[], log: Log, told: (agents: Found[]) => void): Agents {
  const drivers = known.filter(({ offered }) => offered !== false);
  let last: Promise<Found[]> | null = null;

  async function look(before: readonly Found[]): Promise<Found[]> {
    const works = new Map(
      before.filter(({ found, loggedIn }) => found && loggedIn !== false).map((agent) => [agent.tool, agent]),
    );
    const others = await findAgents(
      drivers.filter(({ tool }) => !works.has(tool)),
      before.length === 0 ? log : silentLog,
    );
    const all = drivers.flatMap(({ tool }) => works.get(tool) ?? others.find((agent) => agent.tool === tool) ?? []);
    told(all);
    return all;
  }

  return {
    known: () => (last ??= look([])),
    now: () => (last = last === null ? look([]) : last.then(look)),
  };
}
