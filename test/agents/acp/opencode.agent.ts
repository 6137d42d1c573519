/** The real OpenCode over ACP, at the driver. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { opencodeConfig, openBench, programOf } from "../bench.ts";
import { driverOf, keepsTheContract } from "./acp-bench.ts";

const bench = await openBench({
  driver: driverOf(["opencode", "acp"]),
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
  passEnv: [],
  async prepare(model, home) {
    await mkdir(join(home, ".config", "opencode"), { recursive: true });
    await writeFile(join(home, ".config", "opencode", "opencode.json"), opencodeConfig(model));
  },
});

describe("opencode acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({ found: true, path: programOf("opencode"), version: "1.18.33", tried: true });
  });

  keepsTheContract(bench);
});
