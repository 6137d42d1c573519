/**
 * `results/ends`: one line for each agent that has ended well and whose whole answer is written. A start after a kill
 * finds here what the journal could not be told any more. One file holds all of them, because making and removing one
 * for each job costs more than writing its answer.
 */
import { readWhole, writeAll, type Disk, type DiskFile } from "../../base/disk.ts";

export interface EndNotes {
  /** Survives a kill, not a power cut. Rejects with what the disk throws. */
  add(jobId: string, end: object): Promise<void>;
  /**
   * The last note of each job, as it was written, not validated; some of them may be forgotten. @throws what the disk
   * throws
   */
  all(): Promise<Map<string, Record<string, unknown>>>;
  /** The file is gone with its folder: the next note makes another one. */
  lost(): void;
  /** The note is not needed any more. Never rejects. */
  forget(jobId: string): Promise<void>;
}

/** The file is emptied from this size on, when no note in it is needed. */
const FULL_BYTES = 64 * 1024;

export function openEndNotes(disk: Disk, path: string): EndNotes {
  const needed = new Set<string>();
  let line: Promise<unknown> = Promise.resolve();
  let file: DiskFile | null = null;
  let size = 0;

  /** One operation at a time: a note must not be written into a file that is being emptied. */
  function inOrder(act: (file: DiskFile) => Promise<void>): Promise<void> {
    const done = line.then(async () => act((file ??= await opened())));
    line = done.catch(() => undefined);
    return done;
  }

  async function opened(): Promise<DiskFile> {
    const there = await disk.open(path, "a");
    size = await there.size();
    return there;
  }

  return {
    add(jobId, end) {
      needed.add(jobId);
      // The line break comes first, so that half a note before it, from a full disk, spoils no other.
      const bytes = Buffer.from(`\n${JSON.stringify([jobId, end])}`);
      return inOrder(async (notes) => {
        size += bytes.length;
        await writeAll(notes, bytes);
      });
    },
    async all() {
      const text = Buffer.from((await readWhole(disk, path)) ?? []).toString("utf8");
      return new Map(text.split("\n").flatMap(parsed));
    },
    lost() {
      line = line.then(() => {
        void file?.close().catch(() => undefined);
        file = null;
      });
    },
    async forget(jobId) {
      needed.delete(jobId);
      if (file !== null && size < FULL_BYTES) return;
      await inOrder(async (notes) => {
        if (needed.size > 0) return;
        await notes.truncate(0);
        size = 0;
      }).catch(() => undefined);
    },
  };
}

/** A note that a power cut truncated counts as none. */
function parsed(line: string): [string, Record<string, unknown>][] {
  try {
    const [jobId, end] = JSON.parse(line) as [unknown, unknown];
    return typeof jobId === "string" && typeof end === "object" && end !== null
      ? [[jobId, end as Record<string, unknown>]]
      : [];
  } catch {
    return [];
  }
}
