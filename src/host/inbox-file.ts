/**
 * Seed A's inbox file as a mirror: written whole or not at all, for its owner alone. It is read back once, when it is
 * an earlier installation's; what stands in it after that changes nothing here.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf, readWhole, writeAtomically, type Disk } from "../base/disk.ts";

export interface InboxFile {
  /** Its folder is made where it is not there. @throws what the disk throws */
  write(content: object): Promise<void>;
  exists(): Promise<boolean>;
  /** What stands in it; undefined where there is none, or no JSON. @throws what the disk throws */
  read(): Promise<unknown>;
}

const LONGEST_FILE = 64 * 1024 * 1024;

/** @param path absolute */
export function openInboxFile(disk: Disk, path: string): InboxFile {
  async function size(): Promise<number | undefined> {
    try {
      const { size: bytes, directory } = await disk.stat(path);
      return directory ? undefined : bytes;
    } catch (error) {
      if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
      throw error;
    }
  }

  return {
    async write(content) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeAtomically(disk, path, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));
    },
    exists: async () => (await size()) !== undefined,
    async read() {
      const bytes = await size();
      if (bytes === undefined || bytes > LONGEST_FILE) return undefined;
      try {
        return JSON.parse((await readWhole(disk, path))?.toString("utf8") ?? "");
      } catch (error) {
        if (error instanceof SyntaxError) return undefined;
        throw error;
      }
    },
  };
}
