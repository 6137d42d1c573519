/**
 * Builds `dist/`: the command line with each verb in a chunk of its own, everything it needs bundled at the
 * locked versions, and the sandbox's page. The new `dist/` is put together beside the old one and then takes
 * its place, so a build that fails leaves what was there.
 */
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const root = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const dist = path.join(root, "dist");
const page = path.join(root, "src", "sandbox", "page");

/**
 * The `require` of bundled CommonJS packages. They need nothing but what Node has in it, so nothing is ever looked
 * for on disk, and a start is spared the 10 ms that making a real one takes.
 */
const NODE_REQUIRE = `const require = (name) => {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw Object.assign(new Error("Not in the bundle: " + name), { code: "MODULE_NOT_FOUND" });
  return found;
};`;

const fresh = path.join(root, `.dist-${process.pid}`);
await mkdir(fresh);
try {
  const inputs = [...(await buildProgram()), ...(await buildPage())];
  await writeFile(path.join(fresh, "LICENCES.txt"), await licences(inputs));
  await takePlace();
} catch (error) {
  await rm(fresh, { recursive: true, force: true });
  // What is wrong in the sources esbuild has said already, with file and line.
  if (error.errors === undefined) throw error;
  process.exitCode = 1;
}

/** The program: one entry, one chunk a verb. Dependencies are bundled: it halves the time to start. */
async function buildProgram() {
  const result = await build({
    ...common(),
    entryPoints: [{ in: path.join(root, "src/cli/bellhop.ts"), out: "bellhop" }],
    platform: "node",
    target: "node22",
    format: "esm",
    splitting: true,
    outdir: fresh,
    chunkNames: "chunk-[name]-[hash]",
    // The same library as it is for the web: it brings no HTTP client of its own, and Node has one.
    alias: { "@discordjs/rest": path.join(root, "node_modules/@discordjs/rest/dist/web.mjs") },
    // Half the bytes to read at every start; names stay, for the stacks in the log.
    minifyWhitespace: true,
    minifySyntax: true,
    // Optional accelerators their users try and do without.
    external: ["bufferutil", "utf-8-validate", "zlib-sync"],
    banner: { js: NODE_REQUIRE },
  });
  return Object.keys(result.metafile.inputs);
}

/** The sandbox's page, where there is one: the script bundled, every other file as it is. */
async function buildPage() {
  const main = path.join(page, "main.tsx");
  if (!existsSync(main)) return [];
  const result = await build({
    ...common(),
    entryPoints: [{ in: main, out: "app" }],
    platform: "browser",
    target: "es2022",
    format: "esm",
    minify: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    outdir: path.join(fresh, "page"),
  });
  await cp(page, path.join(fresh, "page"), { recursive: true, filter: (file) => !/\.tsx?$|[/\\]tsconfig\.json$/.test(file) });
  return Object.keys(result.metafile.inputs);
}

function common() {
  return { absWorkingDir: root, bundle: true, metafile: true, sourcemap: false, logLevel: "warning", legalComments: "none" };
}

/** The licence text of every package whose code is in the bundle, as most of them ask. */
async function licences(inputs) {
  const names = new Set(inputs.flatMap((input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []));
  const texts = [];
  for (const name of [...names].sort()) {
    const folder = path.join(root, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : await readFile(path.join(folder, file), "utf8");
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  return texts.join(`\n${"-".repeat(72)}\n\n`);
}

/** A directory cannot replace a full one by rename alone, so the old one steps aside first. */
async function takePlace() {
  const old = `${fresh}-old`;
  await mkdir(dist, { recursive: true });
  await rename(dist, old);
  await rename(fresh, dist);
  await rm(old, { recursive: true, force: true });
}
