/**
 * `bellhop doctor`: checks everything from the settings to the agents, and says how to fix each thing that is wrong.
 * Every check is in the module that it is about; this runs them all at once and changes nothing, unless `--fix` lets it
 * repair what is Bellhop's own.
 */
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { errnoOf, nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { type Finding, failedFinding } from "../base/finding.ts";
import { silentLog } from "../base/log.ts";
import { jsonForTerminal } from "../base/terminal-text.ts";
import { say, sayWithReason, sayState, type Locale } from "../base/words/say.ts";
import { checkAgents, tryPrompt } from "../agents/contract/found-agents.ts";
import type { Driver } from "../agents/contract/driver.ts";
import { agentsHere } from "../agents/drivers.ts";
import { checkConfig, type Config } from "../config/config-file.ts";
import { firstToken, readServers, type Server, type OtherServer } from "../config/session-settings.ts";
import { type Settings, givenValues } from "../config/settings.ts";
import { checkNetwork, checkBot } from "../discord/check-bot.ts";
import { ConfigProjects } from "../engine/config-projects.ts";
import { checkDisk } from "../host/check-disk.ts";
import { checkTmux } from "../host/terminal/check-tmux.ts";
import { checkJournal } from "../journal/verify.ts";
import { checkReserve } from "../journal/reserve.ts";
import { localTime, zoneOf } from "./terminal/time.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { checkHooks } from "./hooks.ts";
import { readOptions } from "./options.ts";
import { checkService } from "./unit.ts";
import { thisMachine } from "./unit/machine.ts";
import { existsSync, readFileSync, statSync } from "node:fs";
import { parseDotenv } from "../config/env-files.ts";
import { configHome, platformState, TOKEN_NAMES } from "../config/homes.ts";
import { clearStale, readAddress, removeStaleAddress } from "../host/socket-path.ts";
import { lockHolder, takeLock } from "../journal/lock.ts";
import { openCaller } from "../client/call.ts";
import type { DaemonStatus } from "../ipc/status.ts";
import { whyAway } from "./status.ts";
import { chmod } from "node:fs/promises";
import { lookAtDirectory } from "../host/files/kept-files.ts";
import { envFilesHere, settingsHere } from "./start/settings-here.ts";

const SOMETHING_WRONG = 1;

/** @param argv `[--json] [--fix] [--round-trip]` */
export async function doctor(argv: readonly string[], io: Io): Promise<number> {
  const {
    json = false,
    fix = false,
    "round-trip": trip = false,
  } = readOptions(argv, {
    json: { type: "boolean" },
    fix: { type: "boolean" },
    "round-trip": { type: "boolean" },
  }).values;
  // Nothing else keeps the process alive while it waits for Discord.
  const alive = setInterval(() => undefined, 2 ** 30);
  try {
    if (trip && !json) io.stderr.write(`${say(localeOf(io.env), "doctor.trip.asking")}\n`);
    let findings = await findAll(io, trip && !fix);
    const mended = fix ? await mend(io, findings) : [];
    if (fix && (trip || mended.length > 0)) findings = await findAll(io, trip);
    tell(io, findings, mended, json);
    return findings.some(({ verdict }) => verdict === "bad") ? SOMETHING_WRONG : 0;
  } finally {
    clearInterval(alive);
  }
}

/** What was repaired; for the rest it says why not. */
async function mend(io: Io, findings: readonly Finding[]): Promise<Finding[]> {
  const mended: Finding[] = [];
  for (const finding of findings) {
    if (finding.fix === undefined) continue;
    try {
      await finding.fix();
      mended.push(finding);
    } catch (error) {
      const why = error instanceof BellhopError ? say(localeOf(io.env), error.code, error.details) : errnoOf(error);
      io.stderr.write(`${say(localeOf(io.env), "doctor.unmended", { check: finding.check, why })}\n`);
    }
  }
  return mended;
}

async function findAll(io: Io, trip: boolean): Promise<Finding[]> {
  const { findings: ofSettings, settings: given } = checkSettings(io);
  if (given === null) return ofSettings;
  const { stateDir, locale } = given;
  const { findings: ofConfig, config } = await checkConfig(join(stateDir, "config.json"), locale);
  const main = mainServer(config, given);
  const settings = {
    ...given,
    token: given.token ?? firstToken(config, given),
    guildId: given.guildId ?? main?.guildId,
  };
  const { token } = settings;
  const findings = ofSettings.filter(({ says }) => token === undefined || says !== "doctor.token.none");
  const groups = await Promise.all([
    checkNetwork({ api: settings.discordApi, env: io.env, clock: systemClock }),
    token === undefined
      ? []
      : checkBot({ ...settings, token: token.value, api: settings.discordApi, panelId: main?.panelId }),
    checkServers(config, settings),
    checkNamed(io, settings),
    checkDaemon(io, stateDir),
    checkService(thisMachine(io), settings.logDir),
    agents(io, settings, config, trip),
    checkTmux(io.env),
    checkHooks(io, stateDir),
    checkJournal(stateDir),
    checkDisk(stateDir),
    checkReserve(stateDir),
  ]);
  return [...findings, ...ofConfig, ...groups.flat()];
}

/** The main bot's server, if config.json has it. */
function mainServer(config: Config, settings: Settings): Server | undefined {
  try {
    return readServers(config, settings, (settings.token ?? firstToken(config, settings))?.value ?? null).main;
  } catch {
    // The check of the servers says it.
    return undefined;
  }
}

async function agents(io: Io, settings: Settings, { projects }: Config, trip: boolean): Promise<Finding[]> {
  const { stateDir, locale } = settings;
  const configProjects = await ConfigProjects.open({
    disk: nodeDisk,
    path: join(stateDir, "config.json"),
    locale,
    clock: systemClock,
    log: silentLog,
  }).catch(() => null);
  // The check of config.json says what is wrong with it.
  if (configProjects === null) return [];
  const { drivers, environment } = agentsHere(io.env, configProjects, settings);
  const ask = trip ? (driver: Driver) => tryPrompt(driver, environment(driver.tool), systemClock) : undefined;
  return checkAgents(drivers, new Set(Object.values(projects).map(({ default_tool }) => default_tool)), ask);
}

const signs = { good: "✓", warn: "!", bad: "✗", idle: "-" };

function tell(io: Io, findings: readonly Finding[], mended: readonly Finding[], json: boolean): void {
  const locale = localeOf(io.env);
  if (json) {
    const lines = findings.map((finding) => ({
      check: finding.check,
      verdict: finding.verdict,
      says: sentence(finding, io),
      mend: mendOf(finding, io),
      fixable: finding.fix !== undefined,
    }));
    io.stdout.write(
      `${jsonForTerminal({ ok: !findings.some(({ verdict }) => verdict === "bad"), mended: mended.map(({ check }) => check), findings: lines })}\n`,
    );
    return;
  }
  for (const { check } of mended) io.stdout.write(`${say(locale, "doctor.mended", { check })}\n`);
  for (const finding of findings) {
    io.stdout.write(`${signs[finding.verdict]} ${sentence(finding, io)}\n`);
    const mend = mendOf(finding, io);
    if (mend !== null) io.stdout.write(`    → ${mend}\n`);
  }
  const wrong = findings.filter(({ verdict }) => verdict === "bad").length;
  io.stdout.write(`${wrong === 0 ? say(locale, "doctor.all_good") : say(locale, "doctor.wrong", { count: wrong })}\n`);
}

function sentence({ says, args = {} }: Finding, io: Io): string {
  return asTyped(io, sayWithReason(localeOf(io.env), says, args));
}

function mendOf({ mend, fix }: Finding, io: Io): string | null {
  const locale = localeOf(io.env);
  if (mend !== undefined) return asTyped(io, say(locale, mend.says, mend.args));
  return fix === undefined ? null : asTyped(io, say(locale, "doctor.fixable"));
}

/* The daemon: whether it runs, answers and hears Discord, and whether there is only one of them. */

const PATIENCE_MS = 2_500;
/** Discord's heartbeat is answered every 40 seconds. */
const SILENT_MS = 120_000;

export async function checkDaemon(io: Io, stateDir: string): Promise<Finding[]> {
  try {
    return await daemons(io, stateDir);
  } catch (error) {
    return [failedFinding("daemon", error)];
  }
}

async function daemons({ env }: Io, stateDir: string): Promise<Finding[]> {
  const holders = stateDirs(env, stateDir).flatMap((dir) => {
    const holder = existsSync(dir) ? lockHolder(dir) : undefined;
    return holder === undefined ? [] : [{ dir, pid: holder.pid }];
  });
  const [first, second] = holders;
  const two: Finding[] =
    first && second
      ? [
          {
            check: "daemons",
            verdict: "bad",
            says: "doctor.daemons.two",
            args: { first: first.pid, dir: first.dir, second: second.pid, other: second.dir },
            mend: { says: "doctor.daemons.mend" },
          },
        ]
      : [];
  const own = holders.find(({ dir }) => dir === stateDir);
  if (own === undefined)
    return [
      { check: "daemon", verdict: "warn", ...whyNone(stateDir), mend: { says: "doctor.daemon.none.mend" } },
      ...(await leftBehind(stateDir)),
      ...two,
    ];
  return [...(await heardFrom(stateDir, own.pid, localeOf(env))), ...two];
}

/** Somebody who tries the sandbox sees a daemon run. */
function whyNone(stateDir: string): Pick<Finding, "says" | "args"> {
  const sandbox = join(stateDir, "sandbox");
  const holder = existsSync(sandbox) ? lockHolder(sandbox) : undefined;
  return holder === undefined
    ? { says: "doctor.daemon.none" }
    : { says: "doctor.daemon.sandbox", args: { pid: holder.pid } };
}

/** What a daemon that was killed leaves. */
async function leftBehind(stateDir: string): Promise<Finding[]> {
  const address = await readAddress(stateDir).catch(() => undefined);
  if (address === undefined) return [];
  return [
    {
      check: "leftovers",
      verdict: "warn",
      says: "doctor.leftovers",
      args: { pid: address.pid },
      fix: () => removeLeft(stateDir, address.socket),
    },
  ];
}

/** Under the lock, so that it cannot be a new daemon's. Taking the lock removes the dead daemon's. */
async function removeLeft(stateDir: string, socket: string): Promise<void> {
  const lock = takeLock(stateDir);
  try {
    await clearStale(socket);
    await removeStaleAddress(stateDir);
  } finally {
    lock.release();
  }
}

async function heardFrom(stateDir: string, pid: number, locale: Locale): Promise<Finding[]> {
  try {
    const { gateway, version, installed, locked } = await status(stateDir);
    const isWell = gateway?.phase === "live" && gateway.heard_ms < SILENT_MS && gateway.healthy;
    const running: Finding = installed
      ? {
          check: "daemon",
          verdict: "warn",
          says: "doctor.daemon.updated",
          args: { version, pid, installed },
          mend: { says: "doctor.daemon.updated.mend" },
        }
      : { check: "daemon", verdict: "good", says: "doctor.daemon", args: { version, pid } };
    const connection: Finding = isWell
      ? running
      : {
          check: "daemon",
          verdict: "bad",
          says: "doctor.daemon.deaf",
          args: { pid, why: (gateway && whyAway(gateway, locale)) ?? sayState(locale, gateway?.phase ?? "-") },
          mend: { says: "doctor.daemon.deaf.mend" },
        };
    return locked == null ? [connection] : [connection, lockedFinding(locked, zoneOf(stateDir))];
  } catch (error) {
    if (error instanceof BellhopError && error.code === "E_LINK_REFUSED") return [failedFinding("daemon", error)];
    return [
      {
        check: "daemon",
        verdict: "bad",
        says: "doctor.daemon.mute",
        args: { pid, dir: stateDir },
        mend: { says: "doctor.daemon.mute.mend", args: { pid } },
      },
    ];
  }
}

function lockedFinding(since: string, zone: string | undefined): Finding {
  const args = { since: localTime(since, zone) };
  return { check: "lock", verdict: "warn", says: "doctor.locked", args, mend: { says: "doctor.locked.mend" } };
}

async function status(stateDir: string): Promise<DaemonStatus> {
  const caller = await openCaller({ stateDir, role: "cli", clock: systemClock, welcomeMs: PATIENCE_MS });
  try {
    return (await withinTime(caller.call("status", {}))) as DaemonStatus;
  } finally {
    caller.close();
  }
}

function withinTime<T>(answer: Promise<T>): Promise<T> {
  return Promise.race([
    answer,
    new Promise<never>((_, reject) => systemClock.after(PATIENCE_MS, () => reject(new Error("late")))),
  ]);
}

/** Where a daemon of this user may be, the settings' own directory first. */
function stateDirs(env: Io["env"], own: string): string[] {
  const folder = join(configHome(env), "bellhop");
  const named = ["service.env", ".env"].flatMap((name) => {
    const file = join(folder, name);
    return existsSync(file) ? (parseDotenv(readFileSync(file, "utf8")).values.get("STATE_DIR") ?? []) : [];
  });
  return [...new Set([own, ...named, join(platformState(env), "bellhop")])];
}

/* The settings that are read here, the files with the tokens, and the bot of each further server of config.json. */

/** `settings`: null if they cannot be read even without the token. */
export function checkSettings(io: Io): { findings: Finding[]; settings: Settings | null } {
  try {
    const settings = settingsHere(io, "nothing");
    const warnings = [
      ...settings.warnings.map((text): Finding => ({
        check: "settings",
        verdict: "warn",
        says: "doctor.as_it_is",
        args: { text },
      })),
      ...openFiles(io),
    ];
    if (settings.token === undefined)
      return {
        findings: [
          ...warnings,
          { check: "token", verdict: "bad", says: "doctor.token.none", mend: { says: "doctor.token.none.mend" } },
        ],
        settings,
      };
    return {
      findings: [
        ...warnings,
        {
          check: "settings",
          verdict: "good",
          says: "doctor.settings",
          args: { name: settings.token.from, dir: settings.stateDir },
        },
      ],
      settings,
    };
  } catch (error) {
    const isToken = error instanceof BellhopError && error.details["where"] === "DISCORD_TOKEN_FILE";
    const path = isToken ? givenValues(io.env, process.cwd(), envFilesHere(io))["DISCORD_TOKEN_FILE"] : undefined;
    return { findings: [{ ...failedFinding("settings", error), ...privateFix(path) }], settings: withoutToken(io) };
  }
}

/** Settings files with secrets in them that others can read. */
function openFiles(io: Io): Finding[] {
  const withToken = envFilesHere(io).filter(({ values }) =>
    ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"].some((name) => values.get(name)),
  );
  const service = join(configHome(io.env), "bellhop", "service.env");
  return [...new Set([...withToken.map(({ path }) => path), service])].flatMap((path): Finding[] => {
    const mended = privateFix(path);
    return mended.fix === undefined
      ? []
      : [{ check: "secrets", verdict: "bad", says: "doctor.open", args: { path }, ...mended }];
  });
}

function withoutToken(io: Io): Settings | null {
  try {
    return settingsHere(io, "nothing", TOKEN_NAMES);
  } catch {
    return null;
  }
}

/** The directories that the environment names, each that cannot be used. */
export async function checkNamed(io: Io, { projects, projectRoots, stateDir }: Settings): Promise<Finding[]> {
  const all = [
    ...projects.map((path) => ({ name: "PROJECTS", path })),
    ...projectRoots.map((path) => ({ name: "PROJECT_ROOTS", path })),
  ];
  const groups = all.map(async ({ name, path }): Promise<Finding[]> => {
    const { is } = await lookAtDirectory(path, { home: io.env["HOME"], stateDir });
    // Repositories beside the state directory may well be projects.
    const usable = is === "directory" || (is === "ours" && name === "PROJECT_ROOTS");
    return usable
      ? []
      : [{ check: "projects", verdict: "warn", says: "config.named_unreadable", args: { name, path } }];
  });
  return (await Promise.all(groups)).flat();
}

/** Each further server of config.json: its token, and its bot as Discord has it. */
export async function checkServers(config: Config, settings: Settings): Promise<Finding[]> {
  try {
    const { others } = readServers(config, settings, settings.token?.value ?? null);
    const groups = await Promise.all(
      others.map(async (server) => [heading(server), ...(await checkServer(config, settings, server))]),
    );
    return groups.flat();
  } catch (error) {
    return [failedFinding("servers", error)];
  }
}

function heading({ name, guildId }: OtherServer): Finding {
  return {
    check: `server ${name}`,
    verdict: "idle",
    says: "doctor.own_server",
    args: { server: name, guild: guildId },
  };
}

async function checkServer(config: Config, settings: Settings, server: OtherServer): Promise<Finding[]> {
  const { name, guildId, panelId } = server;
  if (server.error !== undefined)
    return [{ ...failedFinding(`server ${name}`, server.error), ...privateFix(config.servers[name]?.token_file) }];
  const findings = await checkBot({
    token: server.token,
    api: settings.discordApi,
    locale: settings.locale,
    appId: undefined,
    guildId,
    channelId: undefined,
    panelId,
  });
  return findings.map((finding) => ({ ...finding, check: `server ${name}: ${finding.check}` }));
}

/** A file of ours that others may read can be made private. */
function privateFix(path: string | undefined): Pick<Finding, "fix"> {
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || !stats?.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) === 0)
    return {};
  return { fix: () => chmod(path, 0o600) };
}
