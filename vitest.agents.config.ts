/**
 * The contract tests with the real agents, pinned under `test/agents/` and spoken to by a model on loopback.
 * Not a part of `npm test`: `npm run test:agents` installs the agents first.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { Support } from "./test/agents/support.ts";
import { LongestFirst } from "./test/longest-first.ts";
import { Summary } from "./test/summary.ts";

export default defineConfig({
  resolve: {
    alias: {
      "discord-sandbox": fileURLToPath(new URL("packages/discord-sandbox/src/discord-sandbox.ts", import.meta.url)),
    },
  },
  test: {
    include: ["test/agents/**/*.agent.ts"],
    exclude: ["**/node_modules/**"],
    pool: "forks",
    // They wait half of their time, for agents to start and for Gemini's minute.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: ["default", new Summary(process.env["BELLHOP_TEST_ALL"] === "1"), new Support()],
  },
});
