/**
 * `bellhop doctor`: checks everything from the settings to the agents, and says how to fix each thing that is wrong.
 * Every check is in the module that it is about; this runs them all at once and changes nothing, unless `--fix` lets it
 * repair what is Bellhop's own.
 */
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { errnoOf, nodeDisk } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import type { Finding } from "../base/finding.ts";
import { silentLog } from "../base/log.ts";
import { jsonForTerminal } from "../base/terminal-text.ts";
import { say, sayWithReason } from "../base/words/say.ts";
import { checkAgents, tryPrompt } from "../agents/contract/found-agents.ts";
import type { Driver } from "../agents/contract/driver.ts";
import { agentsHere } from "../app/agents-here.ts";
import { checkConfig } from "../config/check-config.ts";
import type { Config } from "../config/config-file.ts";
import { firstToken, readServers, type Server } from "../config/servers.ts";
import type { Settings } from "../config/settings.ts";
import { checkNetwork, checkBot } from "../discord/check-bot.ts";
import { ConfigProjects } from "../engine/config-projects.ts";
import { checkDisk } from "../host/check-disk.ts";
import { checkTmux } from "../host/terminal/check-tmux.ts";
import { checkJournal } from "../journal/check-journal.ts";
import { checkReserve } from "../journal/reserve.ts";
import { asTyped, localeOf, type Io } from "./io.ts";
import { checkDaemon } from "./doctor/check-daemon.ts";
import { checkNamed, checkServers, checkSettings } from "./doctor/check-settings.ts";
import { checkHooks } from "./hooks/check-hooks.ts";
import { readOptions } from "./options.ts";
import { checkService } from "./unit/check-unit.ts";
import { thisMachine } from "./unit/machine.ts";

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
