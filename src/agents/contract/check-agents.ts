/** The agents of this machine: whether those that projects use are there, logged in and, on request, answer. */
import type { Finding } from "../../base/finding.ts";
import { oneLine } from "../../base/text.ts";
import type { Driver, Probe } from "./driver.ts";

interface Probed extends Probe {
  tool: string;
  /** What came of asking it for one word. */
  trip: Finding | undefined;
}

/**
 * @param used the tools that projects name
 * @param ask asks an agent for one word
 */
export async function checkAgents(all: readonly Driver[], used: ReadonlySet<string>, ask?: (driver: Driver) => Promise<Finding>): Promise<Finding[]> {
  const drivers = all.filter(({ tool, offered }) => offered !== false || used.has(tool));
  const probed = await Promise.all(
    drivers.map(async (driver): Promise<Probed> => {
      const probe = await driver.probe();
      // A window is not opened to try something.
      const isAsked = probe.version !== undefined && driver.offered !== false;
      return { tool: driver.tool, ...probe, trip: isAsked ? await ask?.(driver) : undefined };
    }),
  );
  const findings = probed.flatMap((agent): Finding[] => {
    const { tool, trip } = agent;
    const found = { check: `agent ${tool}`, ...about(agent, used.has(tool)) };
    if (trip === undefined) return [found];
    return [found, trip.verdict === "bad" && !used.has(tool) ? { ...trip, verdict: "warn" } : trip];
  });
  if (probed.some(({ found }) => found) || used.size > 0) return findings;
  return [...findings, { check: "agents", verdict: "bad", says: "doctor.agents.none", mend: { says: "doctor.agent.missing.mend", args: { install: probed[0]?.install ?? "", login: probed[0]?.login ?? "" } } }];
}

function about({ tool, found, version, tried, loggedIn, install, login, trip }: Probed, isUsed: boolean): Omit<Finding, "check"> {
  const mend = { says: "doctor.agent.missing.mend" as const, args: { install, login } };
  if (!found) return { verdict: isUsed ? "bad" : "idle", says: "doctor.agent.missing", args: { tool }, mend };
  if (version === undefined) return { verdict: isUsed ? "bad" : "warn", says: "doctor.agent.broken", args: { tool }, mend };
  const args = { tool, version: oneLine(version, 40) };
  // One with a provider of its own answers without a login.
  if (loggedIn === false && trip?.verdict !== "good") return { verdict: isUsed ? "bad" : "warn", says: "doctor.agent.logged_out", args, mend: { says: "doctor.agent.logged_out.mend", args: { login } } };
  return { verdict: "good", says: tried ? "doctor.agent" : "doctor.agent.untried", args };
}
