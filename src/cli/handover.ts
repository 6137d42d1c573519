/**
 * The bot token out of the environment. A variable that a process was started with can be read in
 * `/proc/<pid>/environ` for as long as it lives, by it and by all it starts, and deleting it there changes nothing.
 * So a daemon that got its token that way writes it into a private file, replaces its own image with one that has
 * no such variable, and the new image reads the file and removes it before it does anything else.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../config/settings.ts";

const HANDED = "BELLHOP_HANDED_TOKEN";
const CARRIERS = ["DISCORD_BOT_TOKEN", "DISCORD_TOKEN"];
const NAME = /^\.token-(\d+)-[0-9a-f]{32}$/;

/**
 * Replaces this process's image where the environment holds a token and the system can; then it does not return.
 * Where it cannot (Windows), the variables are at least taken out of what children inherit.
 * @param stateDir where the file may stand for a moment: absolute, made with mode 0700 if missing
 */
export function leaveTokenBehind(env: Environment, stateDir: string): void {
  const carrier = CARRIERS.find((name) => env[name]?.trim());
  const token = carrier && env[carrier];
  if (!token) return;
  const without = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !CARRIERS.includes(name) && value !== undefined),
  );
  if (typeof process.execve !== "function" || process.platform === "win32") {
    for (const name of CARRIERS) delete process.env[name];
    return;
  }
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const file = join(stateDir, `.token-${process.pid}-${randomBytes(16).toString("hex")}`);
  writeFileSync(file, token, { mode: 0o600, flag: "wx" });
  // It says that it is experimental; whoever starts a daemon has no use for that.
  process.removeAllListeners("warning");
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, argv, { ...without, [HANDED]: file });
}

/**
 * The environment with the token that an earlier image handed over, if one did, under its usual name; nobody but
 * the caller sees it. What a crash between the two images left lying is removed too, but not what another process
 * has just laid there for itself: two that were started at once would take each other's token.
 */
export function takeHandedToken(env: Environment): Environment {
  const file = env[HANDED];
  if (file === undefined) return env;
  delete process.env[HANDED];
  const { [HANDED]: _handed, ...rest } = env;
  const folder = join(file, "..");
  try {
    return { ...rest, DISCORD_BOT_TOKEN: readFileSync(file, "utf8") };
  } catch {
    return rest;
  } finally {
    for (const name of readdirSync(folder)) if (isLeft(name)) rmSync(join(folder, name), { force: true });
  }
}

/** Ours, which is read, or one whose process is gone. The new image has the old one's number. */
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
