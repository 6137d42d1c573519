/** The real codex-acp, at the driver. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codexConfig, openBench, programOf } from "../bench.ts";
import { driverOf, keepsTheContract } from "./acp-bench.ts";

const bench = await openBench({
  driver: driverOf(["codex-acp"]),
  env: () => ({ CODEX_MOCK_KEY: "test-key" }),
  passEnv: [],
  async prepare(model, home) {
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex", "config.toml"), codexConfig(model, "CODEX_MOCK_KEY"));
  },
});

/** In its sandbox Codex runs what it likes; it asks for what is to run outside. */
const escalated = (command: string): string => `call:exec_command:${JSON.stringify({ cmd: command, sandbox_permissions: "require_escalated", justification: "It is only a test." })}`;

describe("codex-acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({ found: true, path: programOf("codex-acp"), version: "2.6.0", tried: true });
  });

  keepsTheContract(bench, escalated);
});
