/**
 * Copies of the product's modules with one thing taken out of their source, to be put through the same procedures as
 * the real ones: a procedure that passes a mutant proves nothing. The product has no switch for this; a mutant whose
 * passage is not found exactly once throws, so that no list of them can go stale.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface Edit {
  /** Below `src/`. */
  file: string;
  find: string;
  put: string;
}

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));

/**
 * Builds the mutant in a fresh directory of its own and loads it from there.
 * @param copied the files and folders below `src/` that it consists of
 * @param loaded those of them whose exports are returned
 */
export async function mutant<T>(
  { file, find, put }: Edit,
  copied: readonly string[],
  loaded: readonly string[],
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "bellhop-mutant-"));
  try {
    for (const name of copied) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      cpSync(join(SOURCE, name), join(home, name), { recursive: true });
    }
    writeFileSync(join(home, "package.json"), '{ "type": "module" }');
    const text = readFileSync(join(home, file), "utf8");
    if (text.split(find).length !== 2) throw new Error(`${file} has ${text.split(find).length - 1} passages ${find}`);
    writeFileSync(
      join(home, file),
      text.replace(find, () => put),
    );
    const modules = await Promise.all(
      loaded.map((name): Promise<object> => import(pathToFileURL(join(home, name)).href)),
    );
    return Object.assign({}, ...modules) as T;
  } finally {
    rmSync(home, { recursive: true });
  }
}
