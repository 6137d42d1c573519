/** Wires the socket, the clients' bots, the drivers, the daemon's own bot and the runner: gives each what it needs. */
import { acpDriver } from "../agents/acp/driver.ts";
import { claudeDriver } from "../agents/claude/driver.ts";
import { codexDriver } from "../agents/codex/driver.ts";
import type { Driver } from "../agents/contract/driver.ts";
import { geminiDriver } from "../agents/gemini/driver.ts";
import {
  attachCommand,
  rememberAgents,
  type AgentDiscovery,
  type ProbedAgent,
} from "../agents/contract/found-agents.ts";
import { RecentOpenings } from "../agents/process/process-driver.ts";
import { tmuxDriver, type WindowsDeps } from "../agents/tmux/driver.ts";
import { type OutsideTurns, type LivingAgents, openLivingAgents } from "../agents/live/living-agents.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { recordConfigurationSeen } from "../agents/run/start-guard.ts";
import { adopt, readyStart } from "../agents/run/starts.ts";
import { Steering } from "../agents/run/steering.ts";
import type { Adopting } from "../agents/tmux/adoption.ts";
import { statusLine } from "../agents/tmux/status-facts.ts";
import { placesOf } from "../core/decisions/answering.ts";
import { botOf } from "../core/decisions/decision.ts";
import type { OwnTool } from "../config/config-schema.ts";
import { homeOf } from "../config/homes.ts";
import { agentSettings, isolates } from "../config/session-settings.ts";
import type { DaemonContext, Tools } from "../discord/api/bot-context.ts";
import type { Bots, ServedBot } from "../discord/bots.ts";
import type { Engine } from "../engine/engine.ts";
import type { HookChannel } from "../engine/hook-channel.ts";
import type { JobLiveEvent, LiveEvents, Resumable, StoredConversation } from "../engine/live.ts";
import type { RegisterProjectsOptions } from "../engine/register-projects.ts";
import { openExpiry } from "../engine/decision-expiry.ts";
import { openFiles } from "../host/files/files.ts";
import type { Configurations } from "../host/files/kept-configurations.ts";
import { type DecisionFiles, lookAtDirectory, standingDirectory } from "../host/files/kept-files.ts";
import { agentEnvironment, scrubbedEnvironment } from "../host/processes/environment.ts";
import { openGit, ownersIgnoreFile } from "../host/git/git.ts";
import { openWorktrees } from "../host/git/worktrees.ts";
import { openJobLog, openSessionLog } from "../host/files/job-log.ts";
import type { Results } from "../host/files/results.ts";
import { sessionFolders } from "../host/files/session-folders.ts";
import { openDaemonIpc, type ClientMethods, type AppFacts } from "../ipc/daemon.ts";
import { openClients, type Clients } from "../ipc/clients.ts";
import type { IpcServer } from "../ipc/server.ts";
import { childEnvironment, knowSecrets, version, type DriverGround, type Ground } from "./ground.ts";
import { ownersWords } from "../agents/run/prompt.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import type { Environment, Settings } from "../config/settings.ts";
import type { ConfigProjects } from "../engine/config-projects.ts";
import { isDead, systemProcessTable } from "../host/processes/process-table.ts";
import { openProcesses } from "../host/processes/processes.ts";

interface ForRuns {
  engine: Engine;
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  decisionFiles: DecisionFiles;
  configurations: Configurations;
  drivers: ReadonlyMap<string, Driver>;
  agents: LivingAgents;
  hooks: HookChannel;
}

