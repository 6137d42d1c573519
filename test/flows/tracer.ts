/** The kernel's own tracer around the built daemon, by which it is killed at one exact step. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { World } from "./world.ts";

export const canTrace = existsSync("/usr/bin/strace");
if (!canTrace)
  process.stderr.write("No disk is made to fail: there is no /usr/bin/strace (Debian: apt-get install strace).\n");

/**
 * Around the daemon itself, not its children; one thread does all the file work, so that steps can be counted. For
 * `world.daemon`.
 */
export function tracer(
  { home, sandbox }: World,
  options: string[],
): { prefix: string[]; env: Record<string, string | undefined> } {
  const settings = {
    DISCORD_BOT_TOKEN: sandbox.botToken,
    DISCORD_GUILD_ID: sandbox.guildId,
    DISCORD_OWNER_ID: sandbox.owner.id,
  };
  mkdirSync(join(home, ".config", "bellhop"), { recursive: true });
  writeFileSync(
    join(home, ".config", "bellhop", ".env"),
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(""),
    { mode: 0o600 },
  );
  return {
    // The tracer is the daemon's grandchild (-D), so that what is killed and watched is the daemon itself.
    prefix: ["/usr/bin/strace", "-D", "-f", "-b", "execve", ...options],
    // With Discord's settings in a file, and its memory settled, the daemon has no reason to replace its image, which
    // would end the tracing.
    env: {
      UV_THREADPOOL_SIZE: "1",
      NODE_OPTIONS: "--max-semi-space-size=4",
      ...Object.fromEntries(Object.keys(settings).map((name) => [name, undefined])),
    },
  };
}

/**
 * When to kill, by the tracer's log: the places of the calls that fit, each among all calls of its kind by its thread.
 * @param during seconds since the epoch, where the log tells the time (-ttt): only the calls of that while
 */
export function placesOf(
  log: string,
  call: string,
  fits: (line: string) => boolean,
  during = { from: 0, to: Number.POSITIVE_INFINITY },
): number[] {
  const counts = new Map<string, number>();
  const found = new Set<number>();
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [, tid = "", at = "1", name] = /^(\d+) +(?:([\d.]+) )?(\w+)\(/.exec(line) ?? [];
    if (name !== call) continue;
    const nth = (counts.get(tid) ?? 0) + 1;
    counts.set(tid, nth);
    if (fits(line) && Number(at) >= during.from && Number(at) <= during.to) found.add(nth);
  }
  return [...found].sort((a, b) => a - b);
}

/** From now on every such call of the running daemon fails with this error; resolves when that is so. */
export async function failing(pid: number, call: string, error: string): Promise<ChildProcess> {
  const child = spawn(
    "/usr/bin/strace",
    ["-f", "-p", String(pid), "-e", `trace=${call}`, "-e", `inject=${call}:error=${error}`],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise<void>((resolve) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => void (text.includes("attached") && resolve()));
  });
  return child;
}
