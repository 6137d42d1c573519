/**
 * Copies of the product's modules with one thing taken out of their source, to be put through the same procedures as
 * the real ones: a procedure that passes a mutant proves nothing. The product has no switch for this; a mutant whose
 * passage is not found exactly once throws, so that no list of them can go stale.
 */
import { build, type Plugin } from "esbuild";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export interface Edit {
  /** Below `src/`. */
  file: string;
  find: string;
  put: string;
}

const SOURCE = fileURLToPath(new URL("../src", import.meta.url));

/**
 * Builds the mutant into one file in a fresh directory and loads it from there: one file is loaded much faster than the
 * hundred it comes from.
 * @param loaded the files below `src/` whose exports are returned; what they import is in the mutant too
 */
export async function mutant<T>(edit: Edit, loaded: readonly string[]): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "bellhop-mutant-"));
  try {
    const outfile = join(home, "mutant.mjs");
    const contents = loaded.map((name) => `export * from ${JSON.stringify(join(SOURCE, name))};`).join("\n");
    const { metafile } = await build({
      stdin: { contents, resolveDir: SOURCE },
      outfile,
      metafile: true,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node22",
      logLevel: "silent",
      plugins: [withEdit(edit)],
    });
    if (!Object.keys(metafile.inputs).some((path) => path.endsWith(`src/${edit.file}`)))
      throw new Error(`${edit.file} is not in the mutant`);
    return (await import(pathToFileURL(outfile).href)) as T;
  } finally {
    rmSync(home, { recursive: true });
  }
}

function withEdit({ file, find, put }: Edit): Plugin {
  const edited = join(SOURCE, file);
  return {
    name: "edit",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== edited) return null;
        const text = readFileSync(path, "utf8");
        const passages = text.split(find).length - 1;
        if (passages !== 1) throw new Error(`${file} has ${passages} passages ${find}`);
        return { contents: text.replace(find, () => put), loader: "ts" };
      });
    },
  };
}
