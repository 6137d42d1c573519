/** Copies of the journal with one safeguard taken out. */
import type { writeAtomically } from "../../src/base/disk.ts";
import { mutant as load, type Edit } from "../mutant.ts";
import type { Implementation } from "./sample-state.ts";

export type { Edit };

export interface Mutant extends Implementation {
  writeAtomically: typeof writeAtomically;
}

export function mutant(edit: Edit): Promise<Mutant> {
  return load(edit, ["journal/journal.ts", "base/disk.ts"]);
}
