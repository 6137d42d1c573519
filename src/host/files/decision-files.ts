/**
 * The exact bytes of what the owner is asked to allow: `STATE_DIR/decisions/<decision_id>.json`. They are written and
 * synced before anything is asked, and the journal keeps their digest; what is shown is read from here, and what is
 * done is compared with it.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { inFolder, openFolder, readWhole, writeNew, type Disk } from "../../base/disk.ts";
import { isDecisionId } from "../../base/ids.ts";

export interface DecisionFiles {
  /**
   * Writes and syncs; returns the SHA-256 of the file as 64 hex digits.
   * @throws TypeError for an invalid decision id; what the disk throws
   */
  write(decisionId: string, bytes: string): Promise<string>;
  /** The text, or null if there is none with this id. @throws what the disk throws */
  read(decisionId: string): Promise<string | null>;
}

const KEPT = 16;
const KEPT_CHARS = 200_000;

/** @param stateDir absolute; its folder `decisions` is made if missing. @throws what the disk throws */
export async function openDecisionFiles(disk: Disk, stateDir: string): Promise<DecisionFiles> {
  const folder = await openFolder(disk, stateDir, "decisions");
  const latest = new Map<string, string>();
  const pathOf = (decisionId: string): string => join(folder, `${decisionId}.json`);
  return {
    async write(decisionId, bytes) {
      if (!isDecisionId(decisionId)) throw new TypeError(`no decision's id: ${decisionId}`);
      await inFolder(disk, folder, () => writeNew(disk, pathOf(decisionId), Buffer.from(bytes, "utf8")));
      remember(latest, decisionId, bytes);
      return digestOf(bytes);
    },
    async read(decisionId) {
      if (!isDecisionId(decisionId)) return null;
      return latest.get(decisionId) ?? (await readWhole(disk, pathOf(decisionId)))?.toString("utf8") ?? null;
    },
  };
}

/** What a decision asked, byte for byte; null if the file is missing or has been altered. @throws as `read` */
export async function askedBytes(
  files: Pick<DecisionFiles, "read">,
  { decision_id, subject }: { decision_id: string; subject: { sha256: string } | null },
): Promise<string | null> {
  const bytes = await files.read(decision_id);
  return bytes !== null && digestOf(bytes) === subject?.sha256 ? bytes : null;
}

/** SHA-256 of the text's UTF-8, as 64 hex digits. */
export function digestOf(bytes: string): string {
  return createHash("sha256").update(bytes, "utf8").digest("hex");
}

/** What was asked last is shown right after, so it is cached. */
function remember(latest: Map<string, string>, decisionId: string, bytes: string): void {
  if (bytes.length > KEPT_CHARS) return;
  latest.set(decisionId, bytes);
  const [oldest] = latest.keys();
  if (latest.size > KEPT && oldest !== undefined) latest.delete(oldest);
}
