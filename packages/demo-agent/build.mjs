/**
 * Builds `dist/`: the agent and everything it needs as one file, so that what is installed has no dependencies.
 */
import { build } from "esbuild";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { licences, takePlace } from "../discord-sandbox/build.mjs";

const here = import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage();

/** Puts the new `dist/` together beside the old one, so that a build that fails leaves what was there. */
export async function buildPackage() {
  const fresh = path.join(here, `.dist-${process.pid}`);
  await mkdir(fresh);
  try {
    const inputs = await buildAgent(fresh);
    await writeFile(path.join(fresh, "LICENCES.txt"), await licences(inputs));
    await takePlace(fresh, path.join(here, "dist"));
    return { file: path.join(here, "dist", "demo-agent.js"), inputs };
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the files that went in. */
async function buildAgent(outdir) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [{ in: path.join(here, "src", "demo-agent.ts"), out: "demo-agent" }],
    bundle: true,
    metafile: true,
    logLevel: "warning",
    legalComments: "none",
    platform: "node",
    target: "node22",
    format: "esm",
    minifyWhitespace: true,
    minifySyntax: true,
    outdir,
  });
  return Object.keys(result.metafile.inputs).map((file) => path.resolve(here, file));
}
