/**
 * `bellhop service install|remove|print`: has the system start Bellhop and keep it running. It writes only its own
 * files, can be repeated at any time, cuts off no running job, and reports after each step what was done and what is
 * left to do. Bellhop's state, log and settings survive a removal.
 */
import fs from "node:fs/promises";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf, nodeDisk, writeAtomically } from "../base/disk.ts";
import { BellhopError } from "../base/errors.ts";
import { forTerminal, terminalLine } from "../base/terminal-text.ts";
import { say } from "../base/words/say.ts";
import { lockHolder } from "../journal/lock.ts";
import { asTyped, type Io, type Tell } from "./io.ts";
import { readOptions, WrongCall } from "./options.ts";
import { launchd, serviceSettings, type ServiceSettings, systemd } from "./unit/init-systems.ts";
import {
  configHome,
  serviceRefused,
  thisMachine,
  MARK,
  type Machine,
  type ServiceStart,
  type InitSystem,
} from "./unit/machine.ts";
import type { Finding } from "../base/finding.ts";

/** The exit code if the system's own program failed one step; all others were done. */
const NOT_ALL = 71;
/** Where agents are looked for, as it was in the shell of the installation. */
const PATH_LINE = /^.*\bPATH\b.*$/m;

/**
 * @param argv `install`, `remove` or `print`
 * @throws E_SERVICE_REFUSED {why}, E_UNIT_FOREIGN {path}, E_CONFIG_INVALID
 */
export async function service(argv: readonly string[], io: Io, machine: Machine = thisMachine(io)): Promise<number> {
  const [verb] = readOptions(argv, {}, 1).words;
  if (verb === undefined) throw new WrongCall("cli.wrong.missing");
  if (!["install", "remove", "print"].includes(verb))
    throw new WrongCall("cli.wrong.verb", { verb: terminalLine(verb, 80) });
  const init = await initSystemOf(machine, verb);
  assertOwnHome(machine);
  const tell: Tell = (key, args) => void io.stdout.write(`${asTyped(io, say(machine.locale, key, args))}\n`);
  if (verb === "remove") return remove(machine, init, tell);
  const places = placesOf(machine);
  const settings = serviceSettings(machine, places.settings, places.token);
  const start = startOf(machine, places, settings.settings.logDir);
  // Such a file has no way to write them that a person could read.
  const odd = Object.values(start).find((path) => forTerminal(path) !== path);
  if (odd !== undefined) throw serviceRefused(machine, "cli.service.why.path", { path: JSON.stringify(odd) });
  const text = init.serviceText(start);
  if (verb === "install") return install({ machine, init, places, settings, text, print: tell });
  io.stdout.write(text);
  return 0;
}

/** The service of this machine; null if it has none or the system has no supervisor. */
export async function installedService(machine: Machine): Promise<{ init: InitSystem; settings: string } | null> {
  if (machine.platform !== "darwin" && !(machine.platform === "linux" && machine.systemd)) return null;
  const init = await initSystemOf(machine, "install");
  return textOf(init.unit) === undefined ? null : { init, settings: placesOf(machine).settings };
}

/**
 * Writes the unit as this version has it; null if that is how it is, or if it is not ours or starts another Bellhop.
 */
export function unitUpdate(machine: Machine, init: InitSystem, logDir: string): (() => Promise<void>) | null {
  const before = textOf(init.unit);
  if (before === undefined || !before.includes(MARK) || !before.includes(machine.program)) return null;
  const text = init
    .serviceText(startOf(machine, placesOf(machine), logDir))
    .replace(PATH_LINE, (line) => PATH_LINE.exec(before)?.[0] ?? line);
  if (text === before) return null;
  return async () => {
    await write(machine, init.unit, text);
    for (const command of init.adopt) await machine.run(command);
  };
}

/** Printing a unit needs no system that supports it: it may be for another machine. */
async function initSystemOf(machine: Machine, verb: string): Promise<InitSystem> {
  if (machine.platform === "darwin") return launchd(machine);
  if (machine.platform === "linux" && (machine.systemd || verb === "print")) return systemd(machine);
  throw serviceRefused(machine, "cli.service.why.system");
}

interface ServicePaths {
  folder: string;
  settings: string;
  token: string;
}

interface Installation {
  machine: Machine;
  init: InitSystem;
  places: ServicePaths;
  settings: ServiceSettings;
  /** The text of the unit. */
  text: string;
  print: Tell;
}

async function install(installation: Installation): Promise<number> {
  const { machine, init, places, settings, text, print: tell } = installation;
  if (machine.program.includes("/_npx/"))
    throw serviceRefused(machine, "cli.service.why.cache", { path: machine.program });
  assertOurs(init.unit);
  const before = textOf(init.unit);
  const wrote = async (path: string, content: string): Promise<boolean> => {
    const old = textOf(path);
    if (old !== content) await write(machine, path, content);
    tell(old === undefined ? "cli.service.wrote" : old === content ? "cli.service.same" : "cli.service.upgraded", {
      path,
    });
    return old !== content;
  };
  let isNew = false;
  if (settings.token !== undefined) {
    isNew = await wrote(places.token, `${settings.token}\n`);
    tell("cli.service.token", { path: places.token });
  }
  isNew = (await wrote(places.settings, settings.text)) || isNew;
  tell("cli.service.settings", { names: settings.names.join(", ") });
  for (const name of settings.omitted) tell("cli.service.omitted", { name });
  isNew = (await wrote(init.unit, text)) || isNew;
  if (machine.platform === "darwin") await fs.mkdir(settings.settings.logDir, { recursive: true, mode: 0o700 });
  for (const [index, command] of init.adopt.entries()) {
    if (!(await done(machine, command, tell, [...init.adopt.slice(index + 1), init.start]))) return NOT_ALL;
  }
  const code = await begin(installation, isNew && before !== undefined);
  if (init.needsLinger)
    tell(machine.lingers ? "cli.service.lingers" : "cli.service.linger", { command: "loginctl enable-linger" });
  return code;
}

