/** Opens Bellhop in order and closes it in reverse: the only file that knows every part. */
import { afterRestart } from "../agents/left-behind.ts";
import { gatherEvidence, recoverAnswers } from "../agents/run/conclusion.ts";
import { openRunner } from "../agents/run/runner.ts";
import { openLimitWait, openWantedWindows, readyLeftStarts } from "../agents/run/starts.ts";
import { startupThreads, takeUpWindows } from "../agents/run/windows.ts";
import { importEarlierThreads } from "../agents/run/worktrees/earlier-threads.ts";
import { openPutAway } from "../agents/run/worktrees/put-away.ts";
import { watchWorktrees } from "../agents/run/worktrees/workplace.ts";
import type { Adopting } from "../agents/tmux/adoption.ts";
import { nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { say } from "../base/words/say.ts";
import type { Who } from "../discord/bot.ts";
import { openBots, type Bots } from "../discord/bots.ts";
import { OwnBots } from "../discord/serving.ts";
import type { Forgetting } from "../engine/forgetting.ts";
import { createHookChannel } from "../engine/hook-channel.ts";
import { createLiveEvents, type JobLiveEvent } from "../engine/live.ts";
import { registerNamed } from "../engine/register-projects.ts";
import { openUnlockWords } from "../engine/unlock-words.ts";
import { openResults } from "../host/files/results.ts";
import { version } from "../host/installed.ts";
import { withReserve } from "../journal/reserve.ts";
import {
  daemonContext,
  environmentProjects,
  mainBot,
  openClientsOf,
  openForgettingOf,
  openHooks,
  openSocket,
  runContext,
} from "./compose.ts";
import { keepSecret, knowSecrets, Opened, openGround, type AppOptions, type Ground } from "./ground.ts";
import { fatal, knowOwner, openEngine } from "./lifecycle.ts";

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
  const opened = new Opened();
  let begun: Ground | null = null;
  try {
    begun = knowSecrets(await openGround(options, opened));
    return await openParts(begun);
  } catch (error) {
    // The caller prints the error to the terminal; the log would not contain it otherwise.
    if (error instanceof BellhopError && error.code === "E_TOKEN_REFUSED")
      begun?.log.failure(say(options.settings.locale, error.code), error);
    await opened.close();
    throw error;
  }
}

/** What is added to `opened` is closed in reverse order. */
async function openParts(ground: Ground): Promise<App> {
  const { settings, log, known, configProjects, opened } = ground;

  // The state. Nothing is accepted before the journal is read and what an earlier daemon left has ended.
  const { engine, journal, closeHistory } = await openEngine(ground);
  opened.add(journal);
  const results = await openResults(withReserve(nodeDisk, ground.reserve, "fails"), settings.stateDir);
  await afterRestart(ground, { engine, results, log: log.module("host") });
  await knowOwner(ground, engine);
  await configProjects.startSyncing(engine);
  opened.add(configProjects);

  // The socket.
  const liveEvents = createLiveEvents<JobLiveEvent>();
  const bots = Promise.withResolvers<Bots>();
  const { clients, expiry } = openClientsOf(ground, engine, bots.promise);
  opened.add(expiry);
  opened.add(clients);
  const unlockWords = openUnlockWords({ engine, clock: ground.clock, disk: nodeDisk, stateDir: settings.stateDir });
  const forgetting = Promise.withResolvers<Forgetting>();
  const faced = { methods: clients.methods, forgetting: forgetting.promise, unlockWords };
  const link = await openSocket(ground, engine, liveEvents, faced);
  opened.add({ close: () => link?.close() });

  // All that runs agents. Its watchers come before the bots': the one that starts a job's agent must come first.
  const hooks = createHookChannel();
  const runs = await runContext(ground, { engine, liveEvents, results, hooks, link });
  opened.add(runs.agents);
  known.living = () => runs.agents.living();
  await recoverAnswers(runs);
  const runner = opened.add(openRunner(runs));

  // The bots.
  const adopting = Promise.withResolvers<Adopting | null>();
  const forgets = opened.add(openForgettingOf(ground, runs, closeHistory));
  forgetting.resolve(forgets);
  const daemon = daemonContext(ground, runs, { adopting: adopting.promise, forgetting: forgets, unlockWords });
  log.info("Bellhop begins", { version: version(), node: process.version, state_dir: settings.stateDir });
  const all = opened.add(openBots(daemon, { main: mainBot(ground), secret: (token) => keepSecret(ground, token) }));
  bots.resolve(all);
  const own = new OwnBots(daemon, all, ground.servers.others);
  known.servers = () => own.status;
  const serving = await own.open();
  opened.add({ close: () => serving?.close() });
  opened.add({ close: () => log.info("Bellhop ends") });
  const ends = { aside: ground.aside.promise, close: () => opened.close() };
  if (serving === null) {
    log.info("Bellhop has no bot of its own: it serves only agents' questions");
    return { ...ends, ready: Promise.resolve(null), fatal: engine.failed, healthy: () => true };
  }
  serving.ready.then((who) => log.info("messages are accepted", (known.who = who))).catch(() => undefined);

  // What an earlier daemon left goes on, and what waits is taken up.
  const evidence = gatherEvidence(runs);
  const registered = registerNamed(engine, environmentProjects(ground, daemon)).catch((error: unknown) =>
    log.failure("the environment's projects cannot be registered", error),
  );
  opened.add({ close: () => evidence });
  opened.add({ close: () => registered });
  runner.start();
  readyLeftStarts(runs);
  await opened.add(takeUpWindows(runs)).whenIdle();
  adopting.resolve(await openHooks(ground, runs, serving.ready));

  // Windows, worktrees and waits for a limit are kept as they are wanted from now on.
  opened.add(openWantedWindows(runs, startupThreads(runs)));
  const worktrees = [watchWorktrees(runs), openPutAway(runs)];
  opened.add(openLimitWait(runs)).start();
  opened.add({ close: () => Promise.all(worktrees.map((one) => one.close())) });
  importEarlierThreads(runs).catch(
    (error: unknown) => engine.over || log.failure("the threads of an earlier bridge could not be taken over", error),
  );
  return { ...ends, ready: serving.ready, fatal: fatal(ground, engine, serving), healthy: () => serving.healthy() };
}
