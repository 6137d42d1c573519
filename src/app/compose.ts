/** Gives each part what it needs: the contexts of the agents and of the bots, the socket, its clients, Claude's hooks. */
import { openDrivers, knownTools } from "../agents/drivers.ts";
import { attachCommand, rememberAgents } from "../agents/contract/found-agents.ts";
import { openLivingAgents, type LivingAgents } from "../agents/live/living-agents.ts";
import { childEnvironment } from "../agents/process/machine.ts";
import { openHookAsking } from "../agents/run/asking/hook-asking.ts";
import { openScreenAsking } from "../agents/run/asking/screen-asking.ts";
import { outsideTurns } from "../agents/run/outside-turn.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { recordConfigurationSeen } from "../agents/run/start-guard.ts";
import { adopt, readyStart } from "../agents/run/starts.ts";
import { Steering } from "../agents/run/steering.ts";
import { openStoredConversations } from "../agents/run/stored-conversations.ts";
import { openAdoptions, type Adopting } from "../agents/tmux/adoption.ts";
import { statusLine } from "../agents/tmux/status-facts.ts";
import { openWindows } from "../agents/tmux/windows.ts";
import { entryOf } from "../base/entry.ts";
import { nodeDisk, readWhole } from "../base/disk.ts";
import { say } from "../base/words/say.ts";
import { claudeSettings, claudeState, homeOf, recordFolders } from "../config/homes.ts";
import { placesOf } from "../core/decisions/answering.ts";
import { botOf } from "../core/decisions/decision.ts";
import { neededConfigurations } from "../core/projects/seen.ts";
import type { DaemonContext } from "../discord/api/bot-context.ts";
import type { ServedBot, Who } from "../discord/bot.ts";
import type { Bots } from "../discord/bots.ts";
import { openExpiry } from "../engine/decision-expiry.ts";
import type { Engine } from "../engine/engine.ts";
import { openForgetting, type Forgetting } from "../engine/forgetting.ts";
import type { HookChannel } from "../engine/hook-channel.ts";
import type { JobLiveEvent, LiveEvents } from "../engine/live.ts";
import { blankInThread } from "../engine/rebuild-snapshot.ts";
import type { RegisterProjectsOptions } from "../engine/register-projects.ts";
import type { UnlockWords } from "../engine/unlock-words.ts";
import { openFiles } from "../host/files/files.ts";
import { openJobLog, openSessionLog } from "../host/files/job-log.ts";
import { openConfigurations } from "../host/files/kept-configurations.ts";
import { factsFor } from "../host/files/rule-facts.ts";
import { lookAtDirectory, openDecisionFiles, standingDirectory } from "../host/files/kept-files.ts";
import type { Results } from "../host/files/results.ts";
import { sessionFolders } from "../host/files/session-folders.ts";
import { openGit, ownersIgnoreFile } from "../host/git/git.ts";
import { openWorktrees } from "../host/git/worktrees.ts";
import { hasHooks, withoutHooks } from "../host/hooks/claude-settings.ts";
import { openHookFolder } from "../host/hooks/hook-folder.ts";
import { program, version, watchInstalled } from "../host/installed.ts";
import { agentEnvironment } from "../host/processes/environment.ts";
import { isDead, systemProcessTable } from "../host/processes/process-table.ts";
import { openClients } from "../ipc/clients.ts";
import { openDaemonIpc, type ClientMethods } from "../ipc/daemon.ts";
import { openHookServer } from "../ipc/hook-server.ts";
import type { IpcServer } from "../ipc/server.ts";
import type { AppFacts } from "../ipc/status.ts";
import { withReserve } from "../journal/reserve.ts";
import { knowSecrets, type Ground } from "./ground.ts";

/** What is there before the agents. */
interface BeforeAgents {
  engine: Engine;
  liveEvents: LiveEvents<JobLiveEvent>;
  results: Results;
  hooks: HookChannel;
  /** Null if there is no socket. */
  link: IpcServer | null;
}

