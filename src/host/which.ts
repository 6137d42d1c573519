/**
 * Finds a program the way a shell would, but says where: the absolute path is what is run afterwards, so what
 * was checked and what is started are the same file.
 */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { pause } from "./kill-ladder.ts";
import type { Processes } from "./processes.ts";

/**
 * Looks at once and does not wait: it stands between a message and its agent, and takes microseconds.
 * @param command a bare name, looked up in `path`, or an absolute path
 * @returns the absolute path of an executable file, or null. A relative PATH entry is never followed: what it
 * means depends on the directory, and there the files are the agent's.
 */
export function which(command: string, path: string | undefined): string | null {
  if (isAbsolute(command)) return isProgram(command) ? command : null;
  if (command === "" || command.includes("/")) return null;
  for (const folder of (path ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, command);
    if (isProgram(file)) return file;
  }
  return null;
}

export interface VersionRequest {
  processes: Processes;
  clock: Clock;
  file: string;
  /** What its command begins with; `--version` comes after it. */
  args?: readonly string[];
  cwd: string;
  /** Scrubbed: see `environment.ts`. */
  env: Readonly<Record<string, string>>;
  withinMs?: number;
}

/** The first version number a program prints for `--version`, or null: it prints none, fails, or takes too long. */
export async function versionOf(request: VersionRequest): Promise<string | null> {
  const child = request.processes.spawn({ ...request, args: [...(request.args ?? []), "--version"], lineCapBytes: 4096 });
  child.input?.end();
  const late = pause(request.clock, request.withinMs ?? 10_000).then(() => child.kill());
  const read = (async () => {
    for await (const line of child.lines) {
      const found = "bytes" in line ? /(?<![\d.])\d+\.\d+\.\d+[\w.+-]*/.exec(line.bytes.toString()) : null;
      if (found) return found[0];
    }
    return null;
  })();
  const version = await Promise.race([read, late.then(() => null)]);
  await child.kill();
  return version;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
