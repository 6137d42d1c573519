/**
 * The inbox file as a mirror: written whole or not at all, private to its owner. It is read once, if it is an earlier
 * installation's; later changes of it have no effect.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf, readWhole, writeAtomically, type Disk } from "../../base/disk.ts";

export interface InboxFile {
  /** Makes its folder if missing. @throws what the disk throws */
  write(content: object): Promise<void>;
  exists(): Promise<boolean>;
  /** Its content; undefined if there is none, or it is not JSON. @throws what the disk throws */
  read(): Promise<unknown>;
}

const LONGEST_FILE = 64 * 1024 * 1024;

/**
 * @param path absolute
 * @param redact removes secrets from what is written
 */
export function openInboxFile(disk: Disk, path: string, redact: <T>(value: T) => T): InboxFile {
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
      await writeAtomically(disk, path, Buffer.from(`${JSON.stringify(redact(content), null, 2)}\n`));
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
