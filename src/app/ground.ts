/**
 * What every part of Bellhop is built on: the settings, the log, the secrets it omits, config.json, and what has to be
 * closed again, in reverse order of opening.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, type MachineContext } from "../agents/process/machine.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { openDiscordTime, type DiscordTime } from "../base/discord-time.ts";
import { nodeDisk } from "../base/disk.ts";
import type { ErrorDetails } from "../base/errors.ts";
import { openLog, type Log } from "../base/log.ts";
import { Redactor } from "../base/redact.ts";
import { ConfigProjects } from "../engine/config-projects.ts";
import type { LiveAgent } from "../engine/live.ts";
import { readServers, type Servers } from "../config/session-settings.ts";
import type { Environment, Settings } from "../config/settings.ts";
import type { FoundAgent } from "../discord/api/bot-context.ts";
import type { Bot, Who } from "../discord/bot.ts";
import { secretValues } from "../host/processes/environment.ts";
import { openProcesses } from "../host/processes/processes.ts";
import { openStateDirectory } from "../journal/lock.ts";
import { openReserve, type Reserve } from "../journal/reserve.ts";
import { rememberFailures, type Failures } from "../ipc/daemon.ts";
import type { ServerStatus } from "../ipc/status.ts";

export interface AppOptions {
  /** Without a token the daemon has no bot of its own, runs no agents, and serves only clients that bring one. */
  settings: Settings;
  /** The daemon's environment; agents get the variables that the allow-list names. */
  env: Environment;
  /** The umask the daemon was started with, for files that agents create. */
  umask: number;
  stderr: { write(text: string): unknown };
  clock?: Clock;
}

/** What is open. It is closed in reverse order. */
export class Opened {
  readonly #all: { close(): unknown }[] = [];

  add<T extends { close(): unknown }>(one: T): T {
    this.#all.push(one);
    return one;
  }

  async close(): Promise<void> {
    for (const one of this.#all.splice(0).reverse()) await one.close();
  }
}

/** What every part of Bellhop is built on, once we own the state directory. */
export interface Ground extends MachineContext {
  time: DiscordTime;
  token: string | null;
  redactor: Redactor;
  log: Log;
  /** What the journal has left on a full disk. */
  reserve: Reserve;
  failures: Failures;
  /** What the socket reports about the daemon; filled as it becomes known. */
  known: {
    condition?: Bot["condition"];
    who?: Who;
    agents?: FoundAgent[];
    living(): readonly LiveAgent[];
    servers(): ServerStatus[];
  };
  /** Of config.json, as it was at the start. */
  servers: Servers;
  /** Once true, no more jobs start. */
  ending: { begun: boolean };
  aside: PromiseWithResolvers<void>;
  opened: Opened;
}

export async function openGround(
  { settings, env, umask, stderr, clock = systemClock }: AppOptions,
  opened: Opened,
): Promise<Ground> {
  const token = settings.token?.value ?? null;
  const secrets = new Set(token === null ? [] : [token]);
  const redactor = new Redactor([...secrets]);
  const directory = await openStateDirectory(settings.stateDir);
  opened.add({ close: () => directory.release() });
  const failures = rememberFailures();
  const log = openLog({ directory: settings.logDir, stderr, redactor, clock, onFailure: failures.addFailure });
  opened.add(log);
  for (const warning of settings.warnings) log.warn(warning);
  const reserve = await openReserve({
    dir: settings.stateDir,
    disk: nodeDisk,
    clock,
    onNotice: (kind, details) => tellOfReserve(log.module("journal"), kind, details),
  });
  opened.add(reserve);
  const configProjects = await ConfigProjects.open({
    disk: nodeDisk,
    path: join(settings.stateDir, "config.json"),
    locale: settings.locale,
    clock,
    log: log.module("config"),
  });
  const servers = readServers(configProjects.config, settings, token);
  const ground: Ground = {
    settings,
    env,
    clock,
    time: openDiscordTime(clock),
    token,
    secrets,
    redactor,
    log,
    reserve,
    configProjects,
    processes: openProcesses({ clock, umask }),
    failures,
    known: { living: () => [], servers: () => [] },
    servers,
    ending: { begun: false },
    aside: Promise.withResolvers(),
    opened,
  };
  for (const { token: theirs } of servers.others.flatMap((server) => ("token" in server ? [server] : [])))
    keepSecret(ground, theirs);
  return ground;
}

function tellOfReserve(log: Log, kind: "full" | "made" | "aside" | "unmade", details: ErrorDetails): void {
  if (kind === "full")
    log.warn("the disk is full: nothing new starts until there is room", { error_code: "E_DISK_FULL", ...details });
  else if (kind === "made") log.info("the disk has room again", details);
  else if (kind === "aside") log.warn("something else stood in the place of the reserve and was set aside", details);
  else log.warn("the reserve for a full disk cannot be made", details);
}

/** Keeps the token out of every log, answer and child environment from now on. */
export function keepSecret({ redactor, secrets }: Ground, token: string): void {
  redactor.add([token]);
  secrets.add(token);
}

/** Redacts the values that agents receive, because agents may print them. Repeated later for the current `pass_env`. */
export function knowSecrets(ground: Ground): Ground {
  const more = Object.values(ground.configProjects.config.acp_agents).flatMap(({ env = [] }) => env);
  return (ground.redactor.add(secretValues(childEnvironment(ground, more), existsSync)), ground);
}