/** Starts it, unless it already runs or another daemon holds the state directory. */
async function begin({ machine, init, settings, print: tell }: Installation, changed: boolean): Promise<number> {
  const { stateDir } = settings.settings;
  if (await init.isActive()) {
    if (changed) tell("cli.service.running", { command: init.restart });
    return 0;
  }
  const other = holderOf(stateDir);
  if (other !== undefined) {
    tell("cli.service.other", {
      pid: other,
      dir: stateDir,
      command: init.start.filter((word) => word !== "--no-block").join(" "),
    });
    return 0;
  }
  if (!(await done(machine, init.start, tell))) return NOT_ALL;
  tell("cli.service.started");
  return 0;
}

async function remove(machine: Machine, init: InitSystem, tell: Tell): Promise<number> {
  if (textOf(init.unit) === undefined) {
    tell("cli.service.nothing", { path: init.unit });
    return 0;
  }
  assertOurs(init.unit);
  let code = 0;
  if (!(await done(machine, init.stop, tell))) code = NOT_ALL;
  await fs.rm(init.unit).catch((error: unknown) => {
    throw serviceRefused(machine, "cli.service.why.write", { path: init.unit, reason: errnoOf(error) });
  });
  for (const command of init.forget) if (!(await done(machine, command, tell))) code = NOT_ALL;
  tell("cli.service.removed", { path: init.unit });
  tell("cli.service.kept", { path: placesOf(machine).folder });
  return code;
}

/**
 * Whether the command succeeded; if not, the person is told why and what to run.
 * @param then the commands that would have been run after it
 */
async function done(
  machine: Machine,
  command: readonly string[],
  tell: Tell,
  then: readonly (readonly string[])[] = [],
): Promise<boolean> {
  const { code, stderr } = await machine.run(command);
  if (code === 0) return true;
  const reason = terminalLine(stderr, 200) || String(code);
  tell("cli.service.by_hand", {
    program: command[0] ?? "",
    reason,
    command: [command, ...then].map((words) => words.join(" ")).join(" && "),
  });
  return false;
}

/**
 * With sudo, HOME is often still the first user's, so files would be written to the wrong place with the wrong owner.
 */
function assertOwnHome(machine: Machine): void {
  const owner = statSync(machine.home, { throwIfNoEntry: false })?.uid;
  if (owner !== machine.uid) throw serviceRefused(machine, "cli.service.why.home", { home: machine.home });
}

function placesOf(machine: Machine): ServicePaths {
  const folder = join(configHome(machine), "bellhop");
  return { folder, settings: join(folder, "service.env"), token: join(folder, "token") };
}

function startOf({ node, program, env }: Machine, { folder, settings }: ServicePaths, logDir: string): ServiceStart {
  return {
    node,
    program,
    folder,
    settings,
    path: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    output: join(logDir, "launchd.log"),
  };
}

async function write(machine: Machine, path: string, content: string): Promise<void> {
  try {
    await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomically(nodeDisk, path, Buffer.from(content));
  } catch (error) {
    throw serviceRefused(machine, "cli.service.why.write", { path, reason: errnoOf(error) });
  }
}

/** @throws E_UNIT_FOREIGN if there is a file that we did not write */
function assertOurs(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.isFile() && textOf(path)?.includes(MARK))) return;
  throw new BellhopError("E_UNIT_FOREIGN", { path });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(error))) return undefined;
    throw error;
  }
}

function holderOf(stateDir: string): number | undefined {
  return statSync(stateDir, { throwIfNoEntry: false })?.isDirectory() ? lockHolder(stateDir)?.pid : undefined;
}

/* The installed service: whether it runs, is this version's, and goes on while nobody is logged in. */

export async function checkService(machine: Machine, logDir: string): Promise<Finding[]> {
  const found = await installedService(machine);
  if (found === null) return [{ check: "service", verdict: "idle", says: "doctor.service.none" }];
  const { init } = found;
  const active = await init.isActive();
  const state: Finding = active
    ? { check: "service", verdict: "good", says: "doctor.service" }
    : {
        check: "service",
        verdict: "bad",
        says: "doctor.service.stopped",
        mend: {
          says: "doctor.service.mend",
          args: { command: init.start.filter((word) => word !== "--no-block").join(" ") },
        },
      };
  const fix = unitUpdate(machine, init, logDir);
  const states: Finding[] =
    fix === null
      ? [state]
      : [
          state,
          {
            check: "unit",
            verdict: "warn",
            says: "doctor.unit.old",
            args: { path: init.unit },
            mend: { says: "doctor.unit.mend", args: { command: init.restart } },
            fix,
          },
        ];
  if (!init.needsLinger || machine.lingers) return states;
  return [
    ...states,
    {
      check: "linger",
      verdict: "warn",
      says: "doctor.linger",
      mend: { says: "doctor.service.mend", args: { command: "loginctl enable-linger" } },
    },
  ];
}
