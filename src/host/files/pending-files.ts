/**
 * The files of pending questions, as mirrors: written whole or not at all, private to their owner, under safe names.
 * They are never read, except those of an earlier installation, once.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, readWhole, writeAtomically, type Disk } from "../../base/disk.ts";

export interface PendingFiles {
  /**
   * Writes `<id>.json` in this directory, which is made if missing.
   * @throws what the disk throws; EINVAL for an id that is not a safe name
   */
  write(directory: string, id: string, content: object): Promise<void>;
  has(directory: string, id: string): Promise<boolean>;
  /** The content of each file by its name; files that are not JSON are skipped. */
  readAll(directory: string): Promise<Map<string, unknown>>;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,120}$/;
const LONGEST_FILE = 1024 * 1024;
const MOST_FILES = 10_000;

/** @param redact removes secrets from what is written */
export function openPendingFiles(disk: Disk, redact: <T>(value: T) => T): PendingFiles {
  const place = (directory: string, id: string): string => {
    if (!NAME.test(id)) throw Object.assign(new Error(`EINVAL: ${JSON.stringify(id)} is no name`), { code: "EINVAL" });
    return join(directory, `${id}.json`);
  };
  return {
    async write(directory, id, content) {
      const path = place(directory, id);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeAtomically(disk, path, Buffer.from(`${JSON.stringify(redact(content), null, 2)}\n`));
    },
    async has(directory, id) {
      return disk.stat(place(directory, id)).then(
        ({ directory: isDirectory }) => !isDirectory,
        () => false,
      );
    },
    async readAll(directory) {
      const names = await disk.readdir(directory).catch((error: unknown) => {
        if (errnoOf(error) === "ENOENT") return [];
        throw error;
      });
      const found = new Map<string, unknown>();
      for (const name of names.slice(0, MOST_FILES)) {
        const id = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
        if (!NAME.test(id)) continue;
        const content = await readJson(disk, join(directory, name));
        if (content !== undefined) found.set(id, content);
      }
      return found;
    },
  };
}

async function readJson(disk: Disk, path: string): Promise<unknown> {
  const { size, directory } = await disk.stat(path);
  if (directory || size > LONGEST_FILE) return undefined;
  const bytes = await readWhole(disk, path);
  try {
    return JSON.parse(bytes?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
