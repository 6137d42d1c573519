/**
 * The power is cut at a random moment of a random life, a few lives in a row. What was acknowledged, and what an
 * opened journal had made believed, must be there afterwards, in order, once, unchanged. Throws where it is not.
 */
import { repairJournal } from "../../src/journal/verify.ts";
import { type Chance, seededChance } from "../fakes/disk/chance.ts";
import { MemoryDisk } from "../fakes/disk/memory-disk.ts";
import { DIR, type House, type Implementation, TS, codeOf, openHouse } from "./sample-state.ts";

export interface PowerRun {
  seed: number;
  /** Writes fall short, at random. */
  short?: boolean;
  /** The power cut leaves holes: a refusal is allowed then, and the repair after it must keep what was acknowledged. */
  holes?: boolean;
}

interface Ledger {
  issued: number;
  acked: Set<number>;
}

const SMALL = { segmentBytes: 500, everyEvents: 4 };

/** @returns how many events were acknowledged */
export async function powerLoss(
  implementation: Implementation,
  { seed, short = false, holes = false }: PowerRun,
): Promise<number> {
  const chance = seededChance(seed);
  const disk = new MemoryDisk(DIR);
  if (short) disk.takes = (length) => 1 + chance.below(length);
  disk.holes = holes;
  const ledger: Ledger = { issued: 0, acked: new Set() };
  for (let lives = 1 + chance.below(3); lives > 0; lives -= 1) {
    disk.cutPowerAfter(1 + chance.below(90));
    await live(implementation, disk, chance, ledger);
    disk.crash(chance);
    if (holes) await repairJournal(disk, DIR, TS);
  }
  const last = await openHouse(implementation, disk, SMALL);
  check(seed, last, ledger);
  await agreesWithFullReplay(implementation, disk, last);
  return ledger.acked.size;
}

async function live(implementation: Implementation, disk: MemoryDisk, chance: Chance, ledger: Ledger): Promise<void> {
  let house: House;
  try {
    house = await openHouse(implementation, disk, SMALL);
  } catch (error) {
    if ((await codeOf(Promise.reject(error))) !== "E_JOURNAL_WRITE") throw error;
    return;
  }
  // Whoever opened it acts on what it said, so it must stay true.
  for (const id of house.ids) ledger.acked.add(id);
  for (let round = 0; round < 30 && house.journal.failed === undefined; round += 1) {
    const appends = Array.from({ length: 1 + chance.below(4) }, () => {
      const ids = Array.from({ length: 1 + chance.below(2) }, () => (ledger.issued += 1));
      return house.tell(...ids).then(
        () => ids.forEach((id) => ledger.acked.add(id)),
        () => undefined,
      );
    });
    await Promise.all(appends);
  }
  await house.journal.close();
}

function check(seed: number, { ids }: House, ledger: Ledger): void {
  const there = new Set(ids);
  for (const id of ledger.acked)
    if (!there.has(id)) throw new Error(`seed ${seed}: ${id} was acknowledged and is lost`);
  ids.forEach((id, index) => {
    if (id > ledger.issued || (index > 0 && id <= (ids[index - 1] ?? 0)))
      throw new Error(`seed ${seed}: ${id} stands at ${index}`);
  });
}

/** The state by the snapshot and the state by the events alone are one. */
async function agreesWithFullReplay(implementation: Implementation, disk: MemoryDisk, last: House): Promise<void> {
  await last.journal.close();
  if (!disk.list(DIR).includes("snapshot.json")) return;
  await disk.unlink(`${DIR}/snapshot.json`);
  const { ids } = await openHouse(implementation, disk, SMALL);
  if (JSON.stringify(ids) !== JSON.stringify(last.ids)) throw new Error("the snapshot and the events disagree");
}