/** @throws what the disk throws */
export async function runContext(ground: Ground, { link, ...before }: BeforeAgents): Promise<RunContext> {
  const { settings, configProjects, clock, time, redactor, env, reserve } = ground;
  const { stateDir, locale, logDir: directory } = settings;
  const { engine, hooks } = before;
  const log = ground.log.module("agents");
  const decisionFiles = await openDecisionFiles(withReserve(nodeDisk, reserve, "again"), stateDir);
  const configurations = await openConfigurations(withReserve(nodeDisk, reserve, "fails"), stateDir, {
    home: env["HOME"],
    needed: neededConfigurations(engine.state),
  });
  const drivers = openDrivers(ground, await openWindows(ground, engine, hooks, log));
  const forGit = { stateDir, clock, path: env["PATH"], ignoreFile: ownersIgnoreFile(env) };
  const git = openGit(forGit);
  const table = systemProcessTable();
  const openLog: RunContext["openLog"] = (jobId) =>
    openJobLog({
      directory,
      jobId,
      redactor,
      onFailure: (error) => ground.log.failure("a job's log cannot be written", error, { job_id: jobId }),
    });
  const context: RunContext = {
    ...before,
    machine: ground,
    decisionFiles,
    configurations,
    drivers,
    agents: livingAgents(ground, engine, link, () => context),
    clock,
    time,
    git,
    worktrees: openWorktrees({ ...forGit, git }),
    config: () => configProjects.config,
    log,
    locale,
    folders: sessionFolders(stateDir),
    openLog,
    steering: new Steering({ engine, log, openLog }),
    redactor,
    directoryAt: (path) => standingDirectory(path, stateDir),
    ruleFacts: (asked) => factsFor(engine.state, asked, claudeState(env)),
    isAlive(pid) {
      const row = table.read(pid);
      return row !== null && !isDead(row);
    },
    home: homeOf(env),
  };
  return context;
}

