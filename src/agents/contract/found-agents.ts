/** Which agents this machine has, and their versions, for people and the log. */
import { silentLog, type Log } from "../../base/log.ts";
import type { Driver, Probe, Turn } from "./driver.ts";
import type { Clock } from "../../base/clock.ts";
import type { Finding } from "../../base/finding.ts";
import { terminalLine } from "../../base/terminal-text.ts";
import { withEmptyFolder } from "../../host/empty-folder.ts";
import type { JobLog } from "../../host/files/job-log.ts";
import type { Outcome } from "./updates.ts";
import { shellWord } from "../../base/text.ts";
import type { State } from "../../core/state.ts";
import { sessionKey, type Session } from "../../core/sessions/session.ts";
import type { Window } from "../../core/sessions/windows.ts";

export interface ProbedAgent extends Omit<Probe, "path" | "tried"> {
  tool: string;
}

function findAgents(drivers: readonly Driver[], log: Log): Promise<ProbedAgent[]> {
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

export interface AgentDiscovery {
  /** The result of the last probe; the first call probes. */
  lastFound(): Promise<ProbedAgent[]>;
  /** Probes again the agents that could not work, because the owner may have fixed them. */
  probeAgain(): Promise<ProbedAgent[]>;
}

export function rememberAgents(
  known: readonly Driver[],
  log: Log,
  told: (agents: ProbedAgent[]) => void,
): AgentDiscovery {
  const drivers = known.filter(({ offered }) => offered !== false);
  let last: Promise<ProbedAgent[]> | null = null;

  async function look(before: readonly ProbedAgent[]): Promise<ProbedAgent[]> {
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
    lastFound: () => (last ??= look([])),
    probeAgain: () => (last = last === null ? look([]) : last.then(look)),
  };
}

/* The agents of this machine: whether those that projects use are there, logged in and, on request, answer. */

interface Probed extends Probe {
  tool: string;
  /** What came of asking it for one word. */
  trip: Finding | undefined;
}

/**
 * @param used the tools that projects name
 * @param ask asks an agent for one word
 */
export async function checkAgents(
  all: readonly Driver[],
  used: ReadonlySet<string>,
  ask?: (driver: Driver) => Promise<Finding>,
): Promise<Finding[]> {
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
  return [
    ...findings,
    {
      check: "agents",
      verdict: "bad",
      says: "doctor.agents.none",
      mend: {
        says: "doctor.agent.missing.mend",
        args: { install: probed[0]?.install ?? "", login: probed[0]?.login ?? "" },
      },
    },
  ];
}

function about(
  { tool, found, version, tried, loggedIn, install, login, trip }: Probed,
  isUsed: boolean,
): Omit<Finding, "check"> {
  const mend = { says: "doctor.agent.missing.mend" as const, args: { install, login } };
  if (!found) return { verdict: isUsed ? "bad" : "idle", says: "doctor.agent.missing", args: { tool }, mend };
  if (version === undefined)
    return { verdict: isUsed ? "bad" : "warn", says: "doctor.agent.broken", args: { tool }, mend };
  const args = { tool, version: terminalLine(version, 40) };
  // One with a provider of its own answers without a login.
  if (loggedIn === false && trip?.verdict !== "good")
    return {
      verdict: isUsed ? "bad" : "warn",
      says: "doctor.agent.logged_out",
      args,
      mend: { says: "doctor.agent.logged_out.mend", args: { login } },
    };
  return { verdict: "good", says: tried ? "doctor.agent" : "doctor.agent.untried", args };
}

const PROMPT = "This is a connection test. Use no tools. Answer with exactly one word: ready";
const PATIENCE_MS = 90_000;

const unlogged: JobLog = {
  stdout: () => undefined,
  stderr: () => undefined,
  writeNote: () => undefined,
  close: () => Promise.resolve(),
};

/**
 * One word asked of an agent, in an empty folder and with nothing allowed: the proof that it starts, is logged in and
 * reaches its model. It costs its owner what a short prompt costs.
 * @param env the agent's whole environment
 */
export async function tryPrompt(driver: Driver, env: Readonly<Record<string, string>>, clock: Clock): Promise<Finding> {
  const { tool } = driver;
  const check = `round trip ${tool}`;
  const began = clock.monotonic();
  const end = await withEmptyFolder((cwd) => ask(driver, cwd, env, clock));
  const seconds = Math.max(0.1, Math.round((clock.monotonic() - began) / 100) / 10);
  if (end.outcome === "failed") return { check, verdict: "bad", says: end.code, args: { tool, ...end.details } };
  if (end.outcome === "cancelled" || end.result.trim() === "")
    return {
      check,
      verdict: "bad",
      says: "doctor.trip.silent",
      args: { tool, seconds },
      mend: { says: "doctor.trip.silent.mend", args: { tool } },
    };
  return { check, verdict: "good", says: "doctor.trip", args: { tool, seconds, answer: terminalLine(end.result, 60) } };
}

async function ask(driver: Driver, cwd: string, env: Readonly<Record<string, string>>, clock: Clock): Promise<Outcome> {
  const agent = await driver.open({ cwd, args: [], folders: [], key: null, env, log: unlogged });
  try {
    const turn = agent.prompt({ text: PROMPT, counters: null, log: unlogged });
    const late = clock.after(PATIENCE_MS, () => void turn.cancel());
    const end = await endOf(turn);
    late();
    return end;
  } finally {
    await agent.close();
  }
}

/** Nothing is allowed and nothing is answered: what it asks is denied, and a question ends the turn. */
async function endOf(turn: Turn): Promise<Outcome> {
  let end: Outcome = { outcome: "cancelled" };
  for await (const update of turn.updates) {
    if (update.kind === "permission")
      void turn.answer(update.id, { kind: "deny", message: "This is only a connection test." });
    if (update.kind === "question" || update.kind === "plan_approval") void turn.cancel();
    if (update.kind === "end") end = update;
  }
  return end;
}

/* The command with which a person at the machine goes on with a session's conversation. */

/** Null if there is no conversation yet, or its place is not known. */
export function attachCommand(
  { windows, threads, projects }: State,
  driver: Driver | undefined,
  session: Session,
): string | null {
  const { thread_id, project_name } = session;
  const window = windows[thread_id];
  if (window) return attachToWindow(window);
  const key = sessionKey(session);
  const cwd = threads[thread_id]?.checkout?.cwd ?? projects[project_name]?.path;
  const store = driver?.store() ?? null;
  if (key === null || cwd === undefined || store === null) return null;
  return `cd ${shellWord(cwd)} && ${store.attach(key).map(shellWord).join(" ")}`;
}

/** The command that shows a window. */
export function attachToWindow({ socket, window_id }: Window): string {
  return `tmux -S ${shellWord(socket)} attach -t ${shellWord(window_id)}`;
}
