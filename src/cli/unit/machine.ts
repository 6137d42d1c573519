/**
 * The machine as a service's installation sees it, and what it needs to know of what is to be started. A test hands
 * in a machine of its own, and no real service is ever touched by it.
 */
import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { BellhopError } from "../../base/errors.ts";
import { say, type Locale, type WordArgs, type WordKey } from "../../base/words/say.ts";
import { runProgram, type ProgramAnswer } from "../../host/program.ts";
import { which } from "../../host/which.ts";
import { localeOf, type Io } from "../io.ts";

export interface Machine {
  platform: NodeJS.Platform;
  /** Whether systemd runs this machine. */
  systemd: boolean;
  uid: number;
  home: string;
  /** Where `.env` may stand. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  locale: Locale;
  /** Absolute paths of Node and of the command `bellhop`. */
  node: string;
  program: string;
  /** Whether this user's services run while nobody is logged in. */
  lingers: boolean;
  run(command: readonly string[]): Promise<ProgramAnswer>;
}

/** What is to be started. */
export interface Start {
  node: string;
  program: string;
  /** Where it runs. */
  folder: string;
  /** The file with its settings, `NAME='value'` a line. */
  settings: string;
  /** `PATH`, by which agents are found. */
  path: string;
  /** Where a supervisor that keeps no journal puts what is said on standard error. */
  output: string;
}

export function thisMachine({ env }: Io): Machine {
  const uid = process.getuid?.() ?? -1;
  return {
    platform: process.platform,
    systemd: existsSync("/run/systemd/system"),
    uid,
    home: env["HOME"] || homedir(),
    cwd: process.cwd(),
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
  const named = env["XDG_CONFIG_HOME"];
  return named?.startsWith("/") ? named : join(home, ".config");
}

/** A refusal with its reason, in the person's language. */
export function refused({ locale }: Machine, key: WordKey, args: WordArgs = {}): BellhopError {
  return new BellhopError("E_SERVICE_REFUSED", { why: say(locale, key, args) });
}

/** Undefined where the system has no name for this user, as in many containers. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

async function runFound(name: string, args: readonly string[], env: Machine["env"], uid: number): Promise<ProgramAnswer> {
  const file = which(name, env["PATH"]);
  if (file === null) return { code: null, stdout: "", stderr: `${name}: not found` };
  // A session that was not opened by a login (su, cron) lacks what leads to the user's own systemd.
  const runtime = join("/run/user", String(uid));
  const given = env["XDG_RUNTIME_DIR"] || !existsSync(runtime) ? {} : { XDG_RUNTIME_DIR: runtime };
  return runProgram({ file, args, env: { ...env, ...given, LC_ALL: "C.UTF-8" } });
}
