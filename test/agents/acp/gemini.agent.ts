/** The real Gemini CLI over ACP, at the driver. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { geminiSettings, openBench, programOf } from "../bench.ts";
import { driverOf, keepsTheContract } from "./acp-bench.ts";

const bench = await openBench({
  driver: driverOf(["gemini", "--acp"]),
  env: ({ url }, home) => ({ GEMINI_API_KEY: "test-key", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: "true", NODE_COMPILE_CACHE: join(home, "compiled") }),
  passEnv: ["NODE_COMPILE_CACHE"],
  async prepare(_, home) {
    await mkdir(join(home, ".gemini"));
    await writeFile(join(home, ".gemini", "settings.json"), geminiSettings);
  },
});

describe("gemini --acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({ found: true, path: programOf("gemini"), version: "0.61.0", tried: true });
  });

  keepsTheContract(bench);

  it("goes on where its session was, also within the minute", async () => {
    const { key } = await bench.ask("echo:remember this");
    const { end } = await bench.ask("hist:", { key: key! });
    expect(end).toMatchObject({ outcome: "done", result: expect.stringContaining("echo:remember this") as string });
  });
});
