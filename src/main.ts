/**
 * Builds the house, wires its rooms, starts it and stops it: the only file that knows every room, and the only one
 * that decides in what order they open. Nothing is promised before the journal is read; nothing starts before what
 * an earlier daemon left running has been ended; and a journal that fails ends everything.
 */
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { claudeDriver } from "./agents/claude/driver.ts";
import { codexDriver } from "./agents/codex/driver.ts";
import type { Driver } from "./agents/driver.ts";
import { geminiDriver } from "./agents/gemini/driver.ts";
import { gatherEvidence } from "./agents/evidence.ts";
import { findAgents } from "./agents/found.ts";
import { openParking } from "./agents/parking.ts";
import type { RunnerOptions } from "./agents/means.ts";
import { openRunner } from "./agents/runner.ts";
import { systemClock, type Clock } from "./base/clock.ts";
import { nodeDisk } from "./base/disk.ts";
import type { BellhopError } from "./base/errors.ts";
import { openLog, type Log } from "./base/log.ts";
import { Redactor } from "./base/redact.ts";
import { Catalogue } from "./catalogue/catalogue.ts";
import { agreedOwner, type Environment, type Settings } from "./config/settings.ts";
import { tokenMissing } from "./config/token.ts";
import { openOf } from "./core/decision.ts";
import type { State } from "./core/house.ts";
import type { Rules } from "./core/job.ts";
import type { FoundAgent } from "./discord/greeting.ts";
import type { Room } from "./discord/room.ts";
import { openRooms, type Rooms } from "./discord/rooms.ts";
import type { Engine } from "./engine/engine.ts";
import { openJournaledEngine } from "./engine/journaled.ts";
import { createSignals, type JobSignal, type Signals } from "./engine/signals.ts";
import { openLapses } from "./engine/timers.ts";
import { openDecisionFiles, type DecisionFiles } from "./host/decision-files.ts";
import { lookAtDirectory } from "./host/directories.ts";
import { agentEnvironment, scrubbedEnvironment } from "./host/environment.ts";
import { openFiles } from "./host/files.ts";
import { openGit, ownersIgnoreFile } from "./host/git.ts";
import { openJobLog } from "./host/job-log.ts";
import { openProcesses, type Processes } from "./host/processes.ts";
import { openResults, type Results } from "./host/results.ts";
import type { Journal } from "./journal/journal.ts";
import { openStateDirectory } from "./journal/lock.ts";
import { openDaemonLink, rememberFailures, type FaceMethods, type Failures, type HouseFacts } from "./link/daemon.ts";
import { openFaces, type Faces } from "./link/faces.ts";

export interface House {
  /** Resolves when messages are accepted: the gateway is connected and the owner known. */
  readonly ready: Promise<{ bot_id: string; guild_id: string; owner_id: string }>;
  /** Resolves when the house cannot go on: a journal that failed, a token or intents refused. */
  readonly fatal: Promise<BellhopError>;
  /** Whether its own machinery still turns; a Discord that is away is no fault of it. */
  healthy(): boolean;
  /** Ends the agents, says what is still owed for a moment, closes the journal. */
  close(): Promise<void>;
}

export interface HouseOptions {
  settings: Settings;
  /** The daemon's environment, of which agents get what the allow-list names. */
  env: Environment;
  /** The umask the daemon was started with, for the files agents make. */
  umask: number;
  stderr: { write(text: string): unknown };
  clock?: Clock;
}

/** Prompts longer than this are refused; the agents take no more on their standard input in one piece. */
const MAX_PROMPT_CHARS = 200_000;

/** What every part of the house is built on, once the directory is ours. */
interface Ground {
  settings: Settings;
  env: Environment;
  clock: Clock;
  token: string;
  /** Every token that is known. */
  secrets: Set<string>;
  redactor: Redactor;
  log: Log;
  catalogue: Catalogue;
  processes: Processes;
  failures: Failures;
  /** What is told of the house to those who ask over the socket; filled as it becomes known. */
  told: { condition?: Room["condition"]; who?: { bot_id: string; guild_id: string; owner_id: string }; agents?: FoundAgent[] };
  /** Once begun, no job starts any more. */
  ending: { begun: boolean };
  /** What has to be shut, the last opened first. */
  opened: (() => Promise<void> | void)[];
}

