/**
 * Starts the daemon for a face that found none: detached, so that it outlives the face and its terminal, and with an
 * environment that is built and not inherited. Where two faces start one at once, one of the two daemons steps back.
 */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { errors } from "../../base/errors.ts";
import { oneLine } from "../../base/text.ts";
import type { Environment } from "../../config/settings.ts";
import { startDetached } from "../../host/detached.ts";
import { scrubbedEnvironment } from "../../host/environment.ts";
import type { FaceSettings } from "./settings.ts";

export interface Started {
  pid: number | null;
  /** Resolves if it ends while we live, with its exit code, null for a signal; null where it only stepped back because another one runs. */
  ended: Promise<{ code: number | null; why: string } | null>;
}

export async function startDaemon(env: Environment, { settings, forDaemon }: FaceSettings): Promise<Started> {
  const passEnv = await passedByConfig(settings.stateDir);
  const daemon = startDetached({
    file: process.execPath,
    args: [join(import.meta.dirname, "..", "bin", "bellhop.cjs"), "start"],
    cwd: homedir(),
    env: { ...scrubbedEnvironment({ from: env, passEnv, secrets: settings.token ? [settings.token.value] : [] }), ...forDaemon },
  });
  const ended = daemon.exit.then(({ code, failure }) => {
    if (code === errors.E_DAEMON_RUNNING.exit) return null;
    return { code, why: failure ?? reasonIn(daemon.said()) ?? (code === null ? "it was killed" : `it ended with exit code ${code}`) };
  });
  return { pid: daemon.pid, ended };
}

/** What the owner's config lets agents have, the daemon must have too; a config that cannot be read is for it to refuse. */
async function passedByConfig(stateDir: string): Promise<string[]> {
  try {
    const { readConfig } = await import("../../config/config-file.ts");
    return readConfig(await readFile(join(stateDir, "config.json"), "utf8")).config.pass_env;
  } catch {
    return [];
  }
}

/** The last error by its code, else whatever was said last. */
function reasonIn(said: string): string | undefined {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const line = lines.findLast((one) => /\bE_[A-Z_]+\b/.test(one)) ?? lines.at(-1);
  return line === undefined ? undefined : oneLine(line, 600);
}
