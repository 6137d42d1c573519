/**
 * The systemd user unit. It restarts Bellhop after an end that a restart may help, with growing delays, and never after
 * one that needs a person; it stops only the daemon, which ends its agents in order itself.
 */
import { join, dirname } from "node:path";
import { errors } from "../../base/errors.ts";
import { configHome, serviceRefused, type Machine, type ServiceStart, MARK, type InitSystem } from "./machine.ts";
import { readFileSync } from "node:fs";
import { errnoOf } from "../../base/disk.ts";
import { fitsInQuotes, parseDotenv, withVariables, readEnvFiles } from "../../config/env-files.ts";
import { loadSettings, givenValues, type Environment, type Settings } from "../../config/settings.ts";
import { tokenMissing } from "../../config/token.ts";
import { scrubbedEnvironment } from "../../host/processes/environment.ts";
import { unreadRefusal } from "../start/settings-here.ts";

const NAME = "bellhop.service";
/** The first version of systemd with RestartSteps. */
const STEPS_SINCE = 254;
const WRONG_CALL = 64;

export async function systemd(machine: Machine): Promise<InitSystem> {
  const { stdout } = await machine.run(["systemctl", "--version"]);
  const version = Number(/^systemd (\d+)/.exec(stdout)?.[1] ?? 0);
  const systemctl = (...args: string[]): string[] => ["systemctl", "--user", ...args];
  return {
    unit: join(configHome(machine), "systemd", "user", NAME),
    serviceText: (start) => unitText(start, version, machine),
    adopt: [systemctl("daemon-reload"), systemctl("enable", NAME)],
    isActive: async () =>
      /^(active|activating|reloading)$/m.test((await machine.run(systemctl("is-active", NAME))).stdout),
    // Becoming ready may take as long as Discord is away, so the command does not wait for it.
    start: systemctl("--no-block", "start", NAME),
    restart: "systemctl --user restart bellhop",
    stop: systemctl("disable", "--now", NAME),
    forget: [systemctl("daemon-reload")],
    needsLinger: true,
  };
}

/** Exit codes after which a restart cannot help unless a person does something. */
export function finalExits(): number[] {
  const codes = Object.values(errors).flatMap(({ exit, restart }) =>
    restart === false && exit !== undefined ? [exit] : [],
  );
  return [...new Set([WRONG_CALL, ...codes])].sort((a, b) => a - b);
}

