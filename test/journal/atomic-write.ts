/**
 * A file replaced atomically while the power fails at every moment: before it resolves, the old content or the
 * new is there, whole; afterwards only the new. Throws where it is not so.
 */
import type { writeAtomically } from "../../src/base/disk.ts";
import { seededChance } from "../fakes/disk/chance.ts";
import { MemoryDisk } from "../fakes/disk/memory-disk.ts";
import { DIR } from "./sample-state.ts";

export async function atomicWrites(write: typeof writeAtomically, runs: number): Promise<void> {
  const [before, after] = [Buffer.from("what was there"), Buffer.from("what is there now, and is longer")];
  for (let seed = 1; seed <= runs; seed += 1) {
    const chance = seededChance(seed);
    const disk = new MemoryDisk(DIR);
    disk.put(`${DIR}/config.json`, before);
    disk.takes = (length) => 1 + chance.below(length);
    disk.cutPowerAfter(1 + chance.below(45));
    const resolved = await write(disk, `${DIR}/config.json`, after).then(
      () => true,
      () => false,
    );
    disk.crash(chance);
    const content = disk.bytes(`${DIR}/config.json`);
    if (resolved ? !content.equals(after) : !content.equals(after) && !content.equals(before))
      throw new Error(`seed ${seed}: ${content.toString()}`);
  }
}
