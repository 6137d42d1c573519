/**
 * The answers: `STATE_DIR/results/<job_id>.md`, the full and redacted text of what an agent said. It is on the
 * disk, synced, before the journal says that the job has ended, and the journal keeps its digest.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errnoOf, readWhole, writeAtomically, type Disk } from "../base/disk.ts";

export interface Results {
  /** Writes and syncs; returns the SHA-256 of the file as 64 hex digits. @throws what the disk throws */
  save(jobId: string, text: string): Promise<string>;
  /** The text, or undefined where there is no such answer. @throws what the disk throws */
  read(jobId: string): Promise<string | undefined>;
}

/** @param stateDir absolute; its folder `results` is made where missing. @throws what the disk throws */
export async function openResults(disk: Disk, stateDir: string): Promise<Results> {
  const folder = join(stateDir, "results");
  try {
    await disk.mkdir(folder);
    await disk.syncDirectory(stateDir);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  const pathOf = (jobId: string): string => join(folder, `${jobId}.md`);
  return {
    async save(jobId, text) {
      const bytes = Buffer.from(text, "utf8");
      await writeAtomically(disk, pathOf(jobId), bytes);
      return createHash("sha256").update(bytes).digest("hex");
    },
    async read(jobId) {
      return (await readWhole(disk, pathOf(jobId)))?.toString("utf8");
    },
  };
}
