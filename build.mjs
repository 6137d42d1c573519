/**
 * Builds the packages of `packages/`, then `dist/`: the command line with each verb in a chunk of its own, everything it
 * needs bundled at the locked versions, the page of `discord-sandbox`, and the demo agent. The new `dist/` is put together
 * beside the old one and then takes its place, so a build that fails leaves what was there.
 */
import { build } from "esbuild";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { buildPackage as buildDemoAgent } from "./packages/demo-agent/build.mjs";
import { buildPackage as buildSandbox, licences, takePlace } from "./packages/discord-sandbox/build.mjs";

const root = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const dist = path.join(root, "dist");

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
  const sandbox = await buildSandbox();
  const demo = await buildDemoAgent();
  const inputs = [...(await buildProgram()), ...sandbox.inputs, ...demo.inputs];
  await cp(demo.file, path.join(fresh, "demo-agent.js"));
  await cp(sandbox.page, path.join(fresh, "page"), { recursive: true });
  await writeFile(path.join(fresh, "LICENCES.txt"), await licences(inputs));
  await takePlace(fresh, dist);
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
    // Its main file is UMD, whose own files a bundler cannot find.
    alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") },
    // Half the bytes to read at every start; names stay, for the stacks in the log.
    minifyWhitespace: true,
    minifySyntax: true,
    // Optional accelerators their users try and do without.
    external: ["bufferutil", "utf-8-validate", "zlib-sync"],
    banner: { js: NODE_REQUIRE },
  });
  return Object.keys(result.metafile.inputs);
}

function common() {
  return { absWorkingDir: root, bundle: true, metafile: true, sourcemap: false, logLevel: "warning", legalComments: "none" };
}
