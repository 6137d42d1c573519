/**
 * A state directory on a small disk of its own, which is really full when a test fills it. It outlives the daemon, so
 * that the next one finds what the first has left.
 */
import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Stats,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openWorld, type Daemon, type World, type WorldOptions } from "./world.ts";

export interface SmallDisk {
  /** The state directory, as this process reaches it. */
  readonly path: string;
  /** Takes all the room there is, but so many KiB. */
  fill(leave?: number): void;
  /** Gives it back. */
  empty(): void;
  /** The reserve, if anything stands under its name. */
  reserve(): Stats | undefined;
}

/** A world whose daemons have their state directory on a small disk. */
export interface CrampedWorld {
  world: World;
  disk: SmallDisk;
  daemon(): Daemon;
}

const MOUNT = 'mount -t tmpfs -o mode=700,size="$1"k tmpfs "$0" && echo mounted && exec sleep 3600';

/** Whether a disk of one's own is to be had here. */
export const hasSmallDisks = ((): boolean => {
  const place = mkdtempSync(join(tmpdir(), "bellhop-mount-"));
  const { status } = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", place], { stdio: "ignore" });
  rmSync(place, { recursive: true });
  return status === 0;
})();
if (!hasSmallDisks)
  process.stderr.write("No disk is really full: unshare, nsenter or a mount of one's own is not to be had here.\n");

export async function openCrampedWorld(kib: number, options: WorldOptions = {}): Promise<CrampedWorld> {
  const world = await openWorld(options);
  const config = readFileSync(join(world.stateDir, "config.json"));
  const holder = spawn("unshare", ["-rm", "sh", "-c", MOUNT, world.stateDir, String(kib)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await new Promise((resolve) => void holder.stdout.once("data", resolve));
  const path = `/proc/${holder.pid}/root${world.stateDir}`;
  writeFileSync(join(path, "config.json"), config, { mode: 0o600 });
  const prefix = ["nsenter", "-t", String(holder.pid), "-U", "-m", "--preserve-credentials"];
  // What it logs is not what these tests are about, and would take an unknown share of the disk.
  return {
    world,
    disk: diskAt(path),
    daemon: () => world.daemon({ prefix, env: { LOG_DIR: join(world.home, "logs") } }),
  };
}

function diskAt(path: string): SmallDisk {
  let filled = 0;
  const ballast = (): string => join(path, `ballast-${filled}`);
  return {
    path,
    fill(leave = 0) {
      filled += 1;
      const kept = join(path, "kept-free");
      writeFileSync(kept, Buffer.alloc(leave * 1024, 1));
      const fd = openSync(ballast(), "wx");
      try {
        for (const size of [64 * 1024, 4096]) {
          while (tried(() => writeSync(fd, Buffer.alloc(size, 1)) === size));
        }
      } finally {
        closeSync(fd);
        rmSync(kept);
      }
    },
    empty() {
      for (; filled > 0; filled -= 1) rmSync(ballast());
    },
    reserve: () => lstatSync(join(path, "reserve"), { throwIfNoEntry: false }),
  };
}

function tried(write: () => boolean): boolean {
  try {
    return write();
  } catch {
    return false;
  }
}
