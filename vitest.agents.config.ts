/**
 * How the tests with real agents run: one file after another, since each starts programs of several hundred
 * megabytes, and the same counted end as all tests.
 */
import { defineConfig } from "vitest/config";
import { Summary } from "./test/summary.ts";

export default defineConfig({
  test: {
    include: ["test/agents/**/*.test.ts"],
    exclude: ["**/node_modules/**"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ["default", new Summary(process.env["BELLHOP_TEST_ALL"] === "1")],
  },
});
