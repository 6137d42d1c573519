/**
 * Builds `dist/`: the server as JavaScript with its types, file by file, and the page as one script with its
 * styles. `packages/discord-sandbox/build.mjs` runs alone; Bellhop's own build calls it and takes the page from it.
 */
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname ?? path.dirname(fileURLToPath(import.meta.url));
const page = path.join(here, "src", "page");
const dist = path.join(here, "dist");

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPackage();

/** Puts the new `dist/` together beside the old one, so that a build that fails leaves what was there. */
export async function buildPackage() {
  const fresh = path.join(here, `.dist-${process.pid}`);
  await mkdir(fresh);
  try {
    compile(fresh);
    const inputs = await buildPage(path.join(fresh, "page"));
    await writeFile(path.join(fresh, "LICENCES.txt"), await licences(inputs));
    await takePlace(fresh, dist);
    return { page: path.join(dist, "page"), inputs };
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** The types are checked elsewhere; here they are only taken out, and written beside as declarations. */
function compile(outDir) {
  const tsc = path.join(packageFolder("typescript"), "bin", "tsc");
  const done = spawnSync(process.execPath, [tsc, "-p", here, "--outDir", outDir], { stdio: ["ignore", 2, 2] });
  if (done.status !== 0) throw new Error("The TypeScript compiler failed (see above)");
}

/** The script bundled, every other file as it is. Returns the files that went in. */
async function buildPage(outdir) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [{ in: path.join(page, "main.tsx"), out: "app" }],
    bundle: true,
    metafile: true,
    logLevel: "warning",
    legalComments: "none",
    platform: "browser",
    target: "es2022",
    format: "esm",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    outdir,
  });
  for (const name of await readdir(page))
    if (/\.(?:html|css|svg)$/.test(name)) await cp(path.join(page, name), path.join(outdir, name));
  return Object.keys(result.metafile.inputs).map((file) => path.resolve(here, file));
}

/** The licence text of every package whose code is among these files, as most of them ask. */
export async function licences(files) {
  const names = new Set(
    files.flatMap((file) => /.*node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1] ?? []),
  );
  const texts = [];
  for (const name of [...names].sort()) {
    const folder = packageFolder(name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : await readFile(path.join(folder, file), "utf8");
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}

/** A directory cannot replace a full one by rename alone, so the old one steps aside first. */
export async function takePlace(fresh, place) {
  const old = `${fresh}-old`;
  await mkdir(place, { recursive: true });
  await rename(place, old);
  await rename(fresh, place);
  await rm(old, { recursive: true, force: true });
}

/** Where a development package is installed: here, or in the checkout around. */
function packageFolder(name) {
  return path.join(here, "..", "..", "node_modules", name);
}