/** Opened before anything waits for Discord, because that is when people ask for the status. */
export async function openSocket(
  ground: Ground,
  engine: Engine,
  liveEvents: LiveEvents<JobLiveEvent>,
  methods: ClientMethods,
): Promise<IpcServer | null> {
  const { settings, env, clock, log, failures, configProjects, token, known, opened } = ground;
  const facts = (): AppFacts => ({
    serves: token === null ? "clients" : "all",
    bot_id: known.who?.bot_id ?? null,
    guild_id: known.who?.guild_id ?? null,
    owner_id: engine.state.owner?.owner_id ?? null,
    gateway: known.condition?.() ?? null,
    agents: known.agents ?? null,
    living: known.living(),
    servers: known.servers(),
    disk_full: engine.diskFull,
    max_running: configProjects.config.limits.global_max_running,
  });
  const stepAside = (): boolean => {
    if (token === null) clock.after(0, ground.aside.resolve);
    return token === null;
  };
  const ipc = await openDaemonIpc({
    stateDir: settings.stateDir,
    logDir: settings.logDir,
    runtimeDir: env["XDG_RUNTIME_DIR"],
    clock,
    log: log.module("link"),
    bellhop: version(),
    engine,
    liveEvents,
    failures,
    facts,
    stepAside,
    methods,
    redact: (value) => ground.redactor.value(value),
  });
  opened.push(() => ipc?.close());
  return ipc;
}

/** Agents' clients and watchers, under the bots whose tokens they bring. */
export function openClientsOf(
  { settings, configProjects, clock, time, log, redactor, opened }: Ground,
  engine: Engine,
  bots: Promise<Bots>,
): Clients {
  const clients = openClients({
    engine,
    clock,
    time,
    log: log.module("link"),
    settings,
    lapseSeconds: () => configProjects.config.decision_lapse_s.question,
    withoutSecrets: (value) => redactor.value(value),
    async acquireBot(whose, channelId) {
      const { bot, release } = await (await bots).acquireBot(whose, channelId);
      return { ...bot, bot_id: bot.botId, guild_id: bot.guildId, phase: () => bot.condition().phase, release };
    },
  });
  const expiry = openExpiry({
    engine,
    clock,
    time,
    log,
    async hasHeard(decision) {
      const botId = botOf(engine.state, decision);
      return botId !== undefined && (await bots).hasHeard(botId, placesOf(engine.state, decision));
    },
  });
  opened.push(
    () => expiry.close(),
    () => clients.close(),
  );
  return clients;
}

/** @param windows absent: the drivers are only asked about */
export function openDrivers(ground: DriverGround, windows?: WindowsDeps): ReadonlyMap<string, Driver> {
  const { processes, clock, configProjects } = ground;
  const env = scrubbedEnvironment(childEnvironment(ground));
  const of = (tool: string, command = configProjects.config.commands[tool]) => ({
    processes,
    clock,
    env,
    ...(command !== undefined && { command }),
  });
  const openings = new RecentOpenings(clock);
  const [acp, ...named] = acpDrivers(ground, openings);
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
function acpDrivers(ground: DriverGround, openings: RecentOpenings): [acp: Driver, ...named: Driver[]] {
  const { processes, clock, configProjects, settings } = ground;
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
      env: scrubbedEnvironment(childEnvironment(ground, more.env)),
      version: version(),
      openings,
      asIs: more.asks === "as_is",
    });
  return [
    of("acp", own === undefined ? [["claude-agent-acp"], ["claude-code-acp"]] : [own]),
    ...Object.entries(acp_agents).map(([name, agent]) => of(name, [agent.command], agent)),
  ];
}

/** @param adopting takes Claudes that the owner has started himself */
export function daemonContext(
  ground: Ground,
  runs: RunContext,
  hooks: HookChannel,
  adopting: Promise<Adopting | null>,
): DaemonContext {
  const { settings, configProjects, clock, time, log, redactor, env, known } = ground;
  const { engine, liveEvents, results, decisionFiles, configurations, drivers, agents } = runs;
  return {
    engine,
    liveEvents,
    clock,
    time,
    log: log.module("discord"),
    locale: settings.locale,
    config: () => configProjects.config,
    redactor,
    api: settings.discordApi,
    stateDir: settings.stateDir,
    pollIntervalMs: settings.pollIntervalMs,
    results,
    decisionFiles,
    files: openFiles(settings.stateDir),
    readDifference: configurations.readDifference,
    home: homeOf(env),
    tools: toolsOf(drivers, ground),
    agents: rememberAgents([...drivers.values()], log, (found) => void (known.agents = found)),
    sessionAgents: agents,
    checkDirectory: (path) => lookAtDirectory(path, { home: env["HOME"], stateDir: settings.stateDir }),
    recordConfigurationSeen: (name, path) => recordConfigurationSeen(runs, name, path),
    ready: (requestId) => readyStart(runs, requestId),
    assignThread: (requestId, threadId) => adopt(runs, requestId, threadId),
    takeClaude: async (claudeSession, requestId) => (await adopting)?.adopt(claudeSession, requestId) ?? null,
    attachCommand: (session) => attachCommand(engine.state, drivers.get(session.tool), session),
    conversations: openStoredConversations(ground, drivers),
    statusLine: (threadId) => statusLine(engine.state, hooks, threadId),
  };
}

