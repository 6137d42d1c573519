/** The agents of this machine: whether those that projects use are there and logged in. */
import type { Finding } from "../../base/finding.ts";
import { oneLine } from "../../base/text.ts";
import type { Driver } from "./driver.ts";

/**
 * @param used the tools that projects name; if none, every one counts
 * @param trip asks an agent that can work for one word
 */
export async function checkAgents(drivers: readonly Driver[], used: ReadonlySet<string>, trip?: (driver: Driver) => Promise<Finding>): Promise<Finding[]> {
  const probed = await Promise.all(drivers.map(async (driver) => ({ driver, tool: driver.tool, ...(await driver.probe()) })));
  const working = trip === undefined ? [] : probed.filter(({ version, loggedIn }) => version !== undefined && loggedIn !== false);
  const trips = Promise.all(working.map(({ driver }) => trip?.(driver) ?? []));
  const findings = probed.map(({ tool, found, version, tried, loggedIn, install, login }): Finding => {
    const check = `agent ${tool}`;
    const needed = used.has(tool) ? "bad" : "idle";
    if (!found) return { check, verdict: needed, says: "doctor.agent.missing", args: { tool }, mend: { says: "doctor.agent.missing.mend", args: { install, login } } };
    if (version === undefined) return { check, verdict: used.has(tool) ? "bad" : "warn", says: "doctor.agent.broken", args: { tool }, mend: { says: "doctor.agent.missing.mend", args: { install, login } } };
    const args = { tool, version: oneLine(version, 40) };
    if (loggedIn === false) return { check, verdict: used.has(tool) ? "bad" : "warn", says: "doctor.agent.logged_out", args, mend: { says: "doctor.agent.logged_out.mend", args: { login } } };
    return { check, verdict: "good", says: tried ? "doctor.agent" : "doctor.agent.untried", args };
  });
  if (probed.some(({ found }) => found) || used.size > 0) return [...findings, ...(await trips).flat()];
  return [...findings, { check: "agents", verdict: "bad", says: "doctor.agents.none", mend: { says: "doctor.agent.missing.mend", args: { install: probed[0]?.install ?? "", login: probed[0]?.login ?? "" } } }];
}
