/**
 * How the tests run: every `*.test.ts` under `test/` and `packages/` except those with real agents, and a last line
 * that counts. A run that skips something says what; with BELLHOP_TEST_ALL=1 it fails.
 */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { Summary } from "./test/summary.ts";

/** These try what is built, some of them in a browser; the others are unit tests and need neither. */
const BUILT = ["test/flows/**/*.test.ts", "packages/*/test/page/{browser,connection,looks}.test.ts"];
/** These measure how work grows with its input, so they need large inputs and are the longest of all without a build. */
const GROWTH = ["test/growth/*.test.ts"];
const PACKED = ["{test,packages/*/test}/package.test.ts", "test/setup.test.ts"];

/**
 * These leave their process as they found it, so each process runs many of them and loads what they use once: Discord's
 * description alone takes two seconds. The others change or measure what belongs to their process, or share little.
 */
const SHARING = [
  "test/{agents,base,client,config,core,discord,engine,protocol}/**/*.test.ts",
  "packages/discord-sandbox/test/**/*.test.ts",
];

const ALL = ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"];

function project(name: string, include: string[], without: string[], more: { isolate: boolean; globalSetup?: string }) {
  return { extends: true as const, test: { name, include, exclude: ["**/node_modules/**", ...without], ...more } };
}

export default defineConfig({
  // The sources, so that a test never runs an older build of them.
  resolve: {
    alias: {
      "discord-sandbox": fileURLToPath(new URL("packages/discord-sandbox/src/discord-sandbox.ts", import.meta.url)),
    },
  },
  test: {
    projects: [
      project("unit", SHARING, [...BUILT, ...PACKED], { isolate: false }),
      project("alone", ALL, [...SHARING, ...GROWTH, ...BUILT, ...PACKED], { isolate: true }),
      project("growth", GROWTH, [], { isolate: true }),
      project("built", BUILT, [], { isolate: false, globalSetup: "test/built.ts" }),
      project("packed", PACKED, [], { isolate: true, globalSetup: "test/built.ts" }),
    ],
    pool: "forks",
    // More would have the flows measure each other.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // The long form of a property runs up to thirty times as many cases.
    testTimeout: process.env["BELLHOP_TEST_LONG"] === "1" ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
    reporters: ["default", new Summary(process.env["BELLHOP_TEST_ALL"] === "1")],
  },
});