/**
 * Opens the house; it is accepting messages when `ready` resolves.
 * @throws E_CONFIG_INVALID, E_DAEMON_RUNNING, E_JOURNAL_CORRUPT, E_JOURNAL_WRITE, E_TOKEN_REFUSED
 */
export async function openHouse(options: HouseOptions): Promise<House> {
  const opened: Ground["opened"] = [];
  const close = async (): Promise<void> => {
    for (const shut of opened.splice(0).reverse()) await shut();
  };
  try {
    const ground = await openGround(options, opened);
    const { engine, journal } = await openEngine(ground);
    opened.push(() => journal.close());
    await wake(ground, engine);
    const { log, settings } = ground;
    const signals = createSignals<JobSignal>();
    const rooms = Promise.withResolvers<Rooms>();
    const faces = openFacesOf(ground, engine, rooms.promise);
    await openSocket(ground, engine, signals, faces.methods);
    const results = await openResults(nodeDisk, settings.stateDir);
    const decisionFiles = await openDecisionFiles(nodeDisk, settings.stateDir);
    const drivers = openDrivers(ground);
    // Before the room: of all who are told of a started job, the one who starts its agent comes first.
    const forRunner = runnerOptions(ground, { engine, signals, results, decisionFiles, drivers });
    const runner = openRunner(forRunner);
    opened.push(() => runner.close());
    const parking = openParking({ engine, clock: ground.clock, log: log.room("agents") });
    opened.push(() => parking.close());
    const files = openFiles(settings.stateDir);
    const forRoom = roomSettings(ground, drivers);
    log.info("Bellhop begins", { version: version(), node: process.version, state_dir: settings.stateDir });
    rooms.resolve(openRooms({ own: { ...forRoom, engine, signals, results, decisionFiles, files }, secret: (token) => keepSecret(ground, token) }));
    opened.push(async () => (await rooms.promise).close());
    const room = await (await rooms.promise).openOwn();
    opened.push(() => room.close());
    const earlier = faces.importEarlier(room.botId);
    opened.push(() => earlier);
    opened.push(() => log.info("Bellhop ends"));
    ground.told.condition = () => room.condition();
    room.ready.then((who) => (log.info("messages are accepted", (ground.told.who = who)))).catch(() => undefined);
    const evidence = gatherEvidence(forRunner);
    opened.push(() => evidence);
    runner.start();
    parking.start();
    return { ready: room.ready, fatal: fatal(ground, engine, room), healthy: () => room.condition().healthy, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openGround({ settings, env, umask, stderr, clock = systemClock }: HouseOptions, opened: Ground["opened"]): Promise<Ground> {
  if (!settings.token) throw tokenMissing(settings.locale);
  const token = settings.token.value;
  const redactor = new Redactor([token]);
  const directory = await openStateDirectory(settings.stateDir);
  opened.push(() => directory.release());
  const failures = rememberFailures();
  const log = openLog({ directory: settings.logDir, stderr, redactor, clock, onFailure: failures.note });
  opened.push(() => log.close());
  for (const warning of settings.warnings) log.warn(warning);
  const catalogue = await Catalogue.open({
    disk: nodeDisk,
    path: join(settings.stateDir, "config.json"),
    locale: settings.locale,
    log: log.room("config"),
  });
  const processes = await openProcesses({ clock, umask });
  return { settings, env, clock, token, secrets: new Set([token]), redactor, log, catalogue, processes, failures, told: {}, ending: { begun: false }, opened };
}

/** Before anything waits for Discord: that is when people ask what is the matter. */
async function openSocket(ground: Ground, engine: Engine, signals: Signals<JobSignal>, methods: FaceMethods): Promise<void> {
  const { settings, env, clock, log, failures, catalogue, told, opened } = ground;
  const facts = (): HouseFacts => ({
    bot_id: told.who?.bot_id ?? null,
    guild_id: told.who?.guild_id ?? null,
    owner_id: told.who?.owner_id ?? null,
    gateway: told.condition?.() ?? null,
    agents: told.agents ?? null,
    max_running: catalogue.config.limits.global_max_running,
  });
  const { stateDir, logDir } = settings;
  const link = await openDaemonLink({ stateDir, logDir, runtimeDir: env["XDG_RUNTIME_DIR"], clock, log: log.room("link"), bellhop: version(), engine, signals, failures, facts, methods });
  opened.push(() => link?.close());
}

/** Agents' faces and watchers under the bots whose tokens they bring. */
function openFacesOf({ settings, catalogue, clock, log, opened }: Ground, engine: Engine, rooms: Promise<Rooms>): Faces {
  const faces = openFaces({
    engine,
    clock,
    log: log.room("link"),
    settings,
    lapseSeconds: () => catalogue.config.decision_lapse_s.question,
    async hold(token, channelId) {
      const { room, release } = await (await rooms).hold(token, channelId);
      const { botId: bot_id, guildId: guild_id, says, watch } = room;
      return { bot_id, guild_id, says, watch, phase: () => room.condition().phase, release };
    },
  });
  const lapses = openLapses({ engine, clock, log });
  opened.push(() => lapses.close(), () => faces.close());
  return faces;
}

/** From here on it stands in no log, no answer and no child's environment. */
function keepSecret({ redactor, secrets }: Ground, token: string): void {
  redactor.add([token]);
  secrets.add(token);
}

/** As package.json says, which stands above both `src/` and `dist/`. */
function version(): string {
  return (JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8")) as { version: string }).version;
}

/** The journal read, and the engine on it. */
function openEngine({ settings, catalogue, clock, log, ending }: Ground): Promise<{ engine: Engine; journal: Journal }> {
  const { snapshot_every_events, snapshot_every_seconds } = catalogue.config.limits;
  return openJournaledEngine({
    dir: settings.stateDir,
    disk: nodeDisk,
    clock,
    log,
    rhythm: { everyEvents: snapshot_every_events, everyMs: snapshot_every_seconds * 1000 },
    rules: () => ({ ...rulesOf(catalogue), ...(ending.begun && { global_max_running: 0 }) }),
  });
}

function rulesOf({ config }: Catalogue): Rules {
  return {
    max_queue_per_session: config.limits.max_queue_per_session,
    global_max_running: config.limits.global_max_running,
    after_crash: config.after_crash,
    max_prompt_chars: MAX_PROMPT_CHARS,
  };
}

/** Nothing of the daemon before may still run when anything new begins; then the restart is told to the core. */
async function wake({ settings, catalogue, processes, log, opened }: Ground, engine: Engine): Promise<void> {
  const recorded = Object.values(engine.state.threads).flatMap(({ busy_job }) => {
    const run = busy_job === null ? undefined : engine.state.runs[busy_job];
    return run?.pid && run.start_time ? [{ pid: run.pid, startTime: run.start_time }] : [];
  });
  const { ended, left } = await processes.sweep({ outputsRoot: outputsOf(settings), recorded });
  const host = log.room("host");
  if (ended > 0) host.warn("ended what an earlier daemon had left running", { processes: ended });
  for (const { pid } of left) host.warn("a process of an earlier daemon may still run", { pid });
  await engine.submit({ type: "wake" });
  await catalogue.keep(engine);
  opened.push(() => catalogue.close());
}

function outputsOf(settings: Settings): string {
  return join(settings.stateDir, "outputs");
}

/** From which environments of children are built; `pass_env` as it stands in the file now. */
function childEnvironment({ env, catalogue, secrets }: Ground): { from: Environment; passEnv: string[]; secrets: string[] } {
  return { from: env, passEnv: catalogue.config.pass_env, secrets: [...secrets] };
}

function openDrivers(ground: Ground): ReadonlyMap<string, Driver> {
  const { processes, clock, catalogue } = ground;
  const env = scrubbedEnvironment(childEnvironment(ground));
  const of = (tool: string) => {
    const command = catalogue.config.commands[tool];
    return { processes, clock, env, ...(command !== undefined && { command }) };
  };
  const drivers = [claudeDriver(of("claude")), codexDriver(of("codex")), geminiDriver({ ...of("gemini"), output: () => catalogue.config.gemini_output })];
  return new Map(drivers.map((driver) => [driver.tool, driver]));
}

function roomSettings({ settings, catalogue, clock, log, token, redactor, env, told }: Ground, drivers: ReadonlyMap<string, Driver>) {
  return {
    clock,
    log: log.room("discord"),
    token,
    own: true,
    redact: (text: string) => redactor.text(text),
    api: settings.discordApi,
    stateDir: settings.stateDir,
    opening: (condition: Room["condition"]) => void (told.condition = condition),
    locale: settings.locale,
    ownerId: agreedOwner(settings, catalogue.config.owner_id),
    guildId: settings.guildId,
    channelId: settings.channelId,
    pollIntervalMs: settings.pollIntervalMs,
    config: () => catalogue.config,
    agents: once(async () => (told.agents = await findAgents([...drivers.values()], log))),
    tools: [...drivers.keys()],
    refusesArgument: (tool: string, args: readonly string[]) => drivers.get(tool)?.refuses(args) ?? null,
    checkDirectory: (path: string) => lookAtDirectory(path, env["HOME"]),
  };
}

/** The same answer to everybody who asks; nothing is done before somebody does. */
function once<T>(ask: () => T): () => T {
  let answer: { value: T } | null = null;
  return () => (answer ??= { value: ask() }).value;
}

interface ForRunner {
  engine: Engine;
  signals: Signals<JobSignal>;
  results: Results;
  decisionFiles: DecisionFiles;
  drivers: ReadonlyMap<string, Driver>;
}

function runnerOptions(ground: Ground, rooms: ForRunner): RunnerOptions {
  const { settings, catalogue, clock, log, redactor, env } = ground;
  return {
    ...rooms,
    clock,
    git: openGit({ stateDir: settings.stateDir, clock, path: env["PATH"], ignoreFile: ownersIgnoreFile(env) }),
    log: log.room("agents"),
    locale: settings.locale,
    environment({ job_id, thread_id }) {
      const outputs = join(outputsOf(settings), thread_id);
      mkdirSync(outputs, { recursive: true, mode: 0o700 });
      return agentEnvironment({ ...childEnvironment(ground), outputs, session: thread_id, job: job_id });
    },
    grants: ({ thread_id, discord_message_id }) =>
      [join(outputsOf(settings), thread_id), join(settings.stateDir, "uploads", discord_message_id)].filter((folder) => existsSync(folder)),
    openLog: (jobId) =>
      openJobLog({
        directory: settings.logDir,
        jobId,
        redactor,
        onFailure: (error) => log.failure("a job's log cannot be written", error, { job_id: jobId }),
      }),
    redact: (text) => redactor.text(text),
    // As Latin-1 every byte comes back as it was.
    redactBytes: (bytes) => Buffer.from(redactor.text(bytes.toString("latin1")), "latin1"),
    redactStream: () => redactor.stream(),
    isDirectory: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
    lapseSeconds: (kind) => catalogue.config.decision_lapse_s[kind],
    limits: () => ({
      silenceMs: catalogue.config.limits.cli_timeout_sec * 1000,
      excerptChars: catalogue.config.limits.max_result_excerpt_chars,
    }),
  };
}

async function fatal({ ending, log }: Ground, engine: Engine, room: Room): Promise<BellhopError> {
  const refused = room.refused.then(async (error) => {
    ending.begun = true;
    log.warn("Discord refuses us: jobs that run are let finish and their answers kept, then the daemon ends", { error_code: error.code });
    await engine.until((state) => !Object.values(state.threads).some(({ busy_job }) => works(state, busy_job)));
    return error;
  });
  const error = await Promise.race([engine.failed, refused]);
  log.failure("the daemon cannot go on", error);
  if (error.code === "E_JOURNAL_WRITE") await room.lastWords(error);
  return error;
}

/** Whether it goes on by itself; one that waits for an answer would wait for ever. */
function works(state: State, jobId: string | null): boolean {
  return jobId !== null && state.jobs[jobId]?.state === "running" && openOf(state, jobId).length === 0;
}
