/**
 * How the tests run: every `*.test.ts` under `test/` and `packages/` except those with real agents, and a last line
 * that counts. A run that skips something says what; with BELLHOP_TEST_ALL=1 it fails.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { Summary } from "./test/summary.ts";

/**
 * These leave their process as they found it, so each process runs many of them and loads what they use once: Discord's
 * description alone takes two seconds. The others change or measure what belongs to their process, or share little.
 */
const SHARING = [
  "test/{agents,base,client,config,core,discord,engine,flows,protocol}/**/*.test.ts",
  "packages/discord-sandbox/test/**/*.test.ts",
];

export default defineConfig({
  // The sources, so that a test never runs an older build of them.
  resolve: {
    alias: {
      "discord-sandbox": fileURLToPath(new URL("packages/discord-sandbox/src/discord-sandbox.ts", import.meta.url)),
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "alone",
          include: ["test/**/*.test.ts", "packages/*/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...SHARING],
        },
      },
      { extends: true, test: { name: "sharing", include: SHARING, exclude: ["**/node_modules/**"], isolate: false } },
    ],
    pool: "forks",
    // One more than there are cores would have the flows measure each other.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // The long form of a property runs up to thirty times as many cases.
    testTimeout: process.env["BELLHOP_TEST_LONG"] === "1" ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
    reporters: ["default", new Summary(process.env["BELLHOP_TEST_ALL"] === "1")],
  },
});
