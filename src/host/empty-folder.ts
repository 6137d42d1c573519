/**
 * A temporary folder with an unpredictable name, which exists while an action uses it, or until the process exits. What
 * a killed process leaves is removed later, by its age.
 */
import { rmSync } from "node:fs";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";

const PREFIX = "bellhop-empty-";
/** No action takes that long. */
const LEFT_MS = 60 * 60_000;

const used = new Set<string>();

export async function withEmptyFolder<T>(use: (path: string) => Promise<T>): Promise<T> {
  await removeLeft();
  const path = await mkdtemp(join(tmpdir(), PREFIX));
  if (used.size === 0) process.on("exit", removeUsed);
  used.add(path);
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
    used.delete(path);
    if (used.size === 0) process.off("exit", removeUsed);
  }
}

function removeUsed(): void {
  for (const path of used) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The program that uses it may still write there.
    }
  }
}

async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    try {
      const { mtimeMs } = await lstat(path);
      if (systemClock.now() - mtimeMs > LEFT_MS) await rm(path, { recursive: true, force: true });
    } catch {
      // Another process has removed it, or it is another user's.
    }
  }
}
