/**
 * Finds a program the way a shell would and returns its absolute path, which is then run, so that what was checked and
 * what is started are the same file. Also asks a program for its version, or for an exit code.
 */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { pause, type Clock } from "../../base/clock.ts";
import type { Child } from "./child.ts";
import type { Processes } from "./processes.ts";

/**
 * Synchronous: it runs before each job and takes microseconds.
 * @param command a bare name, looked up in `path`, or an absolute path
 * @returns the absolute path of an executable file, or null. A relative PATH entry is never used: what it means depends
 * on the directory, where the files are the agent's.
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

/**
 * What a command would run now: another text after its program, or a script that it is given by an absolute path, was
 * replaced or updated. Null: there is none, such as in the middle of an update.
 */
export function programNow(command: readonly string[], path: string | undefined): string | null {
  const [name = "", ...args] = command;
  const file = which(name, path);
  if (file === null) return null;
  try {
    const files = [file, ...args.filter((argument) => isAbsolute(argument))].map((one) => realpathSync(one));
    return JSON.stringify(files.flatMap((one) => fileNow(one)));
  } catch {
    return null;
  }
}

/** Nothing for a folder, in which anything may change. */
function fileNow(file: string): (string | number)[] {
  const found = statSync(file);
  return found.isFile() ? [file, found.ino, found.size, found.mtimeMs] : [];
}

export interface ProbeRequest {
  processes: Processes;
  clock: Clock;
  file: string;
  /** Arguments that belong to the command; the question's arguments follow them. */
  args?: readonly string[];
  cwd: string;
  /** Scrubbed: see `environment.ts`. */
  env: Readonly<Record<string, string>>;
  withinMs?: number;
}

/** The first version number a program prints for `--version`, or null if it prints none, fails, or takes too long. */
export async function versionOf(request: ProbeRequest): Promise<string | null> {
  const child = ask(request, ["--version"]);
  const late = lateness(request, child);
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

/** The exit code of a program for these arguments, or null if it fails in another way, or takes too long. */
export async function answerOf(request: ProbeRequest, asked: readonly string[]): Promise<number | null> {
  const child = ask(request, asked);
  const late = lateness(request, child);
  const read = (async () => {
    for await (const _line of child.lines);
    return (await child.exit).code;
  })();
  const code = await Promise.race([read, late.then(() => null)]);
  await child.kill();
  return code;
}

function ask({ processes, args = [], ...request }: ProbeRequest, asked: readonly string[]): Child {
  const child = processes.spawn({ ...request, args: [...args, ...asked], lineCapBytes: 4096 });
  child.input?.close();
  return child;
}

function lateness({ clock, withinMs = 10_000 }: ProbeRequest, child: Child): Promise<void> {
  return pause(clock, withinMs).then(() => child.kill());
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