export function mainBot({ settings, servers, token, known }: Ground): ServedBot | null {
  return token === null
    ? null
    : {
        token,
        appId: settings.appId,
        guildId: settings.guildId ?? servers.main?.guildId,
        channelId: settings.channelId,
        panelId: servers.main?.panelId,
        opening: (condition) => void (known.condition = condition),
      };
}

function toolsOf(drivers: ReadonlyMap<string, Driver>, { configProjects, settings: { locale } }: Ground): Tools {
  return {
    names: [...drivers.keys()],
    speaksAcp: (tool) => drivers.get(tool)?.silence === "updates",
    keyNameIn(tool, from) {
      const store = drivers.get(from)?.store()?.name;
      const other = drivers.get(tool);
      return other && store !== undefined && other.store()?.name === store ? other.keyName : null;
    },
    toolAccess: (tool, args, session = { project_name: "", thread_id: "" }) => ({
      access:
        drivers
          .get(tool)
          ?.access(args, agentSettings(configProjects.config, session, tool, { locale, isRoot: false })) ?? null,
      writing: drivers.get(tool)?.writing ?? null,
    }),
    refusesArgument: (tool, args) => drivers.get(tool)?.refuses(args) ?? null,
  };
}

/** The projects that the environment names, with the agents that were found, else with all. */
export function environmentProjects(
  { settings, env, log }: Ground,
  drivers: ReadonlyMap<string, Driver>,
  agents: AgentDiscovery,
): RegisterProjectsOptions {
  const { projects, projectRoots, locale, stateDir } = settings;
  const tools = async (): Promise<string[]> => {
    const found = (await agents.lastFound()).filter((agent) => agent.found).map(({ tool }) => tool);
    return found.length > 0 ? found : [...drivers.keys()];
  };
  return {
    projects,
    projectRoots,
    locale,
    log: log.module("projects"),
    tools,
    inspectDirectory: (path) => lookAtDirectory(path, { home: env["HOME"], stateDir }),
  };
}

/** @param link undefined if there is no socket */
export function openAgents(ground: Ground, engine: Engine, link: IpcServer | null, turns: OutsideTurns): LivingAgents {
  const { settings, configProjects, clock, log, redactor } = ground;
  const folders = sessionFolders(settings.stateDir);
  return openLivingAgents({
    engine,
    ...turns,
    clock,
    log: log.module("agents"),
    environment({ thread_id, tool }, mark, capability) {
      knowSecrets(ground);
      return agentEnvironment({
        ...childEnvironment(ground, configProjects.config.acp_agents[tool]?.env),
        outputs: folders.outputs(thread_id),
        session: thread_id,
        job: mark,
        capability,
      });
    },
    capability: (place) => link?.grant("mcp", place),
    openSessionLog: (threadId) =>
      openSessionLog({
        directory: settings.logDir,
        threadId,
        redactor,
        onFailure: (error) => log.failure("a session's log cannot be written", error, { thread_id: threadId }),
      }),
    idleLimits() {
      const { idle_agents, idle_agent_sec, background_work_sec } = configProjects.config.limits;
      return { agents: idle_agents, idleMs: idle_agent_sec * 1000, backgroundMs: background_work_sec * 1000 };
    },
  });
}

