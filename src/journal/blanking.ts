/**
 * Blanks a forgotten session in the closed segments: each that has words of it is written anew, line for line, with the
 * same numbers, and takes the old one's place whole. Nothing is written that was not read and checked. Repeated after a
 * crash, it does what is left.
 */
import { join } from "node:path";
import { writeAtomically, type Disk } from "../base/disk.ts";
import { SessionLines } from "../core/blanking.ts";
import { understands } from "../core/evolve.ts";
import { encode, type JournalEvent } from "./format.ts";
import { readJournal, readOne } from "./reader.ts";
import { diskFailed, listJournal } from "./writer.ts";

export interface Blanking {
  /** The state directory. */
  dir: string;
  threadId: string;
  /** The last event in the closed segments; no snapshot ends before it. */
  through: number;
}

/** What the journal tells of the session, and what was blanked of it. */
export interface Blanked {
  events: number;
  /** Its jobs and outside turns. */
  works: string[];
  /** Its decisions, each with the directory in which a file mirrors it. */
  decisions: { id: string; mirrored: string | null }[];
}

/** @throws BellhopError E_JOURNAL_CORRUPT; E_JOURNAL_WRITE if the disk refuses */
export async function blankSession(disk: Disk, { dir, threadId, through }: Blanking): Promise<Blanked> {
  const lines = new SessionLines(threadId);
  const options = { disk, dir, canRead: understands };
  await readJournal({ ...options, until: through, onEvent: (event) => lines.read(event) });
  const { segments } = await listJournal(disk, dir);
  let events = 0;
  for (const segment of segments.filter(({ firstSeq }) => firstSeq <= through)) {
    let found = 0;
    const count = (event: JournalEvent): void => void (found += lines.blanked(event) === null ? 0 : 1);
    await readOne({ ...options, onEvent: count }, segment);
    if (found === 0) continue;
    const path = join(dir, segment.name);
    try {
      await writeAtomically(disk, path, (write) => rewrite(options, segment, lines, write));
    } catch (error) {
      throw diskFailed(path, "rewrite", error);
    }
    events += found;
  }
  const decisions = [...lines.decisions].map(([id, mirrored]) => ({ id, mirrored }));
  return { events, works: [...lines.works], decisions };
}

/** In pieces as they are read. */
async function rewrite(
  options: Omit<Parameters<typeof readOne>[0], "onEvent">,
  segment: Parameters<typeof readOne>[1],
  lines: SessionLines,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  let read: Buffer[] = [];
  const pause = async (): Promise<void> => {
    const piece = Buffer.concat(read);
    read = [];
    await write(piece);
  };
  await readOne(
    {
      ...options,
      onEvent(event, _crc, line) {
        const payload = lines.blanked(event);
        read.push(payload === null ? line.bytes() : encode({ type: event.type, payload }, event.seq, event.ts).line);
      },
      pause,
    },
    segment,
  );
  await pause();
}
