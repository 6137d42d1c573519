/**
 * One operation of the disk fails, the n-th, for every n, with every error, once or from there on. Whatever
 * happens is said, nothing acknowledged is lost even if the power goes right after, and nobody writes to or
 * syncs a file on which that has failed. Throws where it is not so.
 */
import { seededChance } from "../fakes/disk/chance.ts";
import { type FaultyDisk, faultyDisk } from "../fakes/disk/faulty-disk.ts";
import type { MemoryDisk } from "../fakes/disk/memory-disk.ts";
import { type Implementation, codeOf, diskWith, lines, openHouse, same } from "./sample-state.ts";

export const ERRORS = ["EIO", "ENOSPC", "EDQUOT", "EMFILE", "EACCES", "EROFS", "short"];

const SMALL = { segmentBytes: 700, everyEvents: 4 };
const BEFORE = 3;

interface Outcome {
  acked: number[];
  /** Something rejected, or there is a notice. */
  said: boolean;
}

/** A journal with a torn end is opened, written to until it has rotated, given snapshots, and closed. */
async function story(implementation: Implementation, disk: FaultyDisk): Promise<Outcome> {
  const acked = new Set<number>();
  let said = false;
  try {
    const house = await openHouse(implementation, disk, SMALL);
    for (const id of house.ids) acked.add(id);
    for (let id = BEFORE + 1; id < BEFORE + 19; id += 3) {
      await Promise.all(
        [id, id + 1, id + 2].map((each) =>
          house.tell(each).then(
            () => acked.add(each),
            () => {
              said = true;
            },
          ),
        ),
      );
    }
    await house.journal.close();
    said ||= house.notices.some(({ kind }) => kind === "snapshot_failed" || kind === "snapshot_rebuilt");
  } catch (error) {
    const code = await codeOf(Promise.reject(error));
    if (code !== "E_JOURNAL_WRITE") throw error;
    said = true;
  }
  return { acked: [...acked], said };
}

/** @returns how many operations times errors were tried */
export async function everyFault(implementation: Implementation, everyNth = 1): Promise<number> {
  const calm = faultyDisk(torn(), { at: Number.POSITIVE_INFINITY, error: "EIO", forEver: false });
  const { acked, said } = await story(implementation, calm);
  if (said || acked.length !== BEFORE + 18) throw new Error(`without any fault: ${acked.length} events, said: ${said}`);
  let tried = 0;
  for (let at = 1; at <= calm.operations; at += everyNth) {
    for (const error of ERRORS) {
      for (const forEver of [false, true]) {
        await oneFault(implementation, { at, error, forEver });
        tried += 1;
      }
    }
  }
  return tried;
}

async function oneFault(
  implementation: Implementation,
  planned: { at: number; error: string; forEver: boolean },
): Promise<void> {
  const where = JSON.stringify(planned);
  const inner = torn();
  const disk = faultyDisk(inner, planned);
  const { acked, said } = await story(implementation, disk);
  if (disk.touchedAfterFailure.length > 0)
    throw new Error(`${where}: ${disk.touchedAfterFailure.join(", ")} after it had failed`);
  if (planned.error !== "short" && disk.hurt && !said) throw new Error(`${where}: nothing was said`);
  if (planned.error === "short" && said) throw new Error(`${where}: a short write is no failure`);
  inner.crash(seededChance(planned.at));
  const { ids } = await openHouse(implementation, inner, SMALL);
  const lost = acked.filter((id) => !ids.includes(id));
  if (lost.length > 0) throw new Error(`${where}: acknowledged and lost: ${lost.join(", ")}`);
  if (
    !same(
      ids,
      ids.toSorted((a, b) => a - b),
    )
  )
    throw new Error(`${where}: out of order: ${ids.join(" ")}`);
}

function torn(): MemoryDisk {
  return diskWith(Buffer.concat([...lines(BEFORE), Buffer.from('{"seq":4,"ts":"2026-')]));
}
