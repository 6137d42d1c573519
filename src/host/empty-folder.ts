/** A temporary folder with an unpredictable name, which exists while an action uses it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function withEmptyFolder<T>(use: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), "bellhop-"));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}