function livingAgents(ground: Ground, engine: Engine, link: IpcServer | null, context: () => RunContext): LivingAgents {
  const { settings, configProjects, clock, log, redactor } = ground;
  const folders = sessionFolders(settings.stateDir);
  return openLivingAgents({
    engine,
    ...outsideTurns(context),
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

/** What forgets sessions. @param closeHistory of the journal */
export function openForgettingOf(
  { settings: { stateDir, logDir }, clock, log, env }: Ground,
  { engine, agents }: RunContext,
  closeHistory: () => Promise<number>,
): Forgetting {
  return openForgetting({
    engine,
    clock,
    log: log.module("journal"),
    stateDir,
    logDir,
    closeHistory,
    blank: blankInThread,
    endAgent: (threadId) => agents.endAgent(threadId, "away"),
    recordsOf: (tool) => entryOf(recordFolders, tool)?.(env) ?? null,
  });
}

/** @param adopting takes Claudes that the owner has started himself */
export function daemonContext(
  ground: Ground,
  runs: RunContext,
  {
    adopting,
    forgetting,
    unlockWords,
  }: { adopting: Promise<Adopting | null>; forgetting: Forgetting; unlockWords: UnlockWords },
): DaemonContext {
  const { settings, time, known } = ground;
  const { engine, clock, config, redactor, drivers, hooks } = runs;
  const { locale, stateDir } = settings;
  return {
    engine,
    liveEvents: runs.liveEvents,
    clock,
    time,
    log: ground.log.module("discord"),
    locale,
    config,
    redactor,
    api: settings.discordApi,
    stateDir,
    pollIntervalMs: settings.pollIntervalMs,
    results: runs.results,
    decisionFiles: runs.decisionFiles,
    files: openFiles(stateDir),
    readDifference: runs.configurations.readDifference,
    home: runs.home,
    tools: knownTools(drivers, ground),
    agents: rememberAgents([...drivers.values()], ground.log, (found) => void (known.agents = found)),
    unlockWords,
    sessionAgents: runs.agents,
    checkDirectory: (path) => lookAtDirectory(path, { home: ground.env["HOME"], stateDir }),
    ruleFacts: runs.ruleFacts,
    recordConfigurationSeen: (name, path) => recordConfigurationSeen(runs, name, path),
    ready: (requestId) => readyStart(runs, requestId),
    assignThread: (requestId, threadId) => adopt(runs, requestId, threadId),
    takeClaude: async (claudeSession, requestId) => (await adopting)?.adopt(claudeSession, requestId) ?? null,
    attachCommand: (session) => attachCommand(engine.state, drivers.get(session.tool), session),
    conversations: openStoredConversations(runs),
    forgetting,
    statusLine: (threadId) => statusLine(engine.state, hooks, threadId),
  };
}

/** Null without a token. */
export function mainBot({ settings, servers, token, known }: Ground): ServedBot | null {
  if (token === null) return null;
  return {
    token,
    appId: settings.appId,
    guildId: settings.guildId ?? servers.main?.guildId,
    channelId: settings.channelId,
    panelId: servers.main?.panelId,
    onCondition: (condition) => void (known.condition = condition),
  };
}

/** The projects that the environment names, with the agents that were found, else with all. */
export function environmentProjects({ settings, log }: Ground, daemon: DaemonContext): RegisterProjectsOptions {
  return {
    projects: settings.projects,
    projectRoots: settings.projectRoots,
    locale: settings.locale,
    log: log.module("projects"),
    async tools() {
      const found = (await daemon.agents.lastFound()).filter((agent) => agent.found).map(({ tool }) => tool);
      return found.length > 0 ? found : daemon.tools.names;
    },
    inspectDirectory: daemon.checkDirectory,
  };
}

/** Opened before anything waits for Discord, because that is when people ask for the status. */
export function openSocket(
  ground: Ground,
  engine: Engine,
  liveEvents: LiveEvents<JobLiveEvent>,
  {
    methods,
    forgetting,
    unlockWords,
  }: { methods: ClientMethods; forgetting: Promise<Forgetting>; unlockWords: UnlockWords },
): Promise<IpcServer | null> {
  const { settings, env, clock, log, failures, configProjects, token, known } = ground;
  const installed = watchInstalled();
  const facts = (): AppFacts => ({
    installed: installed(),
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
  return openDaemonIpc({
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
    unlockWords,
    forget: async (threadId) => (await forgetting).forget(threadId),
    methods,
    redact: (value) => ground.redactor.value(value),
  });
}

/** Agents' clients and watchers, under the bots whose tokens they bring, and the time limits of what they ask. */
export function openClientsOf(
  { settings, configProjects, clock, time, log, redactor }: Ground,
  engine: Engine,
  bots: Promise<Bots>,
) {
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
  return { clients, expiry };
}

/**
 * The socket for Claude's hooks, once the drivers know which Claudes are theirs, and what offers those that belong to
 * no session. Without it Claude's hooks stay silent or wait, and everything else works; so a failure is only logged.
 * Null then.
 * @param who the bot that asks whether a Claude is taken
 */
export async function openHooks(ground: Ground, runs: RunContext, who: Promise<Who>): Promise<Adopting | null> {
  const { settings, clock, opened } = ground;
  const { engine, hooks } = runs;
  const log = ground.log.module("hooks");
  try {
    const folder = await openHookFolder(nodeDisk, settings.stateDir, { node: process.execPath, program: program() });
    const processes = systemProcessTable();
    const adopting = opened.add(
      await openAdoptions({ machine: ground, engine, log, hooks, table: processes, folder, asker: who }),
    );
    const asking = opened.add(openHookAsking({ ...runs, log }));
    opened.add(openScreenAsking({ ...runs, log }));
    opened.add(await openHookServer({ folder, channel: hooks, processes, clock, log, asking }));
    await warnAboutOutdatedHooks(ground, folder.path);
    return adopting;
  } catch (error) {
    log.failure("the socket for Claude's hooks cannot be opened", error);
    return null;
  }
}

/**
 * The settings of Claude keep the hooks as they were installed, whatever this version or `permission_tools` would make
 * of them.
 */
async function warnAboutOutdatedHooks(
  { env, settings: { locale }, configProjects, log }: Ground,
  folder: string,
): Promise<void> {
  const path = claudeSettings(env);
  try {
    const text = (await readWhole(nodeDisk, path))?.toString() ?? "{}";
    if (
      withoutHooks(text, folder, text) === text ||
      hasHooks(text, { folder, permissionTools: configProjects.config.permission_tools })
    )
      return;
    log.module("hooks").warn(`${say(locale, "doctor.hooks.old", { path })} ${say(locale, "doctor.hooks.mend")}`);
  } catch {
    // Settings that cannot be read have no hooks for Claude either; the doctor says so.
  }
}
