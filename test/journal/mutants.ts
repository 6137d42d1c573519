/**
 * Copies of the journal with one thing taken out of their source, to be put through the same procedures as the
 * real one: a procedure that passes a mutant proves nothing. The product has no switch for this; a mutant whose
 * passage is not found exactly once throws, so that the list cannot go stale.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { writeAtomically } from "../../src/base/disk.ts";
import type { Implementation } from "./sample-state.ts";

export interface Edit {
  /** Below `src/`. */
  file: string;
  find: string;
  put: string;
}

export interface Mutant extends Implementation {
  writeAtomically: typeof writeAtomically;
}

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

/** Builds the mutant in a fresh directory of its own and loads it from there. */
export async function mutant(edit: Edit): Promise<Mutant> {
  const home = mkdtempSync(join(tmpdir(), "bellhop-mutant-"));
  try {
    return await build(home, edit);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function build(home: string, { file, find, put }: Edit): Promise<Mutant> {
  mkdirSync(join(home, "base"));
  for (const name of ["clock.ts", "disk.ts", "errors.ts"]) cpSync(join(SOURCE, "base", name), join(home, "base", name));
  cpSync(join(SOURCE, "journal"), join(home, "journal"), { recursive: true });
  writeFileSync(join(home, "package.json"), '{ "type": "module" }');
  const text = readFileSync(join(home, file), "utf8");
  if (text.split(find).length !== 2) throw new Error(`${file} has ${text.split(find).length - 1} passages ${find}`);
  writeFileSync(join(home, file), text.replace(find, () => put));
  const [journal, disk] = await Promise.all([load(join(home, "journal/journal.ts")), load(join(home, "base/disk.ts"))]);
  return { ...journal, ...disk } as unknown as Mutant;
}

async function load(path: string): Promise<Record<string, unknown>> {
  const loaded: unknown = await import(pathToFileURL(path).href);
  return loaded as Record<string, unknown>;
}