function unitText(start: ServiceStart, version: number, machine: Machine): string {
  const { node, program, folder, settings, path } = start;
  for (const text of [node, program, folder, settings, path]) {
    if (/[\0-\x1f\x7f]/.test(text))
      throw serviceRefused(machine, "cli.service.why.path", { path: JSON.stringify(text) });
  }
  // systemd accepts no program path with these characters, even quoted.
  if (/["'\\]/.test(node)) throw serviceRefused(machine, "cli.service.why.path", { path: JSON.stringify(node) });
  const slower =
    version >= STEPS_SINCE ? ["RestartSec=2s", "RestartSteps=8", "RestartMaxDelaySec=5min"] : ["RestartSec=15s"];
  return [
    `# ${MARK}. Run that again after an update.`,
    "# Changes of your own stay if you make them with: systemctl --user edit bellhop",
    "[Unit]",
    "Description=Bellhop: your coding agents from Discord",
    "StartLimitIntervalSec=0",
    "",
    "[Service]",
    "Type=notify",
    "# systemd-notify speaks for the daemon, as a process of its own. An agent could do the same: it runs as you, and",
    "# whoever runs as you can stop this service anyway.",
    "NotifyAccess=all",
    `ExecStart=${quoted(node)} ${word(program)} start --service=systemd`,
    `WorkingDirectory=${plain(folder)}`,
    `Environment=${quoted(`PATH=${path}`)}`,
    "# The settings, readable by you alone.",
    `EnvironmentFile=-${plain(settings)}`,
    "Restart=on-failure",
    ...slower,
    "# These ends need you: docs/operations.md says what each means.",
    `RestartPreventExitStatus=${finalExits().join(" ")}`,
    "WatchdogSec=120",
    "TimeoutStartSec=120",
    "TimeoutStopSec=60",
    "# The daemon ends its agents itself; an agent that takes too much memory must not take the daemon along.",
    "KillMode=mixed",
    "OOMPolicy=continue",
    "# Agents are children of this service, so these limits hold for them. They need your files, the network,",
    "# their own sandboxes and debuggers; they do not need these three. The first also keeps them from sudo: if yours",
    "# must use it, set NoNewPrivileges=no and RestrictRealtime=no with systemctl --user edit bellhop.",
    "NoNewPrivileges=yes",
    "RestrictRealtime=yes",
    "# What the daemon knows, the bot's token too, would be in a core file. An agent may raise the limit for its " +
      "programs.",
    "LimitCORE=0:infinity",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** Escapes an argument: `$` begins a variable there, but not in the program's path. */
function word(text: string): string {
  return quoted(text.replaceAll("$", "$$$$"));
}

function quoted(text: string): string {
  return `"${plain(text).replace(/["\\]/g, "\\$&")}"`;
}

/** Escapes `%`, which begins a specifier everywhere. */
function plain(text: string): string {
  return text.replaceAll("%", "%%");
}

/*
 * The launchd agent. launchd cannot distinguish failures, so Bellhop is started with `--service=launchd`: an end that
 * no restart can help is then reported as a success, which launchd does not restart.
 */

const LABEL = "bellhop";

export function launchd({ home, uid, run }: Machine): InitSystem {
  const domain = `gui/${uid}`;
  const unit = join(home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const start = ["launchctl", "bootstrap", domain, unit];
  const stop = ["launchctl", "bootout", `${domain}/${LABEL}`];
  return {
    unit,
    serviceText: plistText,
    adopt: [],
    isActive: async () => (await run(["launchctl", "print", `${domain}/${LABEL}`])).code === 0,
    start,
    restart: `${stop.join(" ")}; ${start.join(" ")}`,
    stop,
    forget: [],
    needsLinger: false,
  };
}

function plistText({ node, program, folder, settings, path, output }: ServiceStart): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MARK}. Run that again after an update. -->`,
    '<plist version="1.0">',
    "<dict>",
    ...entry("Label", text(LABEL)),
    ...entry(
      "ProgramArguments",
      list([node, `--env-file-if-exists=${settings}`, program, "start", "--service=launchd"]),
    ),
    ...entry("WorkingDirectory", text(folder)),
    ...entry("EnvironmentVariables", `<dict><key>PATH</key>${text(path)}</dict>`),
    ...entry("RunAtLoad", "<true/>"),
    ...entry("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>"),
    ...entry("ThrottleInterval", "<integer>30</integer>"),
    ...entry("ExitTimeOut", "<integer>60</integer>"),
    ...entry("StandardErrorPath", text(output)),
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function entry(key: string, value: string): string[] {
  return [`  <key>${key}</key>`, `  ${value}`];
}

function list(items: readonly string[]): string {
  return `<array>${items.map(text).join("")}</array>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function text(value: string): string {
  return `<string>${value.replace(/[&<>]/g, (sign) => entities[sign] ?? sign)}</string>`;
}

/*
 * The settings a service starts with, from this shell and from the `.env` files that are read: Bellhop's own, and those
 * of the agents' vendors. They are in a file only its owner can read, never in the unit; the token is in a third file,
 * so that it is in no process's environment.
 */

export interface ServiceSettings {
  settings: Settings;
  /** The file's new content. */
  text: string;
  /** The names of the settings in it. */
  names: string[];
  /** Names of values that cannot be written to it. */
  omitted: string[];
  /** The token, if it is to get its own file; undefined if the owner has made one. */
  token: string | undefined;
}

const CARRIERS = ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"];
/** Variables for agents that belong to the session and not to the owner, or that a service gets anyway. */
const OF_THE_SESSION =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|SSH_AUTH_SOCK|XDG_(?!CONFIG_HOME$|DATA_HOME$|STATE_HOME$|CACHE_HOME$).*)$/;
const HEADING = "# Settings of the service, kept by `bellhop service install`; yours to edit.\n";

/**
 * A value set here wins over one that an earlier installation wrote; what is not set here stays.
 * @param file path of the settings file, which need not exist
 * @param tokenFile path of the token file
 * @throws E_CONFIG_INVALID for a wrong setting, or without a token
 */
export function serviceSettings(machine: Machine, file: string, tokenFile: string): ServiceSettings {
  const { cwd, locale } = machine;
  const env = { ...machine.env, HOME: machine.home };
  const at = { env, cwd, checkout: dirname(dirname(machine.program)), named: machine.envFile };
  const files = readEnvFiles(at);
  const unread = at.named === undefined ? unreadRefusal(at, files, "bot") : undefined;
  if (unread !== undefined) throw unread;
  // What is forbidden in a file must not reach the service through its environment either.
  loadSettings(env, cwd, files);
  const before = textOf(file);
  const here = givenValues(env, cwd, files);
  const all: Environment = { ...Object.fromEntries(parseDotenv(before).values), ...env, ...withoutOldToken(here) };
  const settings = loadSettings(all, cwd);
  if (settings.token === undefined) throw tokenMissing(locale);
  const { value, from } = settings.token;
  const own = from === "DISCORD_TOKEN_FILE" ? givenValues(all, cwd)["DISCORD_TOKEN_FILE"] : undefined;
  const values: Record<string, string> = {
    ...carried(here, env, value),
    STATE_DIR: settings.stateDir,
    DISCORD_TOKEN_FILE: own ?? tokenFile,
  };
  const omitted = Object.keys(values).filter((name) => !fitsInQuotes(values[name] ?? ""));
  for (const name of omitted) delete values[name];
  const text = withVariables(
    before === "" ? HEADING : before,
    values,
    values["DISCORD_TOKEN_FILE"] === undefined ? [] : CARRIERS,
  );
  const names = [...parseDotenv(text).values.keys()].sort();
  return { settings, text, names, omitted, token: own === undefined ? value : undefined };
}

/** If a token is set here, the token file named by an earlier installation is ignored. */
function withoutOldToken(here: Readonly<Record<string, string>>): Environment {
  return CARRIERS.some((name) => here[name]) ? { DISCORD_TOKEN_FILE: undefined, ...here } : here;
}

function carried(here: Readonly<Record<string, string>>, env: Environment, token: string): Record<string, string> {
  const ours = Object.entries(here).filter(([name]) => !CARRIERS.includes(name));
  const agents = Object.entries(scrubbedEnvironment({ from: filled(env), passEnv: [], secrets: [token] })).filter(
    ([name]) => !OF_THE_SESSION.test(name),
  );
  return Object.fromEntries([...ours, ...agents]);
}

function filled(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    // A path blocked by something that is not a directory is reported when it is written.
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return "";
    throw error;
  }
}
