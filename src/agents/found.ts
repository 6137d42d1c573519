/**
 * Which agents this machine has, in which versions, as they are told to people and written into the log.
 */
import type { Log } from "../base/log.ts";
import type { Driver } from "./driver.ts";

export interface Found {
  tool: string;
  found: boolean;
  /** How it is got where it is not there. */
  install: string;
  version?: string;
}

export function findAgents(drivers: readonly Driver[], log: Log): Promise<Found[]> {
  return Promise.all(
    drivers.map(async (driver) => {
      const { found, path, version, tried, install } = await driver.probe();
      if (!found) log.warn("an agent is not in PATH", { tool: driver.tool, install });
      else log.info("an agent was found", { tool: driver.tool, path, version, tried });
      return { tool: driver.tool, found, install, ...(version !== undefined && { version }) };
    }),
  );
}
