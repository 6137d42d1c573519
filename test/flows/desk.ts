/**
 * A world with a window in which a scripted Claude sits, and its owner at the desk in front of it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { inFolder, openWorld, type Daemon, type World } from "./world.ts";

export const hasTmux = existsSync("/usr/bin/tmux");
if (!hasTmux)
  process.stderr.write("Windows are not tested: there is no /usr/bin/tmux (Debian: apt-get install tmux).\n");

export interface Desk {
  world: World;
  tmux(...args: string[]): string;
  /** Resolves when the window shows this. */
  shows(words: string): Promise<void>;
  /** Types at the terminal, and presses Enter when it stands there. */
  enter(text: string): Promise<void>;
  /** Resolves when it has been done. */
  done(word: string): Promise<void>;
  /**
   * For a test that opens many: its window's server has its socket in the world's folder, so it ends before that goes.
   */
  close(): Promise<void>;
}

export async function openDesk(config: Record<string, unknown> = {}): Promise<Desk> {
  const world = await openWorld({
    tools: ["tmux"],
    agent: "none",
    unlimited: true,
    config: { after_crash: "go_on", ...config },
  });
  const claude = join(world.home, "bin", "claude");
  writeFileSync(
    claude,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, "..", "fakes", "agents", "terminal.mjs")}' "$@"\n`,
  );
  chmodSync(claude, 0o755);
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-u", "-S", join(world.stateDir, "bellhop.tmux"), ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const endServer = (): void => {
    try {
      tmux("kill-server");
    } catch {
      // It may be gone already.
    }
  };
  onTestFinished(endServer);
  const shows = async (words: string): Promise<void> => {
    // Nothing tells of what a terminal draws.
    while (!tmux("capture-pane", "-p").includes(words)) await setImmediate();
  };
  return {
    world,
    tmux,
    shows,
    async close() {
      endServer();
      await world.close();
    },
    async enter(text) {
      await shows("? for shortcuts");
      tmux("send-keys", "-l", text);
      await shows(`❯ ${text}`);
      tmux("send-keys", "Enter");
    },
    done: (word) => inFolder(world.project, () => did(world).includes(word)),
  };
}

export function did({ project }: World): string[] {
  const file = join(project, "done.txt");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

export async function started(world: World, options?: Parameters<World["daemon"]>[0]): Promise<Daemon> {
  const daemon = world.daemon(options);
  await daemon.ready;
  return daemon;
}
