/** Opens Bellhop in order and closes it in reverse: the only file that knows every part. */
import type { Adopting } from "../agents/tmux/adoption.ts";
import type { RunContext } from "../agents/run/run-context.ts";
import { outsideTurns } from "../agents/run/outside-turn.ts";
import { gatherEvidence, recoverAnswers } from "../agents/run/conclusion.ts";
import { openWantedWindows, readyLeftStarts, openLimitWait } from "../agents/run/starts.ts";
import { openRunner, type Runner } from "../agents/run/runner.ts";
import { openPutAway } from "../agents/run/worktrees/put-away.ts";
import { importEarlierThreads } from "../agents/run/worktrees/earlier-threads.ts";
import { watchWorktrees } from "../agents/run/worktrees/workplace.ts";
import { nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import { neededConfigurations } from "../core/projects/seen.ts";
import { openBots, type Bots } from "../discord/bots.ts";
import { createHookChannel, type HookChannel } from "../engine/hook-channel.ts";
import { registerNamed } from "../engine/register-projects.ts";
import { createLiveEvents, type JobLiveEvent } from "../engine/live.ts";
import { openConfigurations } from "../host/files/kept-configurations.ts";
import { openDecisionFiles } from "../host/files/kept-files.ts";
import { openResults } from "../host/files/results.ts";
import { withReserve } from "../journal/reserve.ts";
import { keepSecret, knowSecrets, openGround, version, type AppOptions, type Ground, type Who } from "./ground.ts";
import { fatal, openEngine, afterRestart } from "./lifecycle.ts";
import { openHooks } from "./hooks.ts";
import {
  environmentProjects,
  openAgents,
  openDrivers,
  openClientsOf,
  openSocket,
  daemonContext,
  mainBot,
  runDependencies,
} from "./compose.ts";
import { openServing } from "./serving.ts";
import { openWindows, startupThreads, takeUpWindows } from "./windows.ts";

export interface App {
  /**
   * Resolves when messages are accepted: the gateway is connected and the owner known; null if only clients are served.
   */
  readonly ready: Promise<Who | null>;
  /** Resolves when Bellhop cannot continue: the journal failed, or the token or intents were refused. */
  readonly fatal: Promise<BellhopError>;
  /** Resolves when a daemon with a bot of its own wants to take over. */
  readonly aside: Promise<void>;
  /** Whether its own parts still work; an unreachable Discord does not count. */
  healthy(): boolean;
  /** Ends the agents, allows a moment for missing posts, closes the journal. */
  close(): Promise<void>;
}

/**
 * Opens Bellhop; it is accepting messages when `ready` resolves.
 * @throws E_CONFIG_INVALID, E_DAEMON_RUNNING, E_JOURNAL_CORRUPT, E_JOURNAL_WRITE, E_TOKEN_REFUSED
 */
export async function openApp(options: AppOptions): Promise<App> {
  const opened: Ground["opened"] = [];
  const close = async (): Promise<void> => {
    for (const shut of opened.splice(0).reverse()) await shut();
  };
  let begun: Ground | null = null;
  try {
    const ground = knowSecrets((begun = await openGround(options, opened)));
    const { engine, journal } = await openEngine(ground);
    opened.push(() => journal.close());
    const { log, settings } = ground;
    const results = await openResults(withReserve(nodeDisk, ground.reserve, "fails"), settings.stateDir);
    await afterRestart(ground, engine, results);
    const liveEvents = createLiveEvents<JobLiveEvent>();
    // Whoever drives a Claude in a terminal takes its hooks from here.
    const hooks = createHookChannel();
    const bots = Promise.withResolvers<Bots>();
    const adopting = Promise.withResolvers<Adopting | null>();
    const clients = openClientsOf(ground, engine, bots.promise);
    const link = await openSocket(ground, engine, liveEvents, clients.methods);
    const { forRunner, runner } = await openWork(ground, link, hooks, { engine, liveEvents, results });
    const daemon = daemonContext(ground, forRunner, hooks, adopting.promise);
    log.info("Bellhop begins", { version: version(), node: process.version, state_dir: settings.stateDir });
    bots.resolve(openBots(daemon, { main: mainBot(ground), secret: (token) => keepSecret(ground, token) }));
    opened.push(async () => (await bots.promise).close());
    const serving = await openServing(ground, engine, await bots.promise);
    opened.push(() => serving?.close());
    opened.push(() => log.info("Bellhop ends"));
    const aside = ground.aside.promise;
    if (serving === null) {
      log.info("Bellhop has no bot of its own: it serves only agents' questions");
      return { ready: Promise.resolve(null), fatal: engine.failed, aside, healthy: () => true, close };
    }
    serving.ready.then((who) => log.info("messages are accepted", (ground.known.who = who))).catch(() => undefined);
    await begin(ground, forRunner, runner, environmentProjects(ground, forRunner.drivers, daemon.agents));
    adopting.resolve(await openHooks(ground, hooks, forRunner, serving.ready));
    keepUp(ground, forRunner);
    return {
      ready: serving.ready,
      fatal: fatal(ground, engine, serving),
      aside,
      healthy: () => serving.healthy(),
      close,
    };
  } catch (error) {
    // The caller prints the error to the terminal; the log would not contain it otherwise.
    if (error instanceof BellhopError && error.code === "E_TOKEN_REFUSED")
      begun?.log.failure(say(options.settings.locale, error.code), error);
    await close();
    throw error;
  }
}

/** All that runs agents. Its watchers come before the bot's: the one that starts a job's agent must come first. */
async function openWork(
  ground: Ground,
  link: Parameters<typeof openAgents>[2],
  hooks: HookChannel,
  parts: Pick<RunContext, "engine" | "liveEvents" | "results">,
) {
  const { settings, env, reserve, opened } = ground;
  const { engine } = parts;
  const decisionFiles = await openDecisionFiles(withReserve(nodeDisk, reserve, "again"), settings.stateDir);
  const configurations = await openConfigurations(withReserve(nodeDisk, reserve, "fails"), settings.stateDir, {
    home: env["HOME"],
    needed: neededConfigurations(engine.state),
  });
  const drivers = openDrivers(ground, await openWindows(ground, engine, hooks));
  const agents = openAgents(
    ground,
    engine,
    link,
    outsideTurns(() => forRunner),
  );
  opened.push(() => agents.close());
  ground.known.living = () => agents.living();
  const forRunner = runDependencies(ground, { ...parts, decisionFiles, configurations, drivers, agents, hooks });
  await recoverAnswers(forRunner);
  const runner = openRunner(forRunner);
  opened.push(() => runner.close());
  return { forRunner, runner };
}

/** Goes on with what an earlier daemon left, and takes up what waits. */
async function begin(
  ground: Ground,
  forRunner: RunContext,
  runner: Runner,
  projects: ReturnType<typeof environmentProjects>,
): Promise<void> {
  const { log, opened } = ground;
  const evidence = gatherEvidence(forRunner);
  const registered = registerNamed(forRunner.engine, projects).catch((error: unknown) =>
    log.failure("the environment's projects cannot be registered", error),
  );
  opened.push(
    () => evidence,
    () => registered,
  );
  runner.start();
  readyLeftStarts(forRunner);
  await takeUpWindows(ground, forRunner);
}

/** Keeps windows, worktrees and waits for a limit as they are wanted from now on. */
function keepUp(ground: Ground, forRunner: RunContext): void {
  const { engine } = forRunner;
  const wantedWindows = openWantedWindows(forRunner, startupThreads(ground.configProjects.config, engine.state));
  const worktrees = [watchWorktrees(forRunner), openPutAway(forRunner)];
  const limitWait = openLimitWait(forRunner);
  limitWait.start();
  ground.opened.push(
    () => wantedWindows.close(),
    () => limitWait.close(),
    async () => void (await Promise.all(worktrees.map((one) => one.close()))),
  );
  importEarlierThreads(forRunner).catch(
    (error: unknown) =>
      engine.over || ground.log.failure("the threads of an earlier bridge could not be taken over", error),
  );
}
