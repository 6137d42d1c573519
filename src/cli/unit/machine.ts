/**
 * The machine as seen by the installation of a service, and what is to be started. Tests pass their own machine, so
 * they touch no real service.
 */
import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../../base/words/say.ts";
import { configHome as configHomeOf } from "../../config/homes.ts";
import { runProgram, type ProgramAnswer } from "../../host/processes/program.ts";
import { which } from "../../host/processes/which.ts";
import { localeOf, type Io } from "../io.ts";

export interface Machine {
  platform: NodeJS.Platform;
  /** Whether systemd runs this machine. */
  systemd: boolean;
  uid: number;
  home: string;
  /** Base of relative paths. */
  cwd: string;
  /** The value of `--env-file`. */
  envFile?: string;
  env: Readonly<Record<string, string | undefined>>;
  locale: Locale;
  /** Absolute paths of Node and of the command `bellhop`. */
  node: string;
  program: string;
  /** Whether this user's services run while nobody is logged in. */
  lingers: boolean;
  run(command: readonly string[]): Promise<ProgramAnswer>;
}

/** What the service starts. */
export interface ServiceStart {
  node: string;
  program: string;
  /** The working directory. */
  folder: string;
  /** The settings file, one `NAME='value'` per line. */
  settings: string;
  /** `PATH`, where agents are looked for. */
  path: string;
  /** Where standard error goes, for a supervisor without a journal. */
  output: string;
}

export function thisMachine({ env, envFile }: Io): Machine {
  const uid = process.getuid?.() ?? -1;
  return {
    platform: process.platform,
    systemd: existsSync("/run/systemd/system"),
    uid,
    home: env["HOME"] || homedir(),
    cwd: process.cwd(),
    ...(envFile !== undefined && { envFile }),
    env,
    locale: localeOf(env),
    node: process.execPath,
    program: join(import.meta.dirname, "..", "bin", "bellhop.cjs"),
    lingers: existsSync(join("/var/lib/systemd/linger", userName() ?? "?")),
    run: ([name = "", ...args]) => runFound(name, args, env, uid),
  };
}

/** The user's configuration directory. */
export function configHome({ env, home }: Machine): string {
  return configHomeOf({ ...env, HOME: home });
}

/** A refusal with its reason, in the person's language. */
export function serviceRefused({ locale }: Machine, key: WordKey, args: WordArgs = {}): BellhopError {
  return new BellhopError("E_SERVICE_REFUSED", { why: say(locale, key, args) });
}

/** Undefined if the system has no name for this user, as in many containers. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

async function runFound(
  name: string,
  args: readonly string[],
  env: Machine["env"],
  uid: number,
): Promise<ProgramAnswer> {
  const file = which(name, env["PATH"]);
  if (file === null) return { code: null, stdout: "", stderr: `${name}: not found` };
  // A session not opened by a login (su, cron) lacks the variables that lead to the user's own systemd.
  const runtime = join("/run/user", String(uid));
  const given = env["XDG_RUNTIME_DIR"] || !existsSync(runtime) ? {} : { XDG_RUNTIME_DIR: runtime };
  return runProgram({ file, args, env: { ...env, ...given, LC_ALL: "C.UTF-8" } });
}

/**
 * What systemd and launchd have in common: one file that says how Bellhop is started, and commands to load and unload
 * it.
 */
export interface InitSystem {
  /** Absolute path of the unit file. */
  unit: string;
  /** Its content. @throws E_SERVICE_REFUSED for a path that it cannot express */
  serviceText(start: ServiceStart): string;
  /** Run after the file is written: registers it, to be started at every login. */
  adopt: readonly string[][];
  /** Whether the service runs now. */
  isActive(): Promise<boolean>;
  start: readonly string[];
  /** The command shown to the person if it already runs. */
  restart: string;
  /** Run before the file is removed, and after. */
  stop: readonly string[];
  forget: readonly string[][];
  /** Whether a user's services end with the last login. */
  needsLinger: boolean;
}

/** Present in every unit file we write, and in no other. */
export const MARK = "Written by `bellhop service install`";
