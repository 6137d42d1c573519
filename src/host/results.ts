/**
 * The answers: `STATE_DIR/results/<job_id>.md`, the full and redacted text of what an agent said. It is on the
 * disk, synced, before the journal says that the job has ended, and the journal keeps its digest. Beside it stands
 * the patch of what the job changed.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { openFolder, readWhole, writeNew, type Disk } from "../base/disk.ts";

export interface Results {
  /** Writes and syncs, in place of what a job that ended twice, once unheard, had there; returns the SHA-256 of the file as 64 hex digits. @throws what the disk throws */
  save(jobId: string, text: string): Promise<string>;
  /** The text, or undefined where there is no such answer. @throws what the disk throws */
  read(jobId: string): Promise<string | undefined>;
  /** The same two for `<job_id>.patch`, what the job changed. */
  savePatch(jobId: string, patch: Uint8Array): Promise<string>;
  readPatch(jobId: string): Promise<Buffer | undefined>;
}

const KEPT = 16;
const KEPT_CHARS = 100_000;

/** @param stateDir absolute; its folder `results` is made where missing. @throws what the disk throws */
export async function openResults(disk: Disk, stateDir: string): Promise<Results> {
  const folder = await openFolder(disk, stateDir, "results");
  const latest = new Map<string, string>();
  const pathOf = (jobId: string): string => join(folder, `${jobId}.md`);
  const patchOf = (jobId: string): string => join(folder, `${jobId}.patch`);
  return {
    async save(jobId, text) {
      const bytes = Buffer.from(text, "utf8");
      await writeNew(disk, pathOf(jobId), bytes);
      remember(latest, jobId, text);
      return createHash("sha256").update(bytes).digest("hex");
    },
    async read(jobId) {
      return latest.get(jobId) ?? (await readWhole(disk, pathOf(jobId)))?.toString("utf8");
    },
    async savePatch(jobId, patch) {
      await writeNew(disk, patchOf(jobId), patch);
      return createHash("sha256").update(patch).digest("hex");
    },
    readPatch: (jobId) => readWhole(disk, patchOf(jobId)),
  };
}

/** The last answers, which are asked for right after they were saved, are kept at hand. */
function remember(latest: Map<string, string>, jobId: string, text: string): void {
  if (text.length > KEPT_CHARS) return;
  latest.set(jobId, text);
  const [oldest] = latest.keys();
  if (latest.size > KEPT && oldest !== undefined) latest.delete(oldest);
}
