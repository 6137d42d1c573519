/**
 * Removes Discord's variables from the environment. The variables a process was started with stay readable in
 * `/proc/<pid>/environ` as long as it lives, by it and by all it starts; deleting them in the process changes nothing.
 * So a daemon that has any writes them to a private file and replaces its own image with one that has none; the new
 * image reads and removes the file before anything else. How a process uses memory is settled when it starts too, so
 * a daemon without any replaces its image for that.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { nonBlank, platformState, TOKEN_NAMES, type Environment } from "../../config/homes.ts";

const HANDED = "BELLHOP_HANDED_TOKEN";
/**
 * How the new image uses memory: what must be set when it starts; the rest is in `foreground.ts`. Otherwise V8 keeps a
 * young generation as large as the busiest moment needed, and malloc an arena for each thread: after a hundred short
 * jobs that was 200 MB instead of 126. And malloc keeps blocks of a size that was freed once: a few large buffers left
 * 6 to 8 MB between smaller things.
 */
const MEMORY_FLAGS = ["--max-semi-space-size=4"];
const MEMORY_VARIABLES = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "131072" };
const NAME = /^\.token-(\d+)-[0-9a-f]+$/;

/**
 * `leaveDiscordBehind` for `bellhop start`, before anything else is loaded, because it would be loaded twice otherwise.
 * Does nothing where the settings have to be read first.
 * @param argv what follows the program's name
 */
export function leaveDiscordBehindEarly(argv: readonly string[]): void {
  const { env } = process;
  if (
    !canReplaceImage() ||
    argv[0] !== "start" ||
    env[HANDED] !== undefined ||
    argv.some((word) => /^(?:--service=)?(?:client|face)$|^-h$|^--help$/.test(word))
  )
    return;
  if (!Object.keys(env).some(isDiscords)) return leaveDiscordBehind(env, null);
  const stateDir = nonBlank(env["STATE_DIR"]) ?? join(platformState(env), "bellhop");
  // Without a token it becomes the sandbox, to which nothing is handed; a new place may be named in a file instead.
  if (!TOKEN_NAMES.some((name) => nonBlank(env[name])) || !isAbsolute(stateDir) || !existsSync(stateDir)) return;
  try {
    leaveDiscordBehind(env, stateDir);
  } catch {
    // It is tried again where a failure can be told in a sentence.
  }
}

/**
 * Replaces this process's image if the environment holds any, or if it was started without the flags for memory, and
 * the system supports it; then it does not return. Otherwise (Windows) children at least do not inherit them.
 * @param stateDir where the file is for a moment: absolute, made with mode 0700 if missing; null: nothing is handed on
 */
export function leaveDiscordBehind(env: Environment, stateDir: string | null): void {
  const left = Object.fromEntries(Object.entries(env).filter(([name]) => isDiscords(name)));
  // Only the environment of a process of its own: not the one that a test hands over.
  if (Object.keys(left).length === 0 && (env !== process.env || isFrugal())) return;
  if (!canReplaceImage()) {
    for (const name of Object.keys(left)) delete process.env[name];
    return;
  }
  const without = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (isDiscords(name) || value === undefined ? [] : [[name, value]])),
  );
  const handed = stateDir === null ? {} : { [HANDED]: writeHanded(left, stateDir) };
  // Suppresses the warning that execve is experimental, which is no use to a user.
  process.removeAllListeners("warning");
  const argv = [process.execPath, ...MEMORY_FLAGS, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, argv, { ...MEMORY_VARIABLES, ...without, ...handed });
}

/** Whether it was started with a size of the young generation, ours or one that its owner chose. */
function isFrugal(): boolean {
  return [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((word) =>
    word.includes("--max-semi-space-size"),
  );
}

function canReplaceImage(): boolean {
  return typeof process.execve === "function" && process.platform !== "win32";
}

function writeHanded(variables: Environment, stateDir: string): string {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  // No other has this name: no process with this pid has begun at this nanosecond. `node:crypto` takes 2 to 7 ms to
  // load.
  const file = join(stateDir, `.token-${process.pid}-${process.hrtime.bigint()}`);
  try {
    writeFileSync(file, JSON.stringify(variables), { mode: 0o600, flag: "wx" });
    return file;
  } catch (error) {
    rmSync(file, { force: true });
    // The error of a full disk does not name the file.
    throw Object.assign(error as Error, { path: file });
  }
}

function isDiscords(name: string): boolean {
  return name.startsWith("DISCORD_");
}

/**
 * The environment with the variables that an earlier image handed over, if any; only the caller sees them. Files left
 * by a crash between the two images are removed too, but not those of another process that is starting: two started at
 * once would take each other's token.
 */
export function takeHanded(env: Environment): Environment {
  const file = env[HANDED];
  if (file === undefined) return env;
  delete process.env[HANDED];
  const { [HANDED]: _handed, ...rest } = env;
  const folder = join(file, "..");
  try {
    return { ...rest, ...(JSON.parse(readFileSync(file, "utf8")) as Environment) };
  } catch {
    return rest;
  } finally {
    for (const name of readdirSync(folder)) if (isLeft(name)) rmSync(join(folder, name), { force: true });
  }
}

/** Our own file, already read, or one whose process is gone. The new image keeps the old one's pid. */
function isLeft(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN);
  if (Number.isNaN(pid) || pid === process.pid) return pid === process.pid;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
