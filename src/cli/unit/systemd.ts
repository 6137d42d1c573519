/**
 * The systemd user unit. It restarts Bellhop after an end that a restart may help, with growing delays, and never after
 * one that needs a person; it stops only the daemon, which ends its agents in order itself.
 */
import { join } from "node:path";
import { errors } from "../../base/errors.ts";
import { configHome, refused, type Machine, type Start, MARK, type InitSystem } from "./machine.ts";

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
    text: (start) => unitText(start, version, machine),
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

function unitText(start: Start, version: number, machine: Machine): string {
  const { node, program, folder, settings, path } = start;
  for (const text of [node, program, folder, settings, path]) {
    if (/[\0-\x1f\x7f]/.test(text)) throw refused(machine, "cli.service.why.path", { path: JSON.stringify(text) });
  }
  // systemd accepts no program path with these characters, even quoted.
  if (/["'\\]/.test(node)) throw refused(machine, "cli.service.why.path", { path: JSON.stringify(node) });
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
