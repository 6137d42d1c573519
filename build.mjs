/**
 * Builds the packages of `packages/`, then `dist/`: the command line with each verb in a chunk of its own, everything
 * it needs bundled at the locked versions, the page of `discord-sandbox`, and the demo agent. The new `dist/` is put
 * together beside the old one and then takes its place, so a build that fails leaves what was there.
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

/**
 * Node's own modules, taken as they are. To `import` one makes a view of everything in it, and some of that loads half
 * of Node when it is looked at (undici behind `node:http`), which cost each start more than our own code.
 */
const nodesOwn = {
  name: "nodes-own",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path: name, kind }) =>
      kind === "import-statement" ? { path: name, namespace: "nodes-own", sideEffects: false } : undefined,
    );
    onLoad({ filter: /^/, namespace: "nodes-own" }, ({ path: name }) => ({
      contents: `const own = process.getBuiltinModule("${name}");\nexport default own;\n${exportsOf(name).join("\n")}`,
    }));
  },
};

/** Only what is used is looked at. */
function exportsOf(name) {
  const names = Object.keys(process.getBuiltinModule(name)).filter(
    (one) => /^[a-z_]\w*$/i.test(one) && one !== "default",
  );
  return names.map((one) => `const $${one} = /* @__PURE__ */ (() => own.${one})();\nexport { $${one} as ${one} };`);
}

/** Of Discord's types only the constants that are used: as it comes, the package makes all of them at every start. */
const discordsConstants = {
  name: "discords-constants",
  setup({ onResolve, onLoad }) {
    const from = path.join(root, "node_modules/discord-api-types/v10.js");
    onResolve({ filter: /^discord-api-types\/v10$/ }, () => ({
      path: from,
      namespace: "constants",
      sideEffects: false,
    }));
    onLoad({ filter: /^/, namespace: "constants" }, async () => {
      const all = Object.entries(await import("discord-api-types/v10")).filter(
        ([name, value]) => typeof value === "object" && name !== "default",
      );
      return { contents: all.map(([name, value]) => `export const ${name} = ${literal(value)};`).join("\n") };
    });
  },
};

function literal(values) {
  const entries = Object.entries(values).filter(([, value]) => ["number", "string", "bigint"].includes(typeof value));
  return `{ ${entries.map(([name, value]) => `${JSON.stringify(name)}: ${typeof value === "bigint" ? `${value}n` : JSON.stringify(value)}`).join(", ")} }`;
}

/**
 * The sentences of a language in one literal. Put together from their parts at each start, those of four languages took
 * 10 ms.
 */
const wholeCatalogues = {
  name: "whole-catalogues",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/base\/words\/[a-z-]+\.ts$/ }, async ({ path: file }) => {
      if (path.basename(file) === "say.ts") return undefined;
      const [[name, words]] = Object.entries(await import(file));
      return { contents: `export const ${name} = ${JSON.stringify(words)};` };
    });
  },
};

/**
 * The daemon is a program of its own: with other verbs it shares so much that it would be spread over 50 files, each of
 * which a start has to find and read. `bin/bellhop.cjs` begins with the program that has the verb, so neither loads the
 * other.
 */
const DAEMON = ["./start.ts", "./sandbox.ts", "./init.ts"];

function without(isElsewhere, program) {
  return {
    name: "without",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/[\w-]+\.ts$/ }, ({ path: verb, kind, importer }) =>
        kind === "dynamic-import" && importer.endsWith("bellhop.ts") && isElsewhere(verb)
          ? { path: program, external: true }
          : undefined,
      );
    },
  };
}

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

/** The program, the daemon and its thread, one chunk a verb. Dependencies are bundled: it halves the time to start. */
async function buildProgram() {
  // Alone and for `require`, because it runs before everything else.
  const handover = path.join(root, "src/cli/start/handover.ts");
  await build({
    ...common(),
    entryPoints: [handover],
    platform: "node",
    target: "node22",
    format: "cjs",
    outfile: path.join(fresh, "handover.cjs"),
    minifyWhitespace: true,
    minifySyntax: true,
  });
  const cli = path.join(root, "src/cli/bellhop.ts");
  const thread = path.join(root, "src/engine/snapshot-thread.ts");
  const program = await bundle(
    { bellhop: cli },
    "chunk",
    without((verb) => DAEMON.includes(verb), "./daemon.js"),
  );
  const daemon = await bundle(
    { daemon: cli, "snapshot-thread": thread },
    "daemon",
    without((verb) => !DAEMON.includes(verb), "./bellhop.js"),
  );
  return [program, daemon].flatMap(({ metafile }) => Object.keys(metafile.inputs));
}

function bundle(entryPoints, chunk, plugin) {
  return build({
    ...common(),
    entryPoints,
    platform: "node",
    target: "node22",
    format: "esm",
    splitting: true,
    outdir: fresh,
    chunkNames: `${chunk}-[name]-[hash]`,
    // Its main file is UMD, whose own files a bundler cannot find.
    alias: { "jsonc-parser": path.join(root, "node_modules/jsonc-parser/lib/esm/main.js") },
    // Half the bytes to read at every start; names stay, for the stacks in the log.
    minifyWhitespace: true,
    minifySyntax: true,
    // Optional accelerators their users try and do without.
    plugins: [plugin, nodesOwn, discordsConstants, wholeCatalogues],
    external: ["bufferutil", "utf-8-validate", "zlib-sync"],
    banner: { js: NODE_REQUIRE },
  });
}

function common() {
  return {
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    sourcemap: false,
    logLevel: "warning",
    legalComments: "none",
  };
}
