/** The real codex-acp, at the driver. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BenchOptions, codexConfig, onFirst, openBench, programOf } from "../bench.ts";
import { only } from "../stage.ts";
import { actsIn, asksAnyway, driverOf, goesOn, keepsTheContract } from "./acp-bench.ts";

const options = (config: (whole: string) => string = (whole) => whole): BenchOptions => ({
  driver: driverOf(["codex-acp"]),
  env: () => ({ CODEX_MOCK_KEY: "test-key" }),
  passEnv: [],
  async prepare(model, home) {
    await mkdir(join(home, ".codex"));
    await writeFile(join(home, ".codex", "config.toml"), config(codexConfig(model, "CODEX_MOCK_KEY")));
  },
});

const bench = await openBench(options());

/** In its sandbox Codex runs what it likes; it asks for what is to run outside. */
const escalated = (command: string): string =>
  `call:exec_command:${JSON.stringify({ cmd: command, sandbox_permissions: "require_escalated", justification: "It is only a test." })}`;

describe("codex-acp", () => {
  it("is found, in the version that is pinned", async () => {
    expect(await bench.driver.probe()).toMatchObject({
      found: true,
      path: programOf("codex-acp"),
      version: "2.6.0",
      tried: true,
    });
  });

  keepsTheContract(bench, { acting: escalated, isAdapter: true, cut: { outcome: "failed" } });
  goesOn(bench);

  it("cannot write without asking", async () => {
    await bench.ask("tool:bash:touch unasked");
    expect(await readdir(bench.project)).not.toContain("unasked");
  });

  it("tells a usage limit", async () => {
    expect((await bench.ask("limit:3600")).end).toMatchObject({
      outcome: "failed",
      code: "E_USAGE_LIMIT",
      details: { reason: expect.stringContaining("usage limit") as string },
    });
  });
});

describe.each(["workspace-write", "danger-full-access"])(
  "codex-acp that never has to ask, in the sandbox %s",
  async (sandbox) => {
    asksAnyway(
      await openBench(options((whole) => `approval_policy = "never"\nsandbox_mode = "${sandbox}"\n${whole}`)),
      escalated("touch by-settings"),
    );
  },
);

describe("codex-acp that is not logged in", async () => {
  const nobody = await openBench({ ...options(() => ""), env: () => ({}) });
  it("says how to log in", async () => {
    expect((await nobody.ask("echo:x")).end).toMatchObject({
      outcome: "failed",
      code: "E_AGENT_LOGIN",
      details: { login: "codex login" },
    });
  });
});

describe("codex-acp with a model that patches files", async () => {
  const bench = await openBench(options((whole) => whole.replace("mock-model", "gpt-5.5")));
  it("edits a file only once exactly that was shown and allowed", async () => {
    const patch = ["*** Begin Patch", "*** Add File: made.txt", "+the whole text", "*** End Patch"].join("\n");
    const { updates } = await bench.ask(`call:apply_patch:${JSON.stringify({ words: patch })}`, {
      on: onFirst("permission", (run) => void run.answer("acp-1", { kind: "allow", input: {} })),
    });
    expect(JSON.stringify(only(updates, "permission")[0]?.input)).toContain("the whole text");
    expect(actsIn(updates, bench.project)).toEqual([{ verb: "create", object: "made.txt" }]);
    expect(await readdir(bench.project)).toContain("made.txt");
  });
});
