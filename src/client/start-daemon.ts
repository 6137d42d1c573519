/**
 * Starts the daemon for a client that found none: detached, so that it outlives the client and its terminal, and with
 * an environment that is built and not inherited. If two clients start one at once, one of the daemons steps back.
 */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { errors } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { say, type Locale } from "../base/words/say.ts";
import type { Environment } from "../config/settings.ts";
import { startDetached } from "../host/processes/detached.ts";
import { scrubbedEnvironment } from "../host/processes/environment.ts";
import type { ClientSettings } from "./settings.ts";

export interface Started {
  pid: number | null;
  /**
   * Resolves if it ends while we live, with its exit code, or null as the code for a signal; resolves with null if it
   * only stepped back because another daemon runs.
   */
  ended: Promise<{ code: number | null; why: string } | null>;
}

/** @param locale of the reason for its end */
export async function startDaemon(
  env: Environment,
  { settings, forDaemon }: ClientSettings,
  locale: Locale,
): Promise<Started> {
  const passEnv = await passedByConfig(settings.stateDir);
  const daemon = startDetached({
    file: process.execPath,
    args: [join(import.meta.dirname, "..", "bin", "bellhop.cjs"), "start", "--service=client"],
    cwd: homedir(),
    env: {
      ...scrubbedEnvironment({ from: env, passEnv, secrets: settings.token ? [settings.token.value] : [] }),
      ...forDaemon,
    },
  });
  const ended = daemon.exit.then(({ code, failure }) => {
    if (code === errors.E_DAEMON_RUNNING.exit) return null;
    return {
      code,
      why:
        failure ??
        reasonIn(daemon.stderr()) ??
        (code === null ? say(locale, "why_killed") : say(locale, "why_exit_code", { exit_code: code })),
    };
  });
  return { pid: daemon.pid, ended };
}

/** The daemon needs what the owner's config passes to agents; it reports an unreadable config itself. */
async function passedByConfig(stateDir: string): Promise<string[]> {
  try {
    const { readConfig } = await import("../config/config-file.ts");
    return readConfig(await readFile(join(stateDir, "config.json"), "utf8")).config.pass_env;
  } catch {
    return [];
  }
}

/** The last line with an error code, or else the last line. */
function reasonIn(stderr: string): string | undefined {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((one) => /\bE_[A-Z_]+\b/.test(one)) ?? lines.at(-1);
  return line === undefined ? undefined : oneLine(line, 600);
}