export function runDependencies(ground: Ground, parts: ForRuns): RunContext {
  const { settings, configProjects, clock, time, log, redactor, env } = ground;
  const forGit = { stateDir: settings.stateDir, clock, path: env["PATH"], ignoreFile: ownersIgnoreFile(env) };
  const git = openGit(forGit);
  const agentsLog = log.module("agents");
  const table = systemProcessTable();
  const openLog: RunContext["openLog"] = (jobId) =>
    openJobLog({
      directory: settings.logDir,
      jobId,
      redactor,
      onFailure: (error) => log.failure("a job's log cannot be written", error, { job_id: jobId }),
    });
  return {
    ...parts,
    clock,
    time,
    git,
    worktrees: openWorktrees({ ...forGit, git }),
    config: () => configProjects.config,
    log: agentsLog,
    locale: settings.locale,
    folders: sessionFolders(settings.stateDir),
    openLog,
    steering: new Steering({ engine: parts.engine, log: agentsLog, openLog }),
    redactor,
    directoryAt: (path) => standingDirectory(path, settings.stateDir),
    isAlive(pid) {
      const row = table.read(pid);
      return row !== null && !isDead(row);
    },
    home: homeOf(env),
  };
}

/* The conversations that agents have kept of a project, whoever began them. */

/** What one agent has kept, by directory. */
type ResumableLookup = (cwd: string) => Promise<Resumable[]>;

/**
 * Each key typed into an option asks again, and to look at tens of thousands of files takes longer than Discord waits.
 */
const LATELY_MS = 5_000;

/**
 * The last used first; each with the first of the project's tools that can go on with it. None of a project whose
 * sessions have worktrees of their own: an agent resumes a conversation only in its directory.
 */
export function openStoredConversations(
  ground: Ground,
  drivers: ReadonlyMap<string, Driver>,
): DaemonContext["conversations"] {
  /** By tool; only while they are read, and a few seconds longer, because the texts may be long. */
  const known = new Map<string, ResumableLookup>();

  function keptBy(driver: Driver, lately: boolean): ResumableLookup {
    const before = lately ? known.get(driver.tool) : undefined;
    if (before) return before;
    const kept = remembering(
      reading(driver, ground),
      (found) => void found.then(() => ground.clock.after(LATELY_MS, forget)),
    );
    const forget = (): unknown => known.get(driver.tool) === kept && known.delete(driver.tool);
    known.set(driver.tool, kept);
    return kept;
  }

  return async (project, lately) => {
    const { config } = ground.configProjects;
    const cwd = standingDirectory(project.path, ground.settings.stateDir)?.path;
    if (cwd === undefined || isolates(config, { project_name: project.name, thread_id: "" })) return [];
    const byStore = new Map<string, Driver>();
    for (const tool of [project.default_tool, ...project.enabled_tools]) {
      const driver = drivers.get(tool);
      const store = driver?.store()?.name;
      if (driver && store !== undefined && !byStore.has(store)) byStore.set(store, driver);
    }
    const found = await Promise.all([...byStore.values()].map((driver) => keptBy(driver, lately === "lately")(cwd)));
    return found.flat().toSorted((a, b) => b.at - a.at);
  };
}

/** Each directory is read once. */
function remembering(read: ResumableLookup, begun: (found: Promise<Resumable[]>) => void): ResumableLookup {
  const known = new Map<string, Promise<Resumable[]>>();
  return (cwd) => {
    const before = known.get(cwd);
    if (before) return before;
    const found = read(cwd);
    known.set(cwd, found);
    begun(found);
    return found;
  };
}

/** None if they cannot be read. */
function reading(driver: Driver, ground: Ground): ResumableLookup {
  const env = scrubbedEnvironment(childEnvironment(ground, ground.configProjects.config.acp_agents[driver.tool]?.env));
  const look = driver.store()?.openLook?.(env);
  return async (cwd) => {
    const kept = (await look?.(cwd).catch(() => [])) ?? [];
    return kept.map((one) => ({ ...shown(one, ground), tool: driver.tool, key_name: driver.keyName, cwd }));
  };
}

/**
 * Without secrets, before anything is cut off or escaped, and without what Bellhop has written around the owner's
 * words.
 */
function shown({ about, said, branch, ...rest }: StoredConversation, { redactor }: Ground): StoredConversation {
  return {
    ...rest,
    about: redactor.redactText(ownersWords(about)),
    said: redactor.redactText(said),
    ...(branch !== undefined && { branch: redactor.redactText(branch) }),
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
    findAgents: rememberAgents(drivers, silentLog, () => undefined).probeAgain,
    environment: (tool) => scrubbedEnvironment(childEnvironment(ground, configProjects.config.acp_agents[tool]?.env)),
  };
}
